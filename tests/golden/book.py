"""How verdicts are kept: a text file for each exercise, in which what is said stands under the answer it is said of.

    === edit of line 4
    - return z + b
    + return z - b
    not yet · slip:sign · seeds 0 1 2 · # 0a1b2c3d 4e5f6071
    One sign is wrong: look at `z - b`.
    | the evidence, whole for the first answer of an exercise that has some
    > what the answer printed

Seeds with the same reply stand together. All further evidence is kept as digests, one for each seed; `make golden`
shows it whole for every answer whose reply changed. Answers in a row with the same reply stand together, too. Named
mistakes are not kept: their sentences are defined in the exercises.
"""

import difflib
import hashlib
import itertools
from functools import cache
from pathlib import Path

from tests.golden.rows import Row, fixed_part, rows
from whywrong.task import Verdict

FOLDER = Path(__file__).resolve().parent / "verdicts"


def said_today(exercise: str, one_in: int = 1) -> dict[str, str]:
    """Return the title of each row of an exercise -> what is said of it today, as it is kept.

    one_in: of so many rows one is asked, always the same.
    """
    texts, whole, asked = {}, True, {row.title for row in fixed_part(rows(exercise), one_in)}
    for row in rows(exercise):
        if row.title in asked:
            texts[row.title] = of(row, whole)
        whole = whole and "\n| " not in (texts.get(row.title) or kept(exercise).get(row.title, ""))
    return texts


def of(row: Row, whole: bool) -> str:
    """Return what is said of a row today; whole: with the evidence of its first seed."""
    return written({seed: row.verdict(seed) for seed in row.seeds}, whole)


def written(verdicts: dict[int, Verdict], whole: bool) -> str:
    """Return what is kept of the verdicts on one answer, seed -> verdict; if whole, with the first seed's evidence."""
    return "\n".join(line for seeds in _alike(verdicts) for line in _stanza(verdicts, seeds, whole))


def _alike(verdicts):
    """Return the seeds in groups of which the same is said, up to the evidence."""
    groups = {}
    for seed, verdict in verdicts.items():
        groups.setdefault((verdict.status, verdict.key, verdict.message), []).append(seed)
    return list(groups.values())


def _stanza(verdicts, seeds, whole):
    first = verdicts[seeds[0]]
    head = [first.status, first.key, f"seed{'s' * (len(seeds) > 1)} {' '.join(map(str, seeds))}"]
    shown = (first.evidence if whole else "", first.printed)
    if any((verdicts[seed].evidence, verdicts[seed].printed) != shown for seed in seeds):
        head.append(f"# {' '.join(digest(verdicts[seed]) for seed in seeds[whole:])}")
    yield " · ".join(head)
    yield first.message
    if whole:
        yield from (f"| {line}" for line in first.evidence.splitlines())
    yield from (f"> {line}" for line in first.printed.splitlines())


def digest(verdict: Verdict) -> str:
    """Return eight characters that stand for the evidence and for what was printed."""
    return hashlib.sha256(f"{verdict.evidence}\0{verdict.printed}".encode()).hexdigest()[:8]


@cache
def kept(exercise: str) -> dict[str, str]:
    """Return what is kept of an exercise: the title of each row -> what is said of it."""
    path = FOLDER / f"{exercise}.txt"
    found = {}
    for block in path.read_text(encoding="utf-8").split("\n\n") if path.is_file() else ():
        lines = block.strip("\n").splitlines()
        head = list(itertools.takewhile(lambda line: line.startswith(("=== ", "- ", "+ ", "+")), lines))
        for title in "\n".join(head).removeprefix("=== ").split("\n=== "):
            found[title] = "\n".join(lines[len(head) :])
    return found


def keep(exercise: str, said: dict[str, str]) -> None:
    """Write the file of an exercise anew."""
    blocks = []
    for says, titles in itertools.groupby(said, key=said.get):
        blocks.append("\n".join([*(f"=== {title}" for title in titles), says]))
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{exercise}.txt").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")


def differences(before: dict[str, str], after: dict[str, str], asked: dict[str, Row]) -> list[str]:
    """Return a paragraph for each row of which another thing is said, that is new, or that is gone.

    asked: the rows of today, title -> row; of one that differs, today's evidence at the first seed is shown whole.
    """
    found = []
    for title in dict.fromkeys([*before, *after]):
        old, new = before.get(title), after.get(title)
        if old != new:
            what = "is new" if old is None else "is gone" if new is None else "is told otherwise"
            lines = difflib.ndiff((old or "").splitlines(), (new or "").splitlines())
            told = [f"    {line}" for line in lines if line.startswith(("- ", "+ "))]
            row = asked.get(title)
            evidence = row.verdict(row.seeds[0]).evidence.splitlines() if row else []
            found.append("\n".join([f"{title}\n  {what}:", *told, *(f"    | {line}" for line in evidence)]))
    return found
