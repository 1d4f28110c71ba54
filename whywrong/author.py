"""Tell the author of a task what is wrong with it: a learner must never read it as their own mistake."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from whywrong.answer import Answer
from whywrong.form import unchanged
from whywrong.judge import grade
from whywrong.task import BrokenTask, Exercise, Fault, Inspection, Key, call_with_args

SEEDS = range(5)


def faults(task: Exercise | Inspection, seeds: Iterable[int] = SEEDS) -> list[str]:
    """Return what is wrong with a task, one sentence for each error; an empty list if the task is ready.

    Names, cases and the oracle are checked first (see `faults_of_parts`). Only if they are right is every named mistake
    graded: each must get its own sentence.

    >>> from whywrong import Case, Exercise, Mistake, Returns, faults
    >>> task = Exercise(
    ...     id="numbers.double",
    ...     kind="function",
    ...     cases=lambda rng: [Case((int(rng.integers(3, 100)),)) for _ in range(3)],
    ...     oracle=lambda n: n + n,
    ...     returns=(Returns("the double"),),
    ...     mistakes=(Mistake("square", lambda n: n * n, "That is the square."),),
    ...     hints=("What is twice 3?", "One number.", "return 2 * ..."),
    ...     right="That is twice the number.",
    ... )
    >>> faults(task)
    []
    >>> from dataclasses import replace
    >>> faults(replace(task, oracle=lambda n: undefined))
    ["The oracle raised NameError: name 'undefined' is not defined."]

    Args:
        task: the task.
        seeds: of the random cases at which it is tried.
    """
    seeds = [*seeds]
    return faults_of_parts(task, seeds) or list(filter(None, (_of_mistake(task, one, seeds) for one in task.mistakes)))


def faults_of_parts(task: Exercise | Inspection, seeds: Iterable[int] = SEEDS) -> list[str]:
    """Return what is wrong with the names, the cases and the oracle of a task: the cheap part of `faults`.

    Args:
        task: the task.
        seeds: of the random cases at which it is tried.
    """
    counts = Counter(one.name for one in task.mistakes)
    found = [f"{count} mistakes have the name {name!r}." for name, count in counts.items() if count > 1]
    first = next(filter(None, (_at(task, seed) for seed in seeds)), None)
    return found if first is None else [*found, first]


def _at(task, seed):
    """Say what is wrong with the cases of a seed, or with the oracle on them; None if nothing is."""
    try:
        verdict = grade(*_with_oracle(task), seed)
    except BrokenTask as broken:
        return broken.what
    if not _same_cases(task, seed):
        return "`cases` did not return the same cases for the same seed: draw everything from the `rng` that is given."
    if verdict.key in (Key.CORRECT, "slip:borrowed"):
        return None
    return f"The oracle's own answer is not accepted at seed {seed}: {verdict.key}, {verdict.message!r}"


def _with_oracle(task):
    """Return the task in a form in which the oracle can answer it, and this answer."""
    if isinstance(task, Inspection):  # it has no oracle, so only its cases can be checked
        return replace(task, kind="function", inspect=lambda answer, case: None), _with_oracle
    if task.kind == "function" and task.run is call_with_args:
        return task, task.oracle
    return replace(
        task, kind="function", run=lambda answer, case: task.oracle(*case.args), afterwards=None
    ), _with_oracle


def _same_cases(task, seed):
    once, again = (task.cases(np.random.default_rng(seed)) for _ in range(2))
    return len(once) == len(again) and all(
        one.sizes == other.sizes and unchanged(one.args, other.args) for one, other in zip(once, again, strict=True)
    )


def _of_mistake(task, mistake, seeds):
    """Say how a named mistake gets another reply, at the first seed where that happens; None if it never does."""
    for seed in seeds:
        try:
            verdict = grade(task, mistake.answer, seed)
        except BrokenTask as broken:
            return f"On the answer of the mistake {mistake.name!r}: {broken.what}"
        if verdict.key == Key.CORRECT:
            return f"The mistake {mistake.name!r} is accepted as right at seed {seed}."
        if verdict.key != f"mistake:{mistake.name}":
            error = Answer.run(task, mistake.answer, seed).outcome.error
            if isinstance(error, Exception) and not isinstance(error, Fault):
                name = type(error).__name__
                return f"The check of the mistake {mistake.name!r} raised {name} at seed {seed}: {error}"
            return f"The mistake {mistake.name!r} is reported as {verdict.key} at seed {seed}: {verdict.message!r}"
    return None
