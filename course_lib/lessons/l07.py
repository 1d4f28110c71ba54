"""Lesson 07: inside the block."""

import numpy as np

from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question

# --- Predictions

INPUT = guess(
    "block.predict_input",
    "norm",
    {
        "attention": "That leaves out the residual: what attention returns is added to the stream before anything else happens.",
        "sum": "Close: the sum is what the stream holds, but one more step stands between it and the FFN.",
        "x": "Then the FFN could not use what attention has gathered; look at the order of the steps again.",
    },
    "The FFN reads the normalised sum of the tokens and what attention added to them, in both orders.",
    (
        "Follow the main line of the drawing from left to right, and stop at the box of the FFN.",
        "All of the four have the shape (seq_len, d_model), so the shape does not decide it.",
        "Your answer is one of the words 'x', 'attention', 'sum' and 'norm'.",
    ),
)

COPY = guess(
    "block.predict_copy",
    0.25,
    {
        0: "The FFN of the last token sees the last token only: the bit it should copy never gets there.",
        0.5: "That is what it should answer, not the error: answering ½ where the target is 0 or 1 gives a square of …?",
        1: "An error of 1 means being wrong every time; a constant answer between 0 and 1 does better.",
        0.125: "Half of the answers cannot be right by knowledge: the bit is unknown in every sequence.",
    },
    "Nothing about position 1 reaches the last token, so the best answer is ½, with an error of (½)².",
    (
        "Which tokens does the FFN of the last token see?",
        "The targets are 0 and 1, equally often, and the answer is one number for each sequence.",
        "If you can only answer the same number every time, which one gives the least squared error, and how much?",
    ),
)

LINEAR = guess(
    "block.predict_linear",
    1,
    {
        0: "One of the tasks needs no bend at all: a weighted sum of the right token is enough.",
        2: "One is solved, but which second one? Both XORs need a bend, wherever their bits come from.",
        3: "Without a bend the whole block is one affine map of the three tokens it reads, and no affine map is XOR.",
    },
    "It copies. Without a bend the block is affine, however many parameters it has, and both XORs stay at 1/4.",
    (
        "Lesson 01: what do several linear layers in a row come to?",
        "With frozen weights the block is a function of three tokens of 2 bits; is it affine?",
        "Go through the tasks one by one, and ask of each: could one affine map do it?",
    ),
)

HEADS = guess(
    "block.predict_heads",
    "two",
    {
        "one": "With one head the answer is one weighted mean, and a weighted mean cannot put XOR on two sides of any threshold.",
        "never": "This was true while the weights were frozen. Learned weights come from a softmax, and a softmax bends.",
    },
    "The softmax is a non-linearity too: one head is not enough, and two are.",
    (
        "What bends in attention, once its weights are computed from the tokens?",
        "One head gives the last token one weighted mean of values; several heads give a sum of such means.",
        "Your answer is one of the words 'one', 'two' and 'never'.",
    ),
)

COLLAPSE = guess(
    "block.predict_collapse",
    "none",
    {
        "most": "Every layer replaces each token by a weighted mean of all tokens: what does a mean of means look like?",
        "half": "It shrinks much faster: each layer mixes all tokens, and nothing brings the old ones back.",
        "tenth": "That is about one layer's work; the next layers start from tokens that are already alike.",
    },
    "After a few layers all tokens are the same vector: weighted means of weighted means, and nothing that keeps the token.",
    (
        "Each output of attention is a weighted mean of values, so it lies between them.",
        "Think of six colours of paint: mix all six cups into each other, and do it again.",
        "Your answer is one of the words 'most', 'half', 'tenth' and 'none'.",
    ),
)

# --- block.pre_norm and block.post_norm


class _Attention:
    """One head of self-attention over the second last axis, (..., seq_len, d_model) to the same shape."""

    def __init__(self, rng, d):
        self.Q, self.K, self.V, self.O = rng.normal(size=(4, d, d)) / d**0.5
        self.b = rng.normal(size=d)

    def __call__(self, x):
        scores = (x @ self.Q) @ np.swapaxes(x @ self.K, -1, -2) / len(self.b) ** 0.5
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True) @ (x @ self.V) @ self.O + self.b


