"""What a lesson is made of, as data; this module imports no other of the course.

Texts (predictions and quizzes) are read from TOML by `lessons.catalogue`. Coded exercises are written in
Python, one module each, in the types of `whywrong.task`. Nothing here knows how it is shown.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Reply:
    """A common wrong guess, and the sentence that speaks to the idea behind it.

    control: where the sentence names the cause of what training gave, the id of the cell that takes this cause alone
        away ("run-4", or "other_lesson/run-4" of another lesson). The same of a prediction and of an option.
    """

    guess: object
    says: str
    control: str = ""


@dataclass(frozen=True)
class Claim:
    """A sentence to judge as it stands, "true" or "false", and the reply to the other judgement.

    A false claim may hold in part: its reply says what must be added or taken away to make it true.
    """

    text: str
    answer: str
    replies: dict[str, str]


JUDGEMENTS = ("true", "false")  # of a claim as it stands


@dataclass(frozen=True)
class Drawn:
    """How a page lets a reader draw a guess: one point or border to move, whose place is the guess.

    What comes out is no part of it: `publish.site.drawn` computes that, and lays it over the guess.

    kind: "curve" (a point moves up and down at `at`), "dip" (the lowest point of a curve moves along `axis`) or "bar"
        (a border divides a bar).
    said: what is moved, as a screen reader names it; came: the words before the numbers that come out.
    start, step: where it stands before it is moved (a curve whose first part is known: where that ends), and how far a
        key moves it.
    decimals: of what comes out; unit: what stands behind a number: " %".
    across, up: the names of the axes; axis: the numbers along the horizontal one, from its left end to its right;
        log: whether each is a multiple of the one before; range: the ends of the vertical one, of the guess if empty.
    given: where along the axis the text has said already what comes out; after: the prediction, by its short name,
        whose result is known as well once its guess has been made.
    parts: the two sides of a bar; known: a share that the text has told, and known_as: of what.
    dots: what one small dot is.
    """

    kind: str
    said: str
    came: str
    start: float
    step: float = 1.0
    decimals: int = 0
    unit: str = ""
    across: str = ""
    up: str = ""
    axis: tuple[float, ...] = ()
    log: bool = False
    range: tuple[float, float] | tuple[()] = ()
    at: float | None = None
    given: tuple[float, ...] = ()
    after: str = ""
    parts: tuple[str, str] | tuple[()] = ()
    known: float | None = None
    known_as: str = ""
    dots: str = ""


@dataclass(frozen=True)
class Prediction:
    """What a learner guesses before an experiment runs: a guess, and not a test. Nothing about it needs a kernel.

    id: "<lesson>.predict_<name>"; title: a few words for the table of progress.
    name: the variable that takes the guess in the notebook.
    kind: "number", "word", "shape" (a list of sizes), "choice" (one of `choices`, numbers or words) or "claims".
    answer: what the experiment shows; for claims letter -> judgement.
    printed: numbers that the experiment prints for it, in any rounding; guessing one of them is exactly right.
    right: the sentence that says what is so and why.
    replies: common guesses. claims: letter -> Claim.
    low, high: where a number can lie at all; None: anywhere.
    close: how far a number may be off, relative to the answer (absolute where that is 0), and still count as near.
    drawn: how a page lets a reader draw the guess, or None where it is typed or chosen alone.
    """

    id: str
    title: str
    name: str
    kind: str
    answer: object
    right: str
    hints: tuple[str, str, str]
    replies: tuple[Reply, ...] = ()
    choices: tuple = ()
    printed: tuple[float, ...] = ()
    claims: dict[str, Claim] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    close: float = 0.15
    drawn: Drawn | None = None
    control: str = ""


@dataclass(frozen=True)
class Option:
    """One option of a question, with the reason why it is right or wrong."""

    text: str
    reason: str
    right: bool = False
    control: str = ""


@dataclass(frozen=True)
class Question:
    """A question with exactly one right option; id is "<lesson>.<name>", and a name has words and hyphens.

    again: the same idea with other numbers or in another situation, for the warm-ups of later lessons; its id is
        "again.<lesson>.<name>", so that an answer to it is none to the question of the quiz. None for a question that
        stands beside its experiment or in an optional part.
    cell: the id of the notebook's cell that asks it.
    """

    id: str
    prompt: str
    options: tuple[Option, ...]
    again: "Question | None" = None
    cell: str = "quiz"


@dataclass(frozen=True)
class Task:
    """What is said of a coded exercise before it is loaded: its title, its minutes, and one to three stars.

    name: of what is handed to check, where it is not that of the module.
    """

    title: str
    minutes: int
    stars: int = 1
    name: str = ""


@dataclass(frozen=True)
class Lesson:
    """What a lesson says of itself; links, maps and numbers everywhere else are written from it.

    name: of its folder, and of its notebook behind the number.
    number: its place in the series.
    title: short, for links and tables; question: what the lesson answers.
    minutes: from and to, for its core path, as `publish.author.minutes` counts them from the notebook; more: the same
        for its optional parts, or None.
    needs: what a reader must know before.
    exercises: module -> Task of every coded exercise, in order.
    after: of an optional build, the number of the lesson that it builds on; None for a lesson of the series.
    """

    name: str
    number: int
    title: str
    question: str
    minutes: tuple[int, int]
    needs: str
    exercises: dict[str, Task]
    more: tuple[int, int] | None = None
    after: int | None = None

    @property
    def build(self) -> bool:
        """Tell whether it is an optional build: its number is behind the series, and nothing leads on to it."""
        return self.after is not None

    @property
    def notebook(self) -> str:
        """The file name of its notebook."""
        return f"{self.number:02d}_{self.name}.ipynb"

    @property
    def heading(self) -> str:
        """Number and title, as links show them."""
        return f"{self.number:02d} {self.title}"

    @property
    def headline(self) -> str:
        """Number and question, as its notebook and its page are headed."""
        return f"{self.number:02d} · {self.question}"
