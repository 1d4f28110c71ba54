"""Exercise: count a published model to the last digit, part by part."""

from whywrong.form import is_finite, is_number, kind_of, nothing_came_back
from whywrong.task import Case, Fault, Inspection, Key, Mistake
from whywrong.todo import holds_todo

PARTS = ("attention", "ffns", "norms", "tables")
D, F, LAYERS, VOCAB, WIDTH = 2048, 5632, 22, 32_000, 64  # WIDTH: of one head, 2048 / 32
_ATTENTION = D * D + 2 * D * 4 * WIDTH + D * D  # query, key and value, output
_FFN = 3 * D * F
RIGHT = {
    "attention": LAYERS * _ATTENTION,
    "ffns": LAYERS * _FFN,
    "norms": (2 * LAYERS + 1) * D,
    "tables": 2 * VOCAB * D,
}

# part -> name -> the wrong number and the sentence that explains it.
_WRONG = {
    "attention": {
        "one-layer": (
            _ATTENTION,
            "Your number is the attention of one layer: the model has 22 of them.",
        ),
        "full": (
            LAYERS * 4 * D * D,
            "You counted keys and values as wide as the queries, but they have 4 heads of width 2048 / 32 = 64, so 256 columns.",
        ),
        "full-one-layer": (
            4 * D * D,
            "You counted one layer, with 32 heads for keys and values: the model has 22 layers, with 4 such heads each.",
        ),
        "one-head": (
            LAYERS * (2 * D * D + 2 * D * WIDTH),
            "You counted one key-value head; there are 4, each 64 wide.",
        ),
        "four-wide": (
            LAYERS * (2 * D * D + 2 * D * 4),
            "Key and value got 4 columns: that is the number of their heads, and each head is 2048 / 32 = 64 wide.",
        ),
        "twice-as-narrow": (
            LAYERS * (2 * D * D + 2 * D * 2 * 4 * WIDTH),
            "Key and value have 512 columns each in your count: 4 heads of width 2048 / 32 = 64 make half of that.",
        ),
        "narrow-squares": (
            LAYERS * (2 * D * D + 2 * (4 * WIDTH) ** 2),
            "Key and value are (256, 256) in your count: they read all 2048 features of a token.",
        ),
        "full-with-biases": (
            LAYERS * (4 * D * D + 4 * D),
            "You counted biases, and keys and values as wide as the queries: here there is no bias, and 4 key-value heads of width 2048 / 32 = 64.",
        ),
        "no-output": (
            LAYERS * (D * D + 2 * D * 4 * WIDTH),
            "One of attention's four projections is missing: query and output are both (2048, 2048).",
        ),
        "one-narrow": (
            LAYERS * (2 * D * D + D * 4 * WIDTH),
            "Half of the narrow part is missing: key and value both count, and each has 4 heads of width 2048 / 32 = 64.",
        ),
        "three-wide": (
            LAYERS * (3 * D * D + D * 4 * WIDTH),
            "Only one of key and value is narrow in your count: both have 4 heads.",
        ),
        "all-narrow": (
            LAYERS * 4 * D * 4 * WIDTH,
            "All four matrices are narrow in your count: query and output keep the full width.",
        ),
        "biases": (
            LAYERS * (_ATTENTION + 2 * D + 2 * 4 * WIDTH),
            "You counted biases in attention; this model has none (bias=False).",
        ),
    },
    "ffns": {
        "one-layer": (_FFN, "Your number is the FFN of one layer: the model has 22 of them."),
        "two-matrices": (LAYERS * 2 * D * F, "SwiGLU is gated: its FFN has one matrix more than the one of 2017."),
        "one-matrix": (LAYERS * D * F, "You counted one matrix of each FFN; a gated one has three."),
        "two-matrices-one-layer": (
            2 * D * F,
            "You counted two matrices in one layer: a gated FFN has three, and there are 22 layers.",
        ),
        "four-times": (
            LAYERS * 3 * D * 4 * D,
            "You took 4 · d_model as the hidden width; here d_ff is 5632.",
        ),
        "biases": (LAYERS * (_FFN + 2 * F + D), "You counted biases in the FFNs; this model has none."),
        "two-biases": (
            LAYERS * (2 * D * F + F + D),
            "That is the FFN of 2017, with two matrices and biases; SwiGLU has three matrices, and here no biases.",
        ),
    },
    "norms": {
        "one-layer": (
            2 * D,
            "Your number is the norms of one layer: there are 22 layers, and one more norm at the end.",
        ),
        "one-layer-and-last": (3 * D, "You counted the norms of one layer and the last one: there are 22 layers."),
        "no-last": (2 * LAYERS * D, "One norm is missing: it stands after the last layer."),
        "one-each": (
            (LAYERS + 1) * D,
            "Each layer has two norms: one before attention, one before the FFN.",
        ),
        "one-each-no-last": (
            LAYERS * D,
            "Each layer has two norms, and one more stands after the last layer; you counted one a layer.",
        ),
        "shift": (
            2 * (2 * LAYERS + 1) * D,
            "An RMSNorm has a gain and no shift: one number for each feature.",
        ),
        "shift-no-last": (
            4 * LAYERS * D,
            "An RMSNorm has a gain and no shift, and one more of them stands after the last layer.",
        ),
        "three-each": (
            3 * LAYERS * D,
            "The last norm occurs once in the model, not once in each layer.",
        ),
        "three-and-last": (
            (3 * LAYERS + 1) * D,
            "Each layer has two norms: one before attention, one before the FFN; you counted three.",
        ),
        "count": (2 * LAYERS + 1, "That is how many norms there are: each has 2048 numbers."),
        "squared": (
            (2 * LAYERS + 1) * D * D,
            "A norm's gain is a vector: one number for each feature, and no matrix.",
        ),
    },
    "tables": {
        "one": (VOCAB * D, "One table of tokens is counted; input and output have a table each."),
        "in-every-layer": (LAYERS * 2 * VOCAB * D, "The tables stand outside the layers: count them once."),
        "vocabulary": (2 * VOCAB, "Each token has a vector in the table: 2048 numbers and not one."),
        "sum-of-sizes": (2 * (VOCAB + D), "A table has rows times columns numbers, not rows plus columns."),
    },
}


