"""Every small edit that may be what a wrong answer needs: one table, in the order in which they are tried."""

from whywrong import mends
from whywrong.code import PLACE, Edit
from whywrong.everyday import EVERYDAY
from whywrong.rules import rules

OPPOSITES = ("min", "max"), ("minimum", "maximum"), ("amin", "amax"), ("argmin", "argmax"), ("any", "all")

EDITS = (
    *EVERYDAY,
    Edit(
        "whole-rows",
        mends.entries,
        "`{code}` takes whole rows: for entries NumPy needs rows and columns, as in `x[np.arange(n)[:, None], "
        "columns]`; or go row by row.",
        report="Whole rows are taken where entries are needed: NumPy wants rows and columns for these.",
    ),
    Edit(
        "column",
        mends.column,
        "`{code}` is a row; a column is `x[:, i]`, and `x[:, [i]]` keeps it one.",
        report="A row stands where a column is needed: `x[:, [i]]` and `keepdims=True` keep it one.",
        together=False,
    ),
    Edit(
        "end",
        mends.other_slice(turned=True),
        "The wrong end is taken in `{line}`: which entries are the first ones there, which the last?",
        report="The wrong end of an array is taken, as with `x[:k]` in place of `x[-k:]`.",
    ),
    Edit(
        "end",
        mends.other_slice(turned=False),
        "The wrong part is taken in `{line}`: what does `:k` leave, and what `:-k`?",
    ),
    Edit(
        "sign",
        rules("a + b <-> a - b"),
        "All is right but for one sign: look at `{code}`.",
        report="All is right but for one sign.",
        together=False,
    ),
    Edit(
        "minus",
        rules("-a -> a"),
        "All is right but for one minus: look at `{code}`.",
        report="A minus is too much.",
        together=False,
    ),
    Edit(
        "too-much",
        rules("a + b -> a | b", "a - b -> a", "a * b -> a | b", "a / b -> a", "a ** b -> a"),
        "All is right but for one part that is too much: look at `{code}`.",
        report="One part of a formula is too much.",
        together=False,
    ),
    Edit(
        "call-too-much",
        mends.call_too_much,
        "All is right but for one call that is too much: look at `{code}`.",
        report="One call is too much.",
        together=False,
    ),
    Edit(
        "matrix-product",
        rules("a * b -> a @ b"),
        "`*` multiplies value by value, and `@` is the matrix product: look at `{code}`.",
        report="`*` multiplies value by value, where the matrix product `@` is needed.",
    ),
    Edit(
        "value-by-value",
        rules("a @ b -> a * b"),
        "`@` is the matrix product, and `*` multiplies value by value: look at `{code}`.",
        report="`@` is the matrix product, where `*` is needed, value by value.",
    ),
    Edit(
        "order",
        rules("a @ b -> b @ a"),
        "The factors of a matrix product stand in the wrong order: look at `{code}`.",
        report="The two sides of an operation stand in the wrong order.",
    ),
    Edit(
        "order",
        rules("a - b -> b - a", "a / b -> b / a"),
        "The two sides of `{code}` stand in the wrong order.",
        together=False,
    ),
    Edit(
        "transpose",
        rules("a.T -> a"),
        "One transpose is too much: look at `{code}`.",
        report="A transpose is missing, or one is too much.",
        together=False,
    ),
    Edit(
        "transposes",
        rules("a.T -> a"),
        "The transposes are too many, that in `{code}` and the others: each matrix fits as it is.",
        report="Several transposes are too many.",
    ),
    Edit("transpose", mends.transpose_missing, "A transpose is missing: look at `{code}`."),
    Edit(
        "divided",
        rules("a / b -> a * b"),
        "All is right but for one quotient, where a product is needed: look at `{code}`.",
        report="A quotient stands where a product is needed.",
        together=False,
    ),
    Edit(
        "multiplied",
        rules(
            "a * b * c -> a * _slip_power(b, c) | a * b / c | a * b + c | _slip_power(a * b, c)",
            "a * b -> a / b | a + b | _slip_power(a, b)",
        ),
        "All is right but for one product: look at `{code}`.",
        report="A product stands where something else is needed.",
        together=False,
    ),
    Edit(
        "added",
        rules("a + b -> a * b"),
        "All is right but for one sum: look at `{code}`.",
        report="A sum stands where a product is needed.",
        together=False,
    ),
    Edit(
        "power",
        rules("a ** b -> a * b"),
        "All is right but for one power: look at `{code}`.",
        report="A power stands where a product is needed.",
        together=False,
    ),
    Edit(
        "power-brackets",
        rules(
            *(f"a {by} b ** c -> (a {by} b) ** c" for by in ("*", "/", "//", "@")),
            *(f"a ** b {by} c -> a ** (b {by} c)" for by in ("*", "/", "//", "@")),
            "-a ** b -> (-a) ** b",
        ),
        "Brackets are missing: in `{code}` Python computes the power first.",
        report="Brackets are missing: Python computes the power first.",
        together=False,
    ),
    Edit(
        "power-of-part",
        rules("(a * b) ** c -> a ** c * b | a * b ** c", "(a / b) ** c -> a ** c / b | a / b ** c"),
        "The power is taken of too much: look at `{code}`.",
        report="The power is taken of too much.",
        together=False,
    ),
    Edit(
        "axis",
        mends.other_axis,
        "All is right but for the axis: along which one does `{code}` go?",
        report="All is right but for the axis.",
    ),
    Edit(
        "direction",
        rules("a < b <-> a > b", "a <= b <-> a >= b"),
        "The comparison `{code}` is the wrong way round.",
        report="A comparison is the wrong way round.",
        together=False,
    ),
    Edit(
        "negated",
        rules("a == b <-> a != b", "a is b <-> a is not b"),
        "All is right but for one word: look at `{code}`.",
        report="A comparison says the opposite, such as `==` for `!=`.",
        together=False,
    ),
    Edit(
        "border",
        rules("a < b <-> a <= b", "a > b <-> a >= b"),
        "All is right but for the border: what does `{code}` say when both sides are equal?",
        report="A comparison is wrong where both sides are equal.",
        together=False,
    ),
    Edit(
        "opposite",
        rules(*(f"{of}{one}(*a, **k) <-> {of}{other}(*a, **k)" for one, other in OPPOSITES for of in ("", "x."))),
        "All is right but for one word: does `{code}` say what you mean, or its opposite?",
        report="All is right but for one word that means the opposite, such as `min` for `max`.",
        together=False,
    ),
    Edit(
        "sum-or-mean",
        rules("x.sum(*a, **k) <-> x.mean(*a, **k)"),
        "All is right but for one word: a sum and a mean are not the same, in `{code}`.",
        report="A sum stands where a mean is needed, or a mean where a sum is.",
        together=False,
    ),
    Edit(
        "branches",
        mends.branches,
        "The two cases are swapped: turn the condition round in `{line}`, or let the two change places.",
        report="The two cases of a condition are swapped.",
        together=False,
    ),
    Edit(
        "bounds",
        rules(
            "range(a) -> range(1, a) | range(-1, a) | range(0, a + 1) | range(0, a - 1)",
            "range(a, b) -> range(a + 1, b) | range(a - 1, b) | range(a, b + 1) | range(a, b - 1)",
        ),
        "All is right but for one step of the loop: where does `{code}` begin, and where does it end?",
        report="A loop begins or ends one step off.",
        together=False,
    ),
    Edit(
        "exponential",
        rules("x.exp2(a) -> x.exp(a)", "x.log2(a) -> x.log(a)", "x.log10(a) -> x.log(a)"),
        "All is right but for the base of `{code}`: `exp` and `log` have the base e.",
        report="Another base than e was taken: `exp` and `log` have the base e.",
    ),
    Edit(
        "function",
        mends.other_function,
        "All is right but for one function: look at `{code}`.",
        report="All is right but for one function, such as `tanh` in place of `erf`.",
        together=False,
    ),
    Edit(
        "name",
        mends.other_name,
        "All is right but for one name: look at the {which}`{code}` in `{line}`.",
        report="All is right but for one name: another variable is meant.",
        together=False,
    ),
    Edit(
        "number",
        mends.other_number,
        "All is right but for one number: look at the {which}`{code}` in `{line}`.",
        report="All is right but for one number.",
        together=False,
        without_inputs=True,
    ),
    Edit(
        "minus-missing",
        rules("f(a, **k) -> f(-a, **k)", "a % b -> -a % b", "a // b -> -a // b", "a ** b -> (-a) ** b"),
        "All is right but for a minus that is missing: look at `{code}`.",
        report="A minus is missing.",
        together=False,
    ),
    Edit(
        "square-missing",
        mends.square_missing,
        "All is right but for one square that is missing: look at the {which}`{code}` in `{line}`.",
        report="A square is missing.",
        together=False,
    ),
    Edit(
        "factor-missing",
        mends.factor_missing,
        "All is right but for one factor or divisor that is missing: look at the {which}`{code}` in `{line}`.",
        report="A factor or a divisor is missing.",
        together=False,
    ),
    Edit(
        "names-swapped",
        mends.names_swapped,
        "All would be right if two of the parameters changed places throughout: look where each of them stands.",
        together=False,
    ),
    PLACE,
)

_FIRST = {edit.name: edit for edit in reversed(EDITS)}
CARET, MATH, BOOL_MEAN = (_FIRST[name] for name in ("caret", "math", "bool-mean"))  # errors show them as well
