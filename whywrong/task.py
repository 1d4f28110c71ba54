"""Define the types that all modules share: what is asked, what is answered, and what is found."""

import ast
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

KINDS = ("function", "class", "value")  # of what is handed to a check
MOST_TRIES = 400  # fixed answers in one search; an exercise with expensive runs asks for fewer


class Status(StrEnum):
    """How far an answer got, from the least to the most that can be remembered."""

    NOT_ATTEMPTED = "not attempted"
    STOPPED = "stopped"  # the code raised or ran away
    NOT_YET = "not yet"
    GUESSED = "guessed"  # an honest prediction: near or far, it is done
    CORRECT = "correct"


class Key(StrEnum):
    """Why a verdict was given.

    A named mistake has the key `mistake:<name>` instead, an everyday slip `slip:<name>`, and what can be seen of any
    wrong answer `seen:<name>`.
    """

    CORRECT = "correct"
    GUESSED = "guessed"
    TODO = "todo"
    NONE = "none"
    TYPE = "type"
    SHAPE = "shape"
    DTYPE = "dtype"
    NAN = "nan"
    MUTATES = "mutates"
    RAISES = "raises"
    TIMEOUT = "timeout"
    VALUE = "value"

    @property
    def status(self) -> Status:
        """The status that goes with the key."""
        return _STATUS_OF.get(self, Status.NOT_YET)


_STATUS_OF = {
    Key.GUESSED: Status.GUESSED,
    Key.CORRECT: Status.CORRECT,
    Key.TODO: Status.NOT_ATTEMPTED,
    Key.RAISES: Status.STOPPED,
    Key.TIMEOUT: Status.STOPPED,
}


@dataclass(frozen=True)
class Verdict:
    """What a check says.

    status: how far the answer got.
    key: a stable name: one of Key, or mistake:<name>, slip:<name>, seen:<name>.
    message: one plain sentence or two for the learner, never a traceback.
    evidence: plain lines with the numbers of the first case that differs, or nothing.
    printed: the first lines that the learner's code printed on the first case.
    near: for a prediction, whether the guess came near.
    """

    status: Status
    key: str
    message: str
    evidence: str = ""
    printed: str = ""
    near: bool | None = None


@dataclass(frozen=True)
class Finding:
    """One explanation of what is wrong with an answer: what every stage of a check finds.

    kind: one of Key, or the word "mistake", "slip" or "seen".
    name: which of its kind; a stable word.
    says: the whole sentence for the learner.
    at: the node of the learner's code that it points at, or None.
    about: the names of the returned values that it speaks of; none: of all.
    sure: whether it is proved: with a fix in this one place, the answer passes every check.
    vague: whether it says little, so that a better finding is looked for first.
    numbers: plain lines with the numbers of the first case that differs.
    """

    kind: str
    name: str = ""
    says: str = ""
    at: ast.AST | None = None
    about: tuple[str, ...] = ()
    sure: bool = False
    vague: bool = False
    numbers: str = ""

    @property
    def key(self) -> str:
        """The stable key of the verdict that it gives: "shape", "slip:caret"."""
        return self.kind if isinstance(self.kind, Key) else f"{self.kind}:{self.name}"

    @property
    def status(self) -> Status:
        """The status that goes with it."""
        return self.kind.status if isinstance(self.kind, Key) else Status.NOT_YET


class Fault(Exception):
    """Raised while an answer is judged, to end the check at once: Fault(key, message, name)."""

    def __init__(self, key: Key, message: str, name: str = ""):
        super().__init__(message)
        self.finding = Finding(Key(key), name, message)
        self.key, self.message = self.finding.kind, message


class BrokenTask(RuntimeError):
    """Raised if no answer can be graded, because the task itself is wrong: BrokenTask(id, what).

    id: of the task; what: a whole sentence for its author.
    """

    def __init__(self, id: str, what: str):
        super().__init__(id, what)
        self.id, self.what = id, what

    def __str__(self):
        return f"The task {self.id!r} is broken. {self.what} `whywrong.faults` lists everything that is wrong with it."


@dataclass(frozen=True)
class Case:
    """One question to the answer: its arguments, and the axis sizes that occur in them, by name.

    Raises:
        TypeError: args is no tuple.
    """

    args: tuple = ()
    sizes: dict = field(default_factory=dict)

    def __post_init__(self):
        if not isinstance(self.args, (tuple, list)):
            raise TypeError(f"args must be a tuple, as in Case((x,)), but {type(self.args).__name__} was given.")


@dataclass(frozen=True)
class Returns:
    """One value that an answer returns: its name, and the names of its axes (None: a number or a word)."""

    name: str
    axes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Mistake:
    """A wrong answer that learners give, and the sentence that explains it: feedback, and a test of the check.

    says_right: whether the sentence says that some values are right, so it is true only if it explains all values.
    kind: what mistakes share whose sentences differ in only one word: a list needs one of each kind.
    two: whether two things are wrong in it: then a single fix that makes the answer right is reported instead.
    """

    name: str
    answer: object
    message: str
    says_right: bool = False
    kind: str = ""
    two: bool = False