def _inspect(answer, case):
    """Return the name of the first mistake in the four counts, or None."""
    counts = _read(answer())
    if counts == tuple(RIGHT.values()):
        return None
    for name, changed in _ALL_OF_THEM.items():
        if counts == tuple(changed(part) for part in RIGHT):
            return name
    if sorted(counts) == sorted(RIGHT.values()):
        return "order"
    for unit, word in ((10**3, "thousands"), (10**6, "millions")):
        if all(abs(count * unit - right) <= unit / 2 for count, right in zip(counts, RIGHT.values(), strict=True)):
            raise Fault(Key.VALUE, f"Your four numbers are in {word}: write them out, to the last digit.")
    for part, count in zip(PARTS, counts, strict=True):
        if count == RIGHT[part]:
            continue
        for name, (wrong, _) in _WRONG[part].items():
            if count == wrong:
                return f"{part}-{name}"
        right = [one for one, number in zip(PARTS, counts, strict=True) if number == RIGHT[one]]
        also = f" ({' and '.join(right)} {'is' if len(right) == 1 else 'are'} right)" if right else ""
        way = "large" if count > RIGHT[part] else "small"
        counted, rest = divmod(count, _EACH[part][0])
        if not rest and counted > 0:
            raise Fault(Key.VALUE, f"Your `{part}` is too {way}{also}: {_EACH[part][1].format(f'{counted:,.0f}')}")
        raise Fault(Key.VALUE, f"Your `{part}` is too {way}{also}. {_SHAPES[part]}")
    return None