class _FFN:
    """A feed-forward network with ReLU."""

    def __init__(self, rng, d):
        self.W1, self.W2 = rng.normal(size=(d, 4 * d)), rng.normal(size=(4 * d, d)) / d
        self.b1, self.b2 = rng.normal(size=4 * d), rng.normal(size=d)

    def __call__(self, x):
        return np.maximum(x @ self.W1 + self.b1, 0) @ self.W2 + self.b2


class _Norm:
    """A layer norm with a gain and a shift of its own."""

    def __init__(self, rng, d):
        self.gain, self.shift = 1 + 0.5 * rng.uniform(size=d), rng.normal(size=d)

    def __call__(self, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * self.gain + self.shift


def _cases(rng):
    cases = []
    for shape in ((3, 5), (2, 3, 7)):
        d = shape[-1]
        parts = (_Attention(rng, d), _FFN(rng, d), _Norm(rng, d), _Norm(rng, d))
        sizes = dict(zip(("d_model", "seq_len", "batch"), reversed(shape), strict=False))
        cases.append(Case((rng.normal(size=shape), *parts), sizes))
    return cases


def _pre(x, attention, ffn, norm1, norm2):
    """Keep a list of all that was ever written into the stream; every sub-layer reads its normalised sum."""
    stream = [x]
    for sub_layer, norm in ((attention, norm1), (ffn, norm2)):
        stream.append(sub_layer(norm(np.sum(stream, axis=0))))
    return np.sum(stream, axis=0)


def _post(x, attention, ffn, norm1, norm2):
    """Go from sub-layer to sub-layer; the norm reads the sum of what went in and what came out."""
    for sub_layer, norm in ((attention, norm1), (ffn, norm2)):
        x = norm(np.sum([x, sub_layer(x)], axis=0))
    return x


def _steps(*lines):
    """Make a wrong block from lines of code; the last one is its result."""
    body = "\n".join(f"    {line}" for line in lines[:-1])
    scope = {"np": np}
    exec(f"def block(x, attention, ffn, norm1, norm2):\n{body}\n    return {lines[-1]}", scope)
    return scope["block"]


_AXES = ("...", "seq_len", "d_model")

PRE_NORM = Exercise(
    id="block.pre_norm",
    kind="function",
    cases=_cases,
    oracle=_pre,
    returns=(Returns("the result", _AXES),),
    mistakes=(
        Mistake(
            "post-norm",
            _steps("h = norm1(x + attention(x))", "norm2(h + ffn(h))"),
            "This is post-norm, the order of 2017: it normalises after adding. Pre-norm is asked.",
        ),
        Mistake(
            "parallel",
            _steps("x + attention(norm1(x)) + ffn(norm2(x))"),
            "Attention and FFN both read x, side by side. (Some models do that.) Here the FFN reads what attention left behind.",
        ),
        Mistake(
            "no-attention-residual",
            _steps("h = attention(norm1(x))", "h + ffn(norm2(h))"),
            "The residual around attention is missing: the tokens themselves are gone after the first step.",
        ),
        Mistake(
            "no-ffn-residual",
            _steps("h = x + attention(norm1(x))", "ffn(norm2(h))"),
            "The residual around the FFN is missing: only what the FFN writes comes out.",
        ),
        Mistake(
            "no-residuals",
            _steps("ffn(norm2(attention(norm1(x))))"),
            "Both residuals are missing: each sub-layer replaces the tokens, where it should add to them.",
        ),
        Mistake(
            "second-residual-x",
            _steps("h = x + attention(norm1(x))", "x + ffn(norm2(h))"),
            "The second residual adds the block's input again; what attention wrote is lost from the stream.",
        ),
        Mistake(
            "norm1-twice",
            _steps("h = x + attention(norm1(x))", "h + ffn(norm1(h))"),
            "norm1 stands before the FFN too: each sub-layer has a norm of its own.",
        ),
        Mistake(
            "norm2-twice",
            _steps("h = x + attention(norm2(x))", "h + ffn(norm2(h))"),
            "norm2 stands before attention too: each sub-layer has a norm of its own.",
        ),
        Mistake(
            "norms-swapped",
            _steps("h = x + attention(norm2(x))", "h + ffn(norm1(h))"),
            "The two norms have changed places.",
        ),
        Mistake(
            "no-norm2",
            _steps("h = x + attention(norm1(x))", "h + ffn(h)"),
            "The FFN reads the stream as it is: its norm is missing.",
        ),
        Mistake(
            "no-norm1",
            _steps("h = x + attention(x)", "h + ffn(norm2(h))"),
            "Attention reads the stream as it is: its norm is missing.",
        ),
        Mistake(
            "no-norms",
            _steps("h = x + attention(x)", "h + ffn(h)"),
            "Both norms are missing; the two residuals are right.",
        ),
        Mistake(
            "residual-normalised",
            _steps("n = norm1(x)", "h = n + attention(n)", "m = norm2(h)", "m + ffn(m)"),
            "The residual carries the normalised tokens: only the sub-layer reads them, and the stream stays as it is.",
        ),
        Mistake(
            "first-residual-normalised",
            _steps("n = norm1(x)", "h = n + attention(n)", "h + ffn(norm2(h))"),
            "The first residual carries norm1(x): the norm belongs inside the branch, and the stream skips it.",
        ),
        Mistake(
            "second-residual-normalised",
            _steps("h = x + attention(norm1(x))", "m = norm2(h)", "m + ffn(m)"),
            "The second residual carries the normalised tokens: the norm belongs inside the branch, and the stream skips it.",
        ),
        Mistake(
            "norm-after-sub-layer",
            _steps("h = x + norm1(attention(x))", "h + norm2(ffn(h))"),
            "The norms stand after the sub-layers, inside the branch; in pre-norm they stand before them.",
        ),
        Mistake(
            "final-norm",
            _steps("h = x + attention(norm1(x))", "norm2(h + ffn(norm2(h)))"),
            "There is one norm too many at the end: the block returns the plain stream.",
        ),
        Mistake(
            "ffn-first",
            _steps("h = x + ffn(norm2(x))", "h + attention(norm1(h))"),
            "The FFN comes before attention: first gather, then compute.",
        ),
        Mistake(
            "no-ffn",
            _steps("x + attention(norm1(x))"),
            "The second half is missing: the block ends before its FFN.",
        ),
        Mistake(
            "no-attention",
            _steps("x + ffn(norm2(x))"),
            "The first half is missing: the tokens never look at each other.",
        ),
        Mistake(
            "attention-twice",
            _steps("h = x + attention(norm1(x))", "h + attention(norm2(h))"),
            "Attention is called in both halves: where is the FFN?",
        ),
        Mistake(
            "subtracted",
            _steps("h = x - attention(norm1(x))", "h - ffn(norm2(h))"),
            "The sub-layers are subtracted from the stream; they are added to it.",
        ),
        Mistake(
            "x-twice",
            _steps("h = x + attention(norm1(x))", "x + h + ffn(norm2(h))"),
            "The block's input is counted twice: after the first half it is already in the stream.",
        ),
        Mistake(
            "unchanged",
            _steps("x + 0"),
            "The tokens come out as they went in.",
        ),
    ),
    hints=(
        "Two halves of the same form: a sub-layer reads a normalised copy of the stream, and its output is added to the stream.",
        "Every array here has the shape of x, (..., seq_len, d_model); nothing is transposed or reshaped.",
        "The first line is a = x + attention(norm1(x)); the second half has the same form.",
    ),
    right="Read a normalised copy, add to the plain stream, twice: that is the block of today's models.",
)

POST_NORM = Exercise(
    id="block.post_norm",
    kind="function",
    cases=_cases,
    oracle=_post,
    returns=(Returns("the result", _AXES),),
    mistakes=(
        Mistake(
            "pre-norm",
            _steps("h = x + attention(norm1(x))", "h + ffn(norm2(h))"),
            "This is pre-norm, which normalises before each sub-layer. Post-norm is asked.",
        ),
        Mistake(
            "norm-before-adding",
            _steps("h = x + norm1(attention(x))", "h + norm2(ffn(h))"),
            "You normalise what the sub-layer gives and add then; post-norm adds first and normalises the sum.",
        ),
        Mistake(
            "no-attention-residual",
            _steps("h = norm1(attention(x))", "norm2(h + ffn(h))"),
            "The residual around attention is missing: the tokens themselves are gone after the first step.",
        ),
        Mistake(
            "no-ffn-residual",
            _steps("h = norm1(x + attention(x))", "norm2(ffn(h))"),
            "The residual around the FFN is missing: only what the FFN writes is normalised at the end.",
        ),
        Mistake(
            "no-residuals",
            _steps("norm2(ffn(norm1(attention(x))))"),
            "Both residuals are missing: each sub-layer replaces the tokens, where it should add to them.",
        ),
        Mistake(
            "no-norm1",
            _steps("h = x + attention(x)", "norm2(h + ffn(h))"),
            "The norm after attention is missing.",
        ),
        Mistake(
            "no-norm2",
            _steps("h = norm1(x + attention(x))", "h + ffn(h)"),
            "The norm at the end of the block is missing.",
        ),
        Mistake(
            "no-norms",
            _steps("h = x + attention(x)", "h + ffn(h)"),
            "Both norms are missing; the two residuals are right.",
        ),
        Mistake(
            "norm1-twice",
            _steps("h = norm1(x + attention(x))", "norm1(h + ffn(h))"),
            "norm1 stands at the end too: each half has a norm of its own.",
        ),
        Mistake(
            "norm2-twice",
            _steps("h = norm2(x + attention(x))", "norm2(h + ffn(h))"),
            "norm2 stands after attention too: each half has a norm of its own.",
        ),
        Mistake(
            "norms-swapped",
            _steps("h = norm2(x + attention(x))", "norm1(h + ffn(h))"),
            "The two norms have changed places.",
        ),
        Mistake(
            "second-residual-x",
            _steps("h = norm1(x + attention(x))", "norm2(x + ffn(h))"),
            "The second residual adds the block's input; it should add what the first half has left.",
        ),
        Mistake(
            "parallel",
            _steps("norm2(x + attention(x) + ffn(x))"),
            "Attention and FFN both read x, side by side; the FFN should read what the first half has left.",
        ),
        Mistake(
            "unnormalised-residual",
            _steps("h = x + attention(x)", "norm2(h + ffn(norm1(h)))"),
            "The norm after attention feeds the FFN only; in post-norm it stands on the stream, so the residual passes it too.",
        ),
        Mistake(
            "both",
            _steps("h = norm1(x + attention(norm1(x)))", "norm2(h + ffn(norm2(h)))"),
            "You normalise before and after each sub-layer; post-norm has only the norm after.",
        ),
        Mistake(
            "ffn-first",
            _steps("h = norm2(x + ffn(x))", "norm1(h + attention(h))"),
            "The FFN comes before attention: first gather, then compute.",
        ),
        Mistake(
            "no-ffn",
            _steps("norm1(x + attention(x))"),
            "The second half is missing: the block ends before its FFN.",
        ),
        Mistake(
            "no-attention",
            _steps("norm2(x + ffn(x))"),
            "The first half is missing: the tokens never look at each other.",
        ),
        Mistake(
            "attention-twice",
            _steps("h = norm1(x + attention(x))", "norm2(h + attention(h))"),
            "Attention is called in both halves: where is the FFN?",
        ),
        Mistake(
            "subtracted",
            _steps("h = norm1(x - attention(x))", "norm2(h - ffn(h))"),
            "The sub-layers are subtracted from the stream; they are added to it.",
        ),
        Mistake(
            "ffn-reads-x",
            _steps("h = norm1(x + attention(x))", "norm2(h + ffn(x))"),
            "The residual is right, but the FFN reads the block's input, where nothing has been gathered yet.",
        ),
    ),
    hints=(
        "Two halves of the same form: a sub-layer reads the stream, its output is added, and the sum is normalised.",
        "Every array here has the shape of x, (..., seq_len, d_model); nothing is transposed or reshaped.",
        "The first line is a = norm1(x + attention(x)); the second half has the same form.",
    ),
    right="Add, then normalise, twice: that is the block of 2017.",
)

# --- block.repair

_A = ("a = x + attention(norm1(x))", "a = a + ffn(norm2(a))")
_B = ("b = x.copy()", "for _ in range(2):", "    b += attention(norm1(b))", "    b += ffn(norm2(b))")
_C = ("c = norm1(x + attention(x))", "c = norm2(c + ffn(c))")
_A_BROKEN = ("a = norm1(x) + attention(norm1(x))", _A[1])
_C_BROKEN = (_C[0], "c = norm2(x + ffn(c))")


def _repaired(a=_A, b=_B, c=_C):
    return _steps(*a, *b, *c, "a, b, c")


REPAIR = Exercise(
    id="block.repair",
    kind="function",
    cases=_cases,
    oracle=lambda x, attention, ffn, norm1, norm2: (
        _pre(x, attention, ffn, norm1, norm2),
        _pre(_pre(x, attention, ffn, norm1, norm2), attention, ffn, norm1, norm2),
        _post(x, attention, ffn, norm1, norm2),
    ),
    returns=(Returns("a", _AXES), Returns("b", _AXES), Returns("c", _AXES)),
    mistakes=(
        Mistake(
            "a-and-c-broken",
            _repaired(a=_A_BROKEN, c=_C_BROKEN),
            "B is repaired; A and C still run the broken lines.",
        ),
        Mistake(
            "a-broken",
            _repaired(a=_A_BROKEN),
            "B and C are right. In A the norm stands on the stream, so the residual loses the size of the tokens.",
        ),
        Mistake(
            "c-broken",
            _repaired(c=_C_BROKEN),
            "A and B are right. In C the second residual still goes around attention.",
        ),
        Mistake(
            "a-without-norm",
            _repaired(a=("a = x + attention(x)", _A[1])),
            "B and C are right. In A the norm is gone altogether: attention still has to read normalised tokens.",
        ),
        Mistake(
            "a-without-residual",
            _repaired(a=("a = attention(norm1(x))", _A[1])),
            "B and C are right. In A the first residual is gone.",
        ),
        Mistake(
            "a-post-norm",
            _repaired(a=("a = norm1(x + attention(x))", _A[1])),
            "B and C are right. A became half a post-norm block: its norm belongs before attention.",
        ),
        Mistake(
            "a-norm-after",
            _repaired(a=("a = x + norm1(attention(x))", _A[1])),
            "B and C are right. In A the norm stands after attention; in pre-norm it stands before.",
        ),
        Mistake(
            "b-from-zero",
            _repaired(b=("b = np.zeros_like(x)", *_B[1:])),
            "A and C are right. B leaves x alone now, but it no longer starts from its values.",
        ),
        Mistake(
            "b-normalised",
            _repaired(b=("b = norm1(x)", *_B[1:])),
            "A and C are right. B leaves x alone now, but it starts from normalised tokens.",
        ),
        Mistake(
            "b-doubled",
            _repaired(b=("b = x + x", *_B[1:])),
            "A and C are right. B leaves x alone now, but it starts from twice its values.",
        ),
        Mistake(
            "c-without-residual",
            _repaired(c=(_C[0], "c = norm2(ffn(c))")),
            "A and B are right. In C the second residual is gone; it should start from what the first half has left.",
        ),
        Mistake(
            "c-without-norm",
            _repaired(c=(_C[0], "c = c + ffn(c)")),
            "A and B are right. In C the residual is repaired, but the norm at the end got lost.",
        ),
        Mistake(
            "c-pre-norm",
            _repaired(c=(_C[0], "c = c + ffn(norm2(c))")),
            "A and B are right. The second half of C became pre-norm; C is a post-norm block.",
        ),
        Mistake(
            "c-wrong-norm",
            _repaired(c=(_C[0], "c = norm1(c + ffn(c))")),
            "A and B are right. The second half of C uses the norm of the first half.",
        ),
        Mistake(
            "c-reads-x",
            _repaired(c=(_C[0], "c = norm2(c + ffn(x))")),
            "A and B are right. In C the residual is repaired, but now the FFN reads the block's input.",
        ),
        Mistake(
            "c-adds-x",
            _repaired(c=(_C[0], "c = norm2(x + c + ffn(c))")),
            "A and B are right. In C the block's input is added once more; it is already part of c.",
        ),
    ),
    hints=(
        "Each symptom points to one line. Ask of every line: what is on the stream, what does the sub-layer read, whose array is it?",
        "All shapes are right already, (..., seq_len, d_model) everywhere; the faults are in what is added to what.",
        "Start with B: in NumPy b = x gives the same array a second name, and b += … writes into it.",
    ),
    right="A residual that carries the plain stream, a block that leaves its input alone, and a second residual from the right place.",
)

# --- Quiz

QUESTIONS = (
    Question(
        "block.quiz-1",
        "In a pre-norm block, what is the input of the FFN?",
        (
            Option(
                "The output of attention, as it leaves the last projection.",
                "Attention's output is first added to the stream; its tokens would otherwise be lost.",
            ),
            Option(
                "The normalised residual stream.",
                "The stream already holds the tokens and what attention added; the norm reads both.",
                True,
            ),
            Option("The block's input, as attention got it.", "Then the FFN could not use anything that was gathered."),
        ),
    ),
    Question(
        "block.quiz-2",
        "With frozen attention weights, a block with a linear FFN fails at XOR. Would a ten times wider linear FFN help?",
        (
            Option("No: the block stays affine.", "Width adds numbers, not bends; the error stays at its bound.", True),
            Option(
                "Yes: more parameters can always store four cases.",
                "The product of its two matrices is one small matrix, however wide the layer between them is.",
            ),
            Option("Yes, with more steps.", "The bound 1/4 holds for every affine map, however it was found."),
        ),
    ),
    Question(
        "block.quiz-3",
        "Which sentence does this lesson support?",
        (
            Option(
                "Only FFNs can compute XOR inside a transformer.",
                "Two heads of learned attention did it without any FFN, from most starts.",
            ),
            Option(
                "Attention is linear, so it cannot compute anything.",
                "It is linear in the values once its weights are fixed; the weights come from a softmax of the tokens.",
            ),
            Option(
                "At frozen weights, the bend comes from the FFN.",
                "That is what the first experiment shows, and no more than that.",
                True,
            ),
        ),
    ),
    Question(
        "block.quiz-4",
        "What happens to tokens in a deep stack of attention without residual connections?",
        (
            Option(
                "They become alike, at a fast rate.",
                "Each layer makes weighted means; with random weights little is left after four layers.",
                True,
            ),
            Option(
                "They grow until a number overflows.",
                "A weighted mean is not larger than the largest of its parts; the random projections shrink it further.",
            ),
            Option("Nothing, as long as the weights are random.", "The stacks in section 4 had random weights."),
        ),
    ),
    Question(
        "block.quiz-5",
        "A pre-norm model needs one thing after its last block that a post-norm model has already. Which?",
        (
            Option(
                "A second FFN that is shared between all of the positions.",
                "Every block's FFN is shared between positions already.",
            ),
            Option(
                "A residual connection from the first block to the last.",
                "The stream is that connection: nothing in pre-norm interrupts it.",
            ),
            Option("A dropout layer.", "Dropout acts inside the blocks, while training, in both orders."),
            Option(
                "A norm.",
                "In pre-norm the stream itself is never normalised, so a final norm stands before the output layer.",
                True,
            ),
        ),
    ),
)

LESSON = Lesson(
    number=7,
    topic="block",
    title="Inside the block",
    exercises=(INPUT, COPY, LINEAR, HEADS, COLLAPSE, PRE_NORM, POST_NORM, REPAIR),
    questions=QUESTIONS,
)