HalfRight = partial(Mistake, says_right=True)


def two_at_once(words, firsts, seconds, joined, known=(), right=()):
    """Name the answers in which two parts are wrong at once, each in a way that learners often get wrong.

    words: of both sentences, such as "on the way up {}; on the way down {}".
    firsts, seconds: the wrong ways of each part by name: the part, what is wrong with it, and, where that is a mistake
        by itself too, the sentence about it.
    joined: (first part, second part) -> the answer.
    known: pairs of names that give the answer of another mistake.
    right: both parts as they should be, for mistakes in one of them alone.
    """
    for name, (part, _, *alone) in firsts.items():
        if alone:
            yield Mistake(name, joined(part, right[1]), *alone)
    for name, (part, _, *alone) in seconds.items():
        if alone:
            yield Mistake(name, joined(right[0], part), *alone)
    for (one, (first, says, *_)), (other, (second, more, *_)) in itertools.product(firsts.items(), seconds.items()):
        if (one, other) not in known:
            told = f"Two things are wrong: {words.format(says, more)}."
            yield Mistake(f"{one}.{other}", joined(first, second), told, two=True)


def call_with_args(answer, case: Case):
    """Call the answer with the arguments of the case: what most exercises do."""
    return answer(*case.args)


def _check_form(item):
    """Refuse an exercise with an error in it: a learner would read it as their own error."""
    if item.kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}, but {item.kind!r} was given.")
    if not callable(item.cases):
        raise TypeError(f"cases must be a function, rng -> list of Case, but {type(item.cases).__name__} was given.")
    for name, kind in (("returns", Returns), ("mistakes", Mistake), ("hints", str)):
        several = getattr(item, name, ())
        if not isinstance(several, (tuple, list)) or not all(isinstance(one, kind) for one in several):
            raise TypeError(f"{name} must be a tuple of {kind.__name__}, but {several!r} was given.")


@dataclass(frozen=True)
class Exercise:
    """A coded exercise whose results are compared with those of an oracle.

    id: "<lesson>.<module>", such as "build_the_ffn.module".
    kind: what is handed to check: "function", "class" or "value".
    cases: rng -> list of Case; drawn twice, so that changed inputs are noticed.
    oracle: Case.args -> the right result; neither the worked solution nor the code under test.
    run: (answer, case) -> result; may raise Fault.
    returns: the value or values that come back.
    hints: three sentences: the idea, the shapes, the first line.
    right: the sentence that follows "Correct".
    tolerance: largest accepted relative difference, and absolute difference below 1.
    fresh: cases are drawn anew each time, so the expected values may be shown without giving the answer away.
    may_use: names of functions of the registered packages that an answer may call; the others do the task itself.
    takes_rows: whether a list of rows counts as the array of them.
    afterwards: answer -> None, called once all values are right; raises Fault if something else is wrong.
    tries: how many fixed answers are run at most to find what is wrong; fewer if one run is expensive.
    seconds: of CPU time that the answer may take for one case; None: as everywhere.
    tensor: array -> tensor, for an exercise that can be asked in either kind, see `kinds`: its cases, its oracle and
        its mistakes are written with arrays. `run` gets what is asked with, and `afterwards` asks of tensors alone.

    Raises:
        TypeError, ValueError: kind is unknown; cases is no function; returns, mistakes or hints is no tuple of them.
    """

    id: str
    kind: str
    cases: Callable[..., list[Case]]
    oracle: Callable
    returns: tuple[Returns, ...]
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, str, str]
    right: str
    run: Callable = call_with_args
    tolerance: float = 1e-7
    fresh: bool = True
    may_use: tuple[str, ...] = ()
    takes_rows: bool = False
    afterwards: Callable | None = None
    tries: int = MOST_TRIES
    seconds: float | None = None
    tensor: Callable | None = None
    __post_init__ = _check_form


@dataclass(frozen=True)
class Inspection:
    """A coded exercise whose answer is looked at, case by case, and not compared with one right result.

    id, kind, cases, hints, right, may_use, tries, seconds: as in Exercise.
    inspect: (answer, case) -> the name of the mistake that was seen, or None when there is none; may raise Fault for
        whatever else is wrong.
    mistakes: each name that `inspect` may return, with an answer that shows it.

    Raises:
        TypeError, ValueError: as for Exercise.
    """

    id: str
    kind: str
    cases: Callable[..., list[Case]]
    inspect: Callable
    mistakes: tuple[Mistake, ...]
    hints: tuple[str, str, str]
    right: str
    may_use: tuple[str, ...] = ()
    tries: int = MOST_TRIES
    seconds: float | None = None
    __post_init__ = _check_form