_SHAPES = {
    "attention": "Write down the shapes in one layer: query, key, value, output. How wide is one head, and how many are there?",
    "ffns": "Write down the shapes in one layer: gate, up, down. Then count the layers.",
    "norms": "Count the norms of the whole model, and the numbers in one of them.",
    "tables": "Write down the shape of one table, and count the tables.",
}
_EACH = {
    "attention": (_ATTENTION, "it is {} times that of one layer. How many layers are there?"),
    "ffns": (_FFN, "it is {} times that of one layer. How many layers are there?"),
    "norms": (D, "it makes {} gains of 2048 numbers. Count the norms of all layers, and the last one."),
    "tables": (D, "it makes {} rows of 2048 numbers. Count the tokens, and the tables."),
}
_ALL_OF_THEM = {
    "in-millions": lambda part: RIGHT[part] / 1e6,
    "in-billions": lambda part: RIGHT[part] / 1e9,
    "one-layer-everywhere": lambda part: {"attention": _ATTENTION, "ffns": _FFN, "norms": 2 * D}.get(part, RIGHT[part]),
}


def _read(counts):
    if counts is None:
        raise nothing_came_back()
    if holds_todo(counts):
        raise Fault(Key.TODO, "There is still a TODO in what your function returns: replace it, then check again.")
    if is_number(counts):
        raise Fault(
            Key.TYPE, f"Return four numbers, ({', '.join(PARTS)}): your function returned one, so no part shows."
        )
    if isinstance(counts, dict):
        counts = counts.values()
    try:
        counts = list(counts)
    except TypeError:
        raise Fault(Key.TYPE, f"Return four numbers, ({', '.join(PARTS)}), but it is {kind_of(counts)}.") from None
    if len(counts) != len(PARTS):
        raise Fault(Key.TYPE, f"Return four numbers, ({', '.join(PARTS)}): your function returned {len(counts)}.")
    for part, count in zip(PARTS, counts, strict=True):
        if not is_number(count):
            raise Fault(Key.TYPE, f"Your `{part}` must be a number, but it is {kind_of(count)}.")
        if not is_finite(count):
            raise Fault(Key.NAN, f"Your `{part}` is not a finite number.")
    return tuple(float(count) for count in counts)


def _with(part, number):
    """Make an answer whose other parts are right."""
    return lambda: tuple({**RIGHT, part: number}.values())


EXERCISE = Inspection(
    id="parameter_share.tiny_llama",
    kind="function",
    cases=lambda rng: [Case()],
    inspect=_inspect,
    mistakes=(
        *(
            Mistake(f"{part}-{name}", _with(part, number), f"In `{part}`: {says}")
            for part, wrong in _WRONG.items()
            for name, (number, says) in wrong.items()
        ),
        Mistake(
            "in-millions",
            lambda: tuple(n / 1e6 for n in RIGHT.values()),
            "The digits are right; give whole numbers and not millions.",
        ),
        Mistake(
            "in-billions",
            lambda: tuple(n / 1e9 for n in RIGHT.values()),
            "The digits are right; give whole numbers and not billions.",
        ),
        Mistake(
            "one-layer-everywhere",
            lambda: (_ATTENTION, _FFN, 2 * D, RIGHT["tables"]),
            "One layer is right, and so are the tables. Now count all 22 layers, and the norm after the last one.",
        ),
        Mistake(
            "order",
            lambda: tuple(RIGHT[part] for part in ("ffns", "attention", "norms", "tables")),
            "All four numbers are right, but they stand in another order: attention, ffns, norms, tables.",
        ),
    ),
    hints=(
        "Count one layer: attention, FFN, two norms. Then multiply by the layers, and add what stands outside them.",
        "A head is 2048 / 32 = 64 wide. Query and output are (2048, 2048), key and value (2048, 4 · 64); gate, up and down have 2048 · 5632 numbers each.",
        "Start with: d_model, layers = 2048, 22, then ffns = layers * … and norms = … * d_model.",
    ),
    right="Every part is right, and together they are 1,100,048,384: you counted a model that is not in the table, to the last digit.",
    may_use=("attention_parameters", "gated_parameters", "layer_norm_parameters", "count_parameters"),
)
