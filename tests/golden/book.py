"""How verdicts are kept: a text file for each exercise, in which what is said stands under the answer it is said of.

    === mistake no-activation
    not yet · mistake:no-activation · seeds 0 1 2
    There is no activation between the two layers.
    | the evidence, whole for the first seed
    seed 1 #0a1b2c3d
    > what the answer printed

Seeds of which the same is said stand together; of the evidence of the further ones a digest is kept. Answers in a row
of which all the same is said stand together, too. A change is shown by the lines that it takes away and puts in.
"""

import difflib
import hashlib
import itertools
from functools import cache
from pathlib import Path

from tests.golden.rows import Row
from whywrong.task import Verdict

FOLDER = Path(__file__).resolve().parent / "verdicts"


def written(verdicts: dict[int, Verdict]) -> str:
    """Return what is kept of the verdicts on one answer, seed -> verdict."""
    return "\n".join(line for seeds in _alike(verdicts) for line in _stanza(verdicts, seeds))


def _alike(verdicts):
    """Return the seeds in groups of which the same is said, up to the evidence."""
    found = {}
    for seed, one in verdicts.items():
        found.setdefault((one.status, one.key, one.message), []).append(seed)
    return list(found.values())


def _stanza(verdicts, seeds):
    first, *others = (verdicts[seed] for seed in seeds)
    yield f"{first.status} · {first.key} · seed{'s' * bool(others)} {' '.join(map(str, seeds))}"
    yield first.message
    yield from (f"| {line}" for line in first.evidence.splitlines())
    yield from (f"> {line}" for line in first.printed.splitlines())
    for seed, one in zip(seeds[1:], others, strict=True):
        if (one.evidence, one.printed) != (first.evidence, first.printed):
            yield f"seed {seed} #{digest(one)}"


def digest(verdict: Verdict) -> str:
    """Return eight characters that stand for the evidence and for what was printed."""
    return hashlib.sha256(f"{verdict.evidence}\0{verdict.printed}".encode()).hexdigest()[:8]


@cache
def kept(exercise: str) -> dict[str, str]:
    """Return what is kept of an exercise: the title of each row -> what is said."""
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


def differences(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return a paragraph for each row of which another thing is said, that is new, or that is gone."""
    found = []
    for title in dict.fromkeys([*before, *after]):
        old, new = before.get(title), after.get(title)
        if old != new:
            what = "is new" if old is None else "is gone" if new is None else "is told otherwise"
            lines = difflib.ndiff((old or "").splitlines(), (new or "").splitlines())
            told = [f"    {line}" for line in lines if line.startswith(("- ", "+ "))]
            found.append("\n".join([f"{title}\n  {what}:", *told]))
    return found


def of(row: Row) -> str:
    """Return what is said of a row today."""
    return written({seed: row.verdict(seed) for seed in row.seeds})
