"""Small edits for what Python does otherwise than it looks: they are tried before anything else."""

from dataclasses import replace

from whywrong import mends
from whywrong.code import Edit
from whywrong.rules import rules

_ROWS = (
    Edit(
        "caret",
        mends.caret,
        "`^` is not a power in Python: write `**`, as in `x**3`.",
        without_inputs=True,
    ),
    Edit(
        "floor-division",
        rules("a // b -> a / b"),
        "`//` cuts the fraction off, in `{code}`: write `/`.",
        report="`//` cuts the fraction off, where `/` is needed.",
        without_inputs=True,
    ),
    Edit(
        "true-division",
        mends.whole_quotient,
        "`/` gives a float, in `{code}`: for a whole number write `//`.",
        report="`/` gives a float, where `//` is needed.",
    ),
    Edit(
        "condition-last",
        mends.condition_last,
        "Python reads `a + b if condition else 0` as `(a + b) if condition else 0`: put the part that the "
        "condition is meant for, with its `if` and `else`, into brackets.",
    ),
    Edit(
        "max",
        rules("max(*a, **k) -> _slip_max(*a, **k)", "min(*a, **k) -> _slip_min(*a, **k)"),
        "Python's `max` and `min` compare whole arrays; `np.maximum` and `torch.clamp` go value by value.",
    ),
    Edit(
        "max-along",
        mends.value_by_value,
        "In `{code}` a number stands where an axis is meant: `np.maximum` and `torch.clamp` compare value by value.",
        report="A number stands where an axis is meant, in `max` or `min`: `np.maximum` compares value by value.",
    ),
    Edit(
        "sum",
        rules("sum(*a, **k) -> _slip_sum(*a, **k)"),
        "Python's `sum` adds up the rows and leaves an array; `.sum()` adds up all numbers.",
    ),
    Edit(
        "len",
        rules("len(*a, **k) -> _slip_len(*a, **k)"),
        "`{code}` counts all entries, the False ones too: `.sum()` counts where something is True.",
        report="`len` counts all entries, the False ones too: `.sum()` counts where something is True.",
    ),
    Edit(
        "truths-added",
        rules("a + b -> _slip_both(a, b)"),
        "In `{code}` truths are added, which gives truths again, and never 2: `&` is True where both are.",
        report="Arrays of True and False are added, where `&` is needed.",
    ),
    Edit(
        "is",
        rules("a is b -> a == b", "a is not b -> a != b"),
        "`{code}` asks whether both sides are one and the same object: `==` and `!=` compare values.",
        report="`is` asks for one and the same object, where `==` is needed.",
    ),
    Edit(
        "cut-off",
        rules("x.astype(int) -> x"),
        "`{code}` cuts off what stands behind the decimal point: leave it out.",
        report="`astype(int)` cuts off what stands behind the decimal point.",
    ),
    Edit(
        "same-row",
        mends.same_row,
        "`{code}` holds one and the same row several times: what is written into one stands in all of them.",
        report="A list holds one and the same row several times, as `[[0]] * n` does.",
    ),
    Edit(
        "kept-default",
        mends.kept_default,
        "A default such as `[]` is made once, and keeps what earlier calls wrote into it: make it in the body.",
        report="A default such as `[]` is made once, and keeps what earlier calls wrote into it.",
    ),
    Edit(
        "thrown-away",
        mends.thrown_away,
        "`{code}` gives a new value, and nothing keeps it: give the result a name.",
        report="What a call gives is thrown away: the result needs a name.",
    ),
    Edit(
        "math",
        mends.of_math,
        "The functions of `math` take one number; those of `np`, or of `torch` for tensors, take whole arrays.",
    ),
    Edit(
        "bool-mean",
        rules("torch.mean(*a, **k) -> _slip_mean(*a, **k)", "x.mean(*a, **k) -> _slip_mean(x, *a, **k)"),
        "torch takes no mean of True and False: make numbers of them first, with `.double().mean()`.",
    ),
    Edit(
        "divisor",
        rules(*(f"a {over} b {by} c -> a {over} (b {by} c)" for over in ("/", "//") for by in "*/")),
        "Python reads `{code}` from left to right, as `(a / b) * c`: put the whole divisor into brackets.",
        report="Brackets are missing around a divisor: Python reads `a / b * c` as `(a / b) * c`.",
    ),
    Edit(
        "brackets",
        mends.brackets,
        "Brackets are missing: in `{code}` Python computes the product or quotient before the sum.",
        report="Brackets are missing: Python computes the product or quotient before the sum.",
        together=False,
    ),
    Edit(
        "bracket-place",
        mends.bracket_place,
        "A bracket closes in the wrong place: look at `{code}`.",
        report="A bracket closes in the wrong place.",
        together=False,
    ),
    Edit(
        "no-return",
        mends.no_return,
        "The last line computes the result, and `return` is missing before it.",
        without_inputs=True,
    ),
    Edit(
        "view",
        rules("x[:] -> x.copy()"),
        "Of an array, `{code}` is no copy but a view: what is written into it changes the array. `.copy()` copies.",
        report="`x[:]` is no copy of an array but a view: what is written into it changes the array.",
    ),
    Edit(
        "in-place",
        mends.in_place,
        "`{code}` changes the array itself, which is the input: written out, with `=` alone, it makes a new one.",
        report="The input itself is changed, by `+=` or the like, where a new array is needed.",
    ),
    Edit(
        "set-anew",
        mends.set_anew,
        "In the loop `{line}` a value is set anew in every round, and the last one alone is left: add up, with `+=`.",
        report="In a loop a value is set anew in every round, where it must be added up.",
        together=False,
    ),
    Edit(
        "self",
        mends.without_self,
        "A name that is set in `__init__` without `self.` is gone when `__init__` ends.",
    ),
    Edit(
        "out",
        mends.written_into,
        "In `{code}` the last argument is the array that the result is written into: leave it out.",
        report="The last argument of a NumPy function is the array that the result is written into: it must be left "
        "out.",
    ),
)
EVERYDAY = tuple(replace(edit, everyday=True) for edit in _ROWS)
