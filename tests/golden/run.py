"""Write anew what every check says, and show what changed; or compare only.

make golden                                  all of it
make golden ARGS="build_the_ffn.module"     of one exercise, or of several
make golden ARGS=--compare                   write nothing, and compare
make golden ARGS="--compare --fifth"         compare a fifth, always the same: what CI does
make golden ARGS=--page                      compare with what is said in a web page, without torch and in 32 bits
make golden ARGS=--data                      write all wrong answers with their diagnoses, as a data set, into build/

The last one needs node, and Pyodide and NumPy's wheel for it: where `make site` keeps them, or in a folder that is
named as in ARGS="--page=FOLDER". What may differ there stands in in_page.toml, with the reason.
"""

import argparse
import concurrent.futures
import multiprocessing
import os
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Run the command; return 1 where a comparison finds a difference."""
    parser = argparse.ArgumentParser(prog="make golden", description=__doc__.partition("\n")[0])
    parser.add_argument("exercises", nargs="*", help="such as build_the_ffn.module; by default all")
    parser.add_argument("--compare", action="store_true", help="write nothing, and fail where something differs")
    parser.add_argument("--page", nargs="?", const="build/site-cache", metavar="FOLDER", help="compare in Pyodide")
    parser.add_argument("--fifth", action="store_true", help="with --compare: a fifth, always the same")
    parser.add_argument("--tenth", action="store_true", help="with --page: a tenth, always the same")
    parser.add_argument("--data", nargs="?", const="build", metavar="FOLDER", help="write a data set of wrong answers")
    options = parser.parse_args(arguments)
    if options.data is not None:
        from tests.golden import data_set

        print(f"Wrong answers in {options.data}/wrong_answers.jsonl: {dict(data_set.write(Path(options.data)))}")
        return 0
    from tests.golden.rows import exercises

    unknown = set(options.exercises) - set(exercises())
    if unknown:
        parser.error(f"There is no exercise {', '.join(sorted(unknown))}.")
    chosen = options.exercises or exercises()
    if options.page is not None:
        from tests.golden import page

        return page.compare(chosen, options.page, 10 if options.tenth else 1)
    if options.fifth and not options.compare:
        parser.error("--fifth goes with --compare: what is written is all of it.")
    return _work(chosen, options.compare, 5 if options.fifth else 1)


def _work(chosen, compare, one_in):
    """Go through the exercises in two processes; the longest ones begin."""
    count, changes, astray = 0, 0, 0
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        waiting = [pool.submit(one, exercise, compare, one_in) for exercise in chosen]
        for done in concurrent.futures.as_completed(waiting):
            exercise, rows, found, others = done.result()
            count, changes, astray = count + rows, changes + len(found), astray + len(others)
            for paragraph in [*found, *others]:
                print(f"{exercise} · {paragraph}\n", flush=True)
    what = "differ" if compare else "changed and were written"
    print(f"{count} answers, of which {changes} {what}; named mistakes that are taken for something else: {astray}.")
    return 1 if astray or (compare and changes) else 0


def one(exercise: str, compare: bool, one_in: int = 1) -> tuple[str, int, list[str], list[str]]:
    """Compare one row in so many of an exercise with what is kept, and write them unless only compared.

    Returns:
        The exercise, the number of its rows, a paragraph for each that differs, with its evidence as it is today, and
        one for each named mistake that is taken for something else.
    """
    from tests.golden import book
    from tests.golden.rows import misreported, rows

    before, after = book.kept(exercise), book.said_today(exercise, one_in)
    if one_in > 1:
        before = {title: before[title] for title in after if title in before}
    differences = book.differences(before, after, {row.title: row for row in rows(exercise)})
    if not compare and (differences or list(before) != list(after)):
        book.keep(exercise, after)
    return exercise, len(after), differences, misreported(exercise, at_one_seed=one_in > 1)


if __name__ == "__main__":
    for variable in ("COURSE_STATIC", "WHYWRONG_STRICT"):
        os.environ[variable] = "1"
    sys.exit(main(sys.argv[1:]))
