"""Lesson 09: the review."""

import numpy as np

from course_lib.exercises import sandbox
from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Fault, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question
from course_lib.exercises.todo import holds_todo

# --- True, half true or false?

_JUDGEMENTS = ("true", "half", "false")


def _judged(claims):
    """Make the `run` of a round of claims: the first judgement that is not right, as "B-true", or "settled"."""
    letters = ", ".join(claims)

    def run(answer, case):
        if answer is None:
            return None
        if isinstance(answer, str):  # the words in order, without letters
            words = answer.split()
            if len(words) != len(claims):
                raise Fault("value", f"There are {len(claims)} claims: judge each of {letters}.")
            answer = dict(zip(claims, words, strict=True))
        if not isinstance(answer, dict):
            raise Fault("type", f"Keep the form of the cell: a dict with a judgement for each of {letters}.")
        for letter, (right, _) in claims.items():
            word = _word(letter, answer)
            if word != right:
                return f"{letter}-{word}"
        return "settled"

    return run


def _word(letter, answer):
    if letter not in answer:
        raise Fault("value", f"Claim {letter} is missing: judge it too.")
    given = answer[letter]
    if isinstance(given, (bool, np.bool_)):
        return "true" if given else "false"
    if not isinstance(given, str):
        raise Fault("type", f"The judgement of claim {letter} must be a word in quotes.")
    word = str.__str__(given).strip().casefold().removesuffix(" true")
    if word not in _JUDGEMENTS:
        raise Fault("value", f"Judge claim {letter} by one of the words 'true', 'half' and 'false'.")
    return word


def _claims(id, claims, right, hints):
    """Make the exercise of a round of claims: letter -> (the right word, a reply to each of the two wrong ones)."""
    rights = {letter: word for letter, (word, _) in claims.items()}
    mistakes = tuple(
        Mistake(f"{letter}-{word}", rights | {letter: word}, f"{letter}: {reply}")
        for letter, (_, replies) in claims.items()
        for word, reply in replies.items()
    )
    return Exercise(
        id=id,
        kind="value",
        cases=lambda rng: [Case()],
        oracle=lambda: "settled",
        returns=(Returns("your judgements"),),
        mistakes=mistakes,
        hints=hints,
        right=right,
        run=_judged(claims),
    )


CLAIMS_PARTS = _claims(
    "review.predict_parts",
    {
        "A": (
            "half",
            {
                "true": "Hold the weights fixed, and the sum rule holds. Let attention compute them from x, as it does, and it fails.",
                "false": "Something of it is true: with its weights held fixed, attention passes the sum rule.",
            },
        ),
        "B": (
            "false",
            {
                "true": "Compare the two widths in the table of models: the hidden layer is the wide part, not the narrow one.",
                "half": "In an autoencoder it would be true; here no model of the table has a narrow hidden layer, single experts apart.",
            },
        ),
        "C": (
            "half",
            {
                "true": "A single convolution passes the sum rule, and the FFN does not; so one cannot be all of it.",
                "false": "Convolutions of width 1 are what it is made of; ask how many, and what stands between them.",
            },
        ),
        "D": (
            "false",
            {
                "true": "Look at the list of the FFN's own parts: there is no norm among them.",
                "half": "The norms stand in the block, beside attention and the FFN, and belong to neither.",
            },
        ),
        "E": (
            "false",
            {
                "true": "The hook saw something else: what attention returns is first added to the tokens.",
                "half": "Attention's output is one term of what it reads; the claim says that it is the only one.",
            },
        ),
        "F": (
            "true",
            {
                "half": "No condition is needed: whatever the width, the two products are one, biases included.",
                "false": "Then the sum rule would fail without the activation; look at the last row of the table.",
            },
        ),
    },
    "Round one is settled: you know the parts, and where each of them ends.",
    (
        "Look for the one word of each claim that says too much, such as “mostly”, “one” or “nothing else”.",
        "Six words are asked: 'true', 'half' or 'false' for each of A to F. Two of the claims are half true.",
        'Start with the row that the cell above settles: "F" is decided by the sum rule without an activation.',
    ),
)

CLAIMS_NUMBERS = _claims(
    "review.predict_numbers",
    {
        "G": (
            "false",
            {
                "true": "Count: the norms have less than a thousandth of a layer, and the embeddings are not in it.",
                "half": "None of the four numbers is the counted one, so there is no half to keep.",
            },
        ),
        "H": (
            "half",
            {
                "true": "It holds for an encoder layer with d_ff = 4 · d_model; look at the two ends of the table for whole models.",
                "false": "Something of it is true: count an encoder layer with d_ff = 4 · d_model, embeddings left out.",
            },
        ),
        "I": (
            "false",
            {
                "true": "Compare the two steps of the paper's own table: the second doubling brought as much as the first.",
                "half": "Neither part holds: published widths vary, and in that table the second doubling gained as much as the first.",
            },
        ),
        "J": (
            "half",
            {
                "true": "One of attention's costs is left out, and at n = d it is the larger one.",
                "false": "Both orders do occur; ask what else attention computes for every token.",
            },
        ),
        "K": (
            "half",
            {
                "true": "Sort the table by year: the later models gate, and most of them with SiLU.",
                "false": "BERT and GPT do use GELU, and the Gemma models have it in their gate.",
            },
        ),
        "L": (
            "true",
            {
                "half": "One such model is enough for “there is”: read the largest share off the table.",
                "false": "Look at the largest share in the table, and at what kind of model it belongs to.",
            },
        ),
    },
    "Round two is settled: you count before you repeat a number.",
    (
        "For each claim, ask: of what? Of a layer or of a model, of parameters or of time?",
        "Six words are asked: 'true', 'half' or 'false' for each of G to L. Three of the claims are half true.",
        'Start with "L": read the largest share off the table of models.',
    ),
)

CLAIMS_EVIDENCE = _claims(
    "review.predict_evidence",
    {
        "M": (
            "false",
            {
                "true": "No source shows it. An FFN maps vectors to vectors; what was found is patterns that excite units, and words they promote.",
                "half": "The words are invented; what Geva et al. measured is of another kind.",
            },
        ),
        "N": (
            "false",
            {
                "true": "The share is the same for noise, for one-hot tokens and for a wave: it cannot be about the data.",
                "half": "The zeros are there, but the claim is about what they show, and nothing was learned yet.",
            },
        ),
        "O": (
            "false",
            {
                "true": "You can read that in many places, but not in the paper: look at its conclusion.",
                "half": "The paper reports better numbers, and offers no explanation for them, in whole or in part.",
            },
        ),
        "P": (
            "false",
            {
                "true": "The leaky layer passed one random test as well, and its rows do depend on each other.",
                "half": "A passed test can be the start of an argument, but a proof it is not: the leaky layer passed it too.",
            },
        ),
        "Q": (
            "half",
            {
                "true": "It gets faster; but look at the error of the best block without a bend: something is lost.",
                "false": "Something of it is true: count the multiply–adds that go with the FFN.",
            },
        ),
        "R": (
            "true",
            {
                "half": "For every pair of numbers the two sides agreed; look at what each unit contributes when x changes its sign.",
                "false": "The cell compared both sides on a thousand pairs. Which rule do SiLU(z) and SiLU(−z) obey?",
            },
        ),
    },
    "Round three is settled: you ask what a sentence rests on.",
    (
        "Ask of each claim: who measured it, and could the measurement have come out otherwise?",
        "Six words are asked: 'true', 'half' or 'false' for each of M to R. One of the claims is half true.",
        'Start with "R": the last cell above computed both sides.',
    ),
)

# --- The capstone: predictions

LINEAR = guess(
    "review.predict_linear",
    0.5,
    {
        0: "A turn is made of products of two pointers' features, and a block without a bend only forms weighted sums.",
        1: "That is what a unit vector costs that is always missed by its length; the mean is over two features, too.",
        0.25: "That was the bound for bits of 0 and 1. Here a feature is a cosine or a sine: what is the mean of its square?",
        0.02: "That is what a good block has to reach. What can a block without a bend do?",
    },
    "Without a bend nothing helps against answering 0 each time, and the mean square of a cosine is one half.",
    (
        "Recall lesson 07: what was the best answer of a block without a bend, and why?",
        "The error is a mean over all tokens and over two features, each of them a cosine or a sine of a random angle.",
        "Answer 0 every time: the error is then the mean of cos², which is as large as that of sin², and both sum to 1.",
    ),
)

WIDTH = guess(
    "review.predict_width",
    14,
    {
        15: "Close: 15 units come to 201 numbers. Did you count the biases of the output?",
        16: "Two matrices of 6 · 16 numbers fit, but the biases do not: there are 16 + 6 of them.",
        24: "That is four times d_model, and over the budget: count the numbers in its two matrices.",
        33: "There are two matrices, and each hidden unit has a column in one and a row in the other.",
        11: "That is how wide a SwiGLU network without biases can be; it has three matrices.",
        13: "One more fits: count again what a hidden unit costs, a column, a bias and a row.",
    },
    "Each hidden unit costs 6 + 1 + 6 numbers, and the output biases another 6.",
    (
        "Count what one more hidden unit costs: what it reads, its bias, what it writes.",
        "W1 is (6, d_ff), b1 (d_ff,), W2 (d_ff, 6), b2 (6,).",
        "Solve 13 · d_ff + 6 ≤ 200 for a whole number.",
    ),
)

# --- The capstone: a block

BUDGET, THRESHOLD, STARTS = 200, 0.02, 3


def _look_back(x):
    """Return what the fixed head brings, entry by entry: features 0 and 1 of the token before, as features 2 and 3."""
    brought = 0 * x
    for i in range(x.shape[-2]):
        brought[..., i, 2] = x[..., i - 1, 0]
        brought[..., i, 3] = x[..., i - 1, 1]
    return brought


def _block_cases(rng):
    from course_lib._torch import torch

    shape = (3, 5, 6)
    return [Case((torch.from_numpy(rng.normal(size=shape)),), dict(batch=3, seq_len=5, d_model=6))]


def _made(answer, seed):
    """Make a block of the learner's class with the seed's starting weights, in float64 and without dropout."""
    from course_lib._torch import nn, torch

    torch.manual_seed(seed)
    try:
        block = answer()
    except AttributeError as error:
        if "Module.__init__() call" not in str(error):
            raise
        message = "A module cannot take in parts yet: the first line of __init__ must be super().__init__()."
        raise Fault("raises", message) from None
    if not isinstance(block, nn.Module):
        raise Fault("type", "MyBlock must be a torch module: write class MyBlock(nn.Module).")
    forward = block.double().eval().forward

    def guarded(x):
        y = forward(x)
        sandbox.restore_builtins()  # training goes on after the learner's code
        return y

    block.forward = guarded
    return block


def _check_form(x, before, y):
    """Say what is wrong with the form of an output, in the words of the other exercises."""
    from course_lib._torch import torch

    if y is None:
        raise Fault("none", "The forward of MyBlock returned None: is the return statement missing?")
    if not torch.is_tensor(y):
        raise Fault(
            "type", f"MyBlock must return a torch tensor, but it returned an object of type {type(y).__name__}."
        )
    if not torch.equal(x, before):
        raise Fault("mutates", "Your code changed its argument number 1: write x + …, which makes a new tensor.")
    if y.shape != x.shape:
        message = f"The output has shape {tuple(y.shape)}; expected is (batch, seq_len, d_model) = {tuple(x.shape)}."
        raise Fault("shape", message)
    if y.dtype != x.dtype:
        short = str(y.dtype).removeprefix("torch.")
        raise Fault("dtype", f"The output has dtype {short}; expected is float64, as in the input.")
    if not torch.isfinite(y).all():
        raise Fault("nan", "The output holds NaN or infinity: look for a division by zero, a log of 0 or an overflow.")


def _moved_rows(block, x):
    """Return which rows of the output move when row 1 of the input changes."""
    other = x.clone()
    other[:, 1] += 1
    return (abs(block(other) - block(x)).amax(dim=(0, 2)) > 1e-9).nonzero().flatten().tolist()


def _stream_fault(block, silent, x):
    """Name what is wrong with the additions, from what is left when every parameter is 0; None if nothing is."""
    from course_lib._torch import torch

    rest, brought = silent(x), _look_back(x)
    patterns = {
        None: x + brought,
        "no attention" if _moved_rows(block, x) == [1] else "stream restarts": x,
        "ffn replaces": 0 * x,
        "attention replaces": brought,
        "attention twice": x + 2 * brought,
        "stream twice": 2 * (x + brought),
        "looks ahead": x + _look_back(x.flip(-2)).flip(-2),
    }
    return next((name for name, left in patterns.items() if torch.allclose(rest, left, rtol=1e-7, atol=1e-9)), "other")


def _run_block(answer, case):
    """Look at a block, train it, and say in a few words what was found."""
    from course_lib._torch import torch

    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return _finding(answer, case.args[0])
    finally:
        torch.set_default_dtype(dtype)


def _finding(answer, x):
    from course_lib._torch import torch

    block, before = _made(answer, 0), x.clone()
    y = block(x)
    if holds_todo(y):
        return y
    _check_form(x, before, y)
    if not torch.equal(block(x), y):
        raise Fault("value", "Two calls with the same x differ: is there a dropout that never switches off?")
    parameters = list(block.parameters())
    if sum(parameter.numel() for parameter in parameters) > BUDGET:
        return "over budget"
    silent, noisy = _made(answer, 0), _made(answer, 0)
    with torch.no_grad():
        for parameter in silent.parameters():
            parameter.zero_()
        for parameter in noisy.parameters():  # whatever the starting weights are, these hide no part
            parameter.normal_(std=0.5)
        fault = _stream_fault(noisy, silent, x)
    if fault == "other":
        message = (
            "With every parameter at 0, the block should hand on x + look_back(x): each sub-layer adds to the stream, "
            "and nothing else touches it."
        )
        raise Fault("value", message)
    return fault or _ffn_fault(noisy, parameters, x, y) or _trained(answer)


def _ffn_fault(noisy, parameters, x, y):
    """Name what is wrong with the FFN before any training; None if nothing is."""
    from course_lib._torch import torch

    if not parameters:
        return "no ffn"
    if not y.requires_grad:
        return "detached"
    if any(gradient is None for gradient in torch.autograd.grad(y.sum(), parameters, allow_unused=True)):
        return "unused"
    with torch.no_grad():
        if not set(_moved_rows(noisy, x)) <= {1, 2}:
            return "mixes positions"
        other = x.flip(0, 1) + 1
        sums = noisy(x + other) + noisy(0 * x), noisy(x) + noisy(other)
        return "linear" if torch.allclose(*sums, rtol=1e-7, atol=1e-9) else None


def _trained(answer):
    """Train from fixed starts on fixed pointers, and compare the errors on others with the threshold."""
    from course_lib import tasks, training
    from course_lib._torch import torch

    blocks = [_made(answer, seed) for seed in range(STARTS)]

    def forward(parameters, x):  # the parameters of each block are the ones that training changes in place
        return torch.stack([block(x)[..., 4:] for block in blocks])

    many = training.Networks([parameter for block in blocks for parameter in block.parameters()], forward)
    training.fit(many, *tasks.turns(64, seed=0), steps=200, rate=0.03, schedule="cosine")
    x, y = tasks.turns(256, seed=1)
    worst = training.mean_squared_error(many(x), y).max().item()
    if worst < THRESHOLD:
        return "good"
    return "constant" if worst > 0.45 else "above"


def _wrong_block(make_ffn, forward):
    """Make a class whose objects are blocks with an FFN and a wrong forward(ffn, x); torch is loaded when one is made."""

    class MyBlock:
        def __new__(cls):
            from course_lib._torch import nn

            class Wrong(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.ffn = make_ffn(nn)

                def forward(self, x):
                    return forward(self.ffn, x)

            return Wrong()

    return MyBlock


def _plain(width, activation="ReLU"):
    return lambda nn: nn.Sequential(nn.Linear(6, width), getattr(nn, activation)(), nn.Linear(width, 6))


def _right_order(ffn, x):
    h = x + _look_back(x)
    return h + ffn(h)


def _zeroed(nn):
    ffn = _plain(14)(nn)
    for parameter in ffn.parameters():
        parameter.data.zero_()
    return ffn


def _with_spare(nn):
    ffn = _plain(8)(nn)
    ffn.spare = nn.Linear(6, 6)
    ffn.forward = lambda h: ffn[2](ffn[1](ffn[0](h)))
    return ffn


def _mixing(ffn, x):
    h = x + _look_back(x)
    return h + ffn(h - h.mean(dim=-2, keepdim=True))


def _detached(ffn, x):
    h = x + _look_back(x)
    return h + ffn(h).detach()


BLOCK = Exercise(
    id="review.block",
    kind="class",
    cases=_block_cases,
    oracle=lambda x: "good",
    returns=(Returns("the finding"),),
    run=_run_block,
    mistakes=(
        Mistake(
            "over-budget",
            _wrong_block(_plain(24), _right_order),
            "Your block has more than 200 parameters: count the FFN's matrices and biases, and choose a smaller width.",
        ),
        Mistake(
            "no-attention",
            _wrong_block(_plain(14), lambda ffn, x: x + ffn(x)),
            "No token learns anything of the one before it: use look_back, and add what it returns to x.",
        ),
        Mistake(
            "stream-restarts",
            _wrong_block(_plain(14), lambda ffn, x: x + ffn(x + _look_back(x))),
            "The second addition goes back to x, so what attention brought drops out of the stream: add to the first sum.",
        ),
        Mistake(
            "ffn-replaces",
            _wrong_block(_plain(14), lambda ffn, x: ffn(x + _look_back(x))),
            "Your FFN's output replaces the stream: with a silent FFN nothing of the tokens is left. A residual is missing.",
        ),
        Mistake(
            "attention-replaces",
            _wrong_block(_plain(14), lambda ffn, x: _look_back(x) + ffn(_look_back(x))),
            "What look_back returns replaces the token, which then forgets its own direction. A residual is missing.",
        ),
        Mistake(
            "attention-twice",
            _wrong_block(_plain(14), lambda ffn, x: _right_order(ffn, x) + _look_back(x)),
            "What look_back returns is added twice: the second sub-layer adds what the FFN computes, and that alone.",
        ),
        Mistake(
            "stream-twice",
            _wrong_block(_plain(14), lambda ffn, x: 2 * (x + _look_back(x)) + ffn(x + _look_back(x))),
            "The stream is added to itself: with a silent FFN the tokens leave the block twice as long as they should.",
        ),
        Mistake(
            "looks-ahead",
            _wrong_block(_plain(14), lambda ffn, x: _right_order(ffn, x.flip(-2)).flip(-2)),
            "Your block brings the direction of the token behind, where that of the token before is asked.",
        ),
        Mistake(
            "no-ffn",
            _wrong_block(lambda nn: nn.Identity(), lambda ffn, x: x + _look_back(x)),
            "Your block has no parameters: attention brings what is needed, and nothing computes with it.",
        ),
        Mistake(
            "detached",
            _wrong_block(_plain(14), _detached),
            "No gradient gets through your block, so it cannot learn: look for detach, .data, .numpy() or no_grad.",
        ),
        Mistake(
            "unused",
            _wrong_block(_with_spare, _right_order),
            "Some of your parameters take no part in the output: they cost budget and learn nothing.",
        ),
        Mistake(
            "mixes-positions",
            _wrong_block(_plain(14), _mixing),
            "A change of one token reaches tokens that do not look back at it: your FFN must treat every position alone.",
        ),
        Mistake(
            "linear",
            _wrong_block(_plain(14, "Identity"), _right_order),
            "Your block passes the sum rule, so it is one affine map, at any width: something in the FFN has to bend.",
        ),
        Mistake(
            "narrow",
            _wrong_block(_plain(4), _right_order),
            "Your block learns, but at least one of three starts ends above the threshold: is the budget used up, and is the bend a good one?",
        ),
        Mistake(
            "no-better-than-constant",
            _wrong_block(_zeroed, _right_order),
            "After training, your block answers no better than a constant from at least one start: do all its weights start at 0?",
        ),
    ),
    hints=(
        "A pre-norm block adds twice: first what attention brings, then what the FFN computes from the sum. No norm is needed here.",
        "x, the first sum and the result all have the shape (batch, seq_len, 6); d_ff is what the budget leaves you for your kind of FFN.",
        "The first line of forward is gathered = x + look_back(x); for the FFN, begin with the width that you predicted.",
    ),
    right="Your block gathers, bends and adds, within the budget, and from all three starts its error stays below the threshold.",
)

# --- The review test


def _question(number, prompt, *options):
    """Make a question; the right option is marked by a True at the end."""
    return Question(f"review.quiz-{number}", prompt, tuple(Option(*option) for option in options))


QUESTIONS = (
    # the bend: lessons 01 and 02
    _question(
        1,
        "Why does an FFN need a non-linearity?",
        ("To keep numbers small.", "ReLU sets no upper limit; norms look after sizes."),
        (
            "Without it, two layers are one.",
            "Two products come to one matrix, and two biases to one (lesson 01).",
            True,
        ),
        ("To make training with gradients possible.", "Linear layers have gradients too, and train well: to a line."),
    ),
    _question(
        2,
        "A linear network, trained on the four points of XOR, ends at a loss of 0.25. Why there?",
        ("One of the four points is wrong.", "A best line for errors does that; least squares treats all four alike."),
        ("The training stopped too early.", "0.25 is the bound for every affine map, however long you train."),
        ("The best it can do is answer ½.", "It misses every point by ½, and (½)² is 0.25 (lesson 01).", True),
    ),
    _question(
        3,
        "What do ReLU, GELU and SiLU have in common?",
        ("Each is a number times a gate.", "A hard, a normal and a logistic gate (lesson 02).", True),
        ("Each is 0 for negative x.", "ReLU alone is; the other two dip below 0 there."),
        ("Each has a slope between 0 and 1.", "GELU and SiLU also have slopes below 0 and above 1."),
    ),
    _question(
        4,
        "For every token of the data, a ReLU unit's input is negative. What does training do for it?",
        ("A larger learning rate lifts it back up.", "Any rate times a gradient of 0 is 0."),
        ("It flips its signs.", "Training moves along gradients, and this unit has none."),
        ("Nothing: its gradient is 0.", "It is dead: no token has a slope for it (lesson 02).", True),
    ),
    _question(
        5,
        "You replace the exact GELU by its tanh form in a trained model. By how much does one activation change?",
        ("Not at all, they are one function.", "They are two functions, and you plotted their difference."),
        ("By less than 0.001.", "About half of that at most (lesson 02).", True),
        ("By up to 0.02.", "That is the sigmoid form, x · σ(1.702 x)."),
    ),
    _question(
        6,
        "Lesson 02 tried ReLU and GELU on three small tasks. Where did ReLU win?",
        ("On the sine.", "There the smooth bends of GELU came closer."),
        ("On the noisy sine wave.", "There most of the error was fresh noise, and neither stood out."),
        ("On the kink |x|.", "|x| is the sum of two ReLUs: each bend is good at what looks like itself.", True),
    ),
    _question(
        7,
        "Ten thousand random lines get at most 3 of 4 XOR points right. What makes it certain for all lines?",
        (
            "The proof with two sums.",
            "Adding up both diagonals leads to a contradiction, for every line (lesson 01).",
            True,
        ),
        ("The number of lines.", "However many you try, they are an experiment."),
        (
            "Training finds no better line either.",
            "That training fails to find something does not show that it is not there.",
        ),
    ),
    # the network: lessons 03 and 04
    _question(
        8,
        "Which line is the FFN of the original transformer?",
        ("`relu((x @ W1 + b1) @ W2 + b2)`", "The ReLU comes last, so no output could be negative."),
        ("`relu(x @ W1 + b1) @ W2 + b2`", "Up, bend, down (lesson 03).", True),
        ("`x + relu(x @ W1 + b1) @ W2 + b2`", "The residual belongs to the block, not to the FFN."),
        ("`relu(x @ W1) @ relu(W2) + b1 + b2`", "The first bias stands before the ReLU, and weights are not bent."),
    ),
    _question(
        9,
        "A model in the usual shape has d_model = 768. How many hidden units does its FFN have?",
        ("3,072", "Four times d_model, as in BERT-base and GPT-2 small.", True),
        ("1,536", "That is twice d_model."),
        ("768", "The hidden layer is wider than the token."),
        ("589,824", "That is 768², the number of entries of a square matrix."),
    ),
    _question(
        10,
        "You build an FFN from `nn.Linear(d_model, d_ff)` and `nn.Linear(d_ff, d_model)`. What else must go in?",
        ("A loop over the positions.", "A linear layer works on the last axis and takes all positions at once."),
        ("A softmax over all of the hidden values.", "A softmax belongs to attention."),
        ("An activation between them.", "Without it they are one linear layer (lessons 01 and 03).", True),
    ),
    _question(
        11,
        "x has shape (3, 7, 512), and d_ff is 2048. Which shape do the hidden values have?",
        ("(21, 2048)", "Nothing merges the batch with the positions."),
        ("(3, 7, 2048)", "Only the last axis changes (lesson 03).", True),
        ("(3, 2048, 512)", "The last axis is multiplied, not the positions."),
    ),
    _question(
        12,
        "What is the second linear layer for?",
        ("It turns hidden values back into a token's features.", "Row j says what unit j adds to the output.", True),
        (
            "It undoes the first layer, so that the token comes back.",
            "Training may make it so, as in copying; in general it does not.",
        ),
        ("It chooses which hidden units fire.", "The first layer and the activation do that."),
    ),
    _question(
        13,
        "What does the expansion to d_ff hidden units buy, with the activation?",
        ("Longer sequences.", "The length of the sequence is in none of its shapes."),
        ("A larger token at the output.", "The output has d_model features again."),
        ("More bends, so more storage.", "Recall rose with every doubling of the width (lesson 04).", True),
    ),
    _question(
        14,
        "And without the activation: how many new directions does a four times wider layer give to 8-feature tokens?",
        ("Twenty-four.", "The layer has that many more columns, all mixed from the same 8."),
        ("None.", "A matrix product never adds a direction; folding does (lesson 04).", True),
        ("It depends on the weights.", "It can be fewer than 8 in all, but never more, for any weights."),
    ),
    _question(
        15,
        "Why expand and then contract, and not stay wide?",
        (
            "To compress the token into as few numbers as it takes.",
            "It leaves with d_model numbers, as many as it came with.",
        ),
        (
            "Because attention cannot read tokens that are wide.",
            "Attention works at any width; it costs more at a larger one.",
        ),
        (
            "So each layer can add to the same stream.",
            "Wide where it computes, d_model where it writes (lessons 04 and 07).",
            True,
        ),
    ),
    # who sees whom, and what it costs: lessons 05 and 06
    _question(
        16,
        "Which sentence tells the FFN and attention apart?",
        ("In attention positions meet.", "In the FFN row i sees row i alone (lesson 05).", True),
        ("Only the FFN uses the same weights at every position.", "Attention's projections are shared too."),
        ("Only the FFN has biases.", "In the original model attention's projections have biases too."),
    ),
    _question(
        17,
        "You change token 3 of 10 at the input of an FFN. Which outputs move?",
        ("Token 3 and those after it.", "That is causal attention."),
        ("All ten.", "Not one bit of another row changes (lesson 05)."),
        ("Token 3 alone.", "Each output row is a function of its own input row (lesson 05).", True),
    ),
    _question(
        18,
        "Which of these holds to the last bit, in float32?",
        (
            "One token at a time gives what all tokens at once give.",
            "Another shape may add in another order; equal up to rounding.",
        ),
        (
            "If one row changes, the other rows stay as they are.",
            "At equal shape the others are computed from the same numbers (lesson 05).",
            True,
        ),
        ("NumPy and torch give the same output for the same weights.", "They agree to a tolerance."),
    ),
    _question(
        19,
        "Which share of an encoder layer's parameters does the FFN hold, with d_ff = 4 · d_model?",
        ("One half.", "That is the decoder layer of 2017, with its two attentions."),
        ("Two thirds.", "8 d² of 12 d², biases and norms aside (lesson 06).", True),
        ("Four fifths, since d_ff is four times d_model.", "Attention has four square matrices: 4 d² beside 8 d²."),
    ),
    _question(
        20,
        "And which share of a whole published model?",
        ("Two thirds again, as all layers are alike.", "Embeddings and second attentions lower it, experts raise it."),
        ("Less than half.", "Most models in the table have more."),
        ("From 40 to 98 per cent.", "From the model of 2017 to a mixture of experts (lesson 06).", True),
    ),
    _question(
        21,
        "How many parameters has an FFN with d_model = 10, d_ff = 40 and biases?",
        ("850", "2 · 400 weights, 40 biases and 10 biases.", True),
        ("800", "The biases are missing."),
        ("840", "The second layer has biases too, one for each output."),
        ("1,640", "There are two matrices, not four."),
    ),
    _question(
        22,
        "d_model is 512, d_ff 2048, the sequence 4,096 tokens long. What takes more multiply–adds?",
        ("The FFN, as it has more parameters.", "Scores and mixing cost without having parameters."),
        ("Attention.", "From n = 2 · d_model on attention costs more (lesson 06).", True),
        ("Both take the same.", "They do at 1,024 tokens."),
    ),
    # the block and the gate: lessons 07 and 08
    _question(
        23,
        "Why does the FFN follow attention?",
        ("To undo the mixing of the tokens.", "It could not: it sees one token at a time."),
        ("It needs the attention weights as its input.", "It reads the stream; the weights stay inside attention."),
        ("It computes with what was gathered.", "XOR of two tokens needed both, in this order (lesson 07).", True),
    ),
    _question(
        24,
        "A block with frozen attention loses its FFN. What can it no longer do?",
        ("XOR of two tokens.", "Without a bend the block is affine, and its error stays at 1/4 (lesson 07).", True),
        ("Copy one bit.", "Attention does that alone."),
        ("Treat all positions alike.", "Attention uses the same weights at every position as well."),
    ),
    _question(
        25,
        "Can attention compute XOR of two tokens without any FFN?",
        (
            "No, it takes means.",
            "True for frozen weights; learned ones come from a softmax, which bends.",
        ),
        ("Yes, with two heads.", "Two learned heads did it, one cannot (lesson 07).", True),
        ("Yes, one head is enough if it trains for long.", "One head stays at 1/8 or above, which is proved."),
    ),
    _question(
        26,
        "In a deep stack without residuals all tokens become alike. What helps?",
        ("A wider FFN behind every attention.", "Equal tokens get equal outputs from any FFN."),
        ("Residual connections.", "They carry every token past the mixing (lesson 07).", True),
        ("More attention heads.", "They make weighted means as well."),
    ),
    _question(
        27,
        "Where do the norms of a pre-norm block stand?",
        ("On the stream, after each addition.", "That is post-norm, as in 2017."),
        ("Inside the FFN, before ReLU.", "The norms belong to the block."),
        ("On the branch, before each part.", "The stream itself is only added to (lesson 07).", True),
    ),
    _question(
        28,
        "What does a gated unit compute?",
        ("A product of two looks.", "Gate times up value, both made from the same token (lesson 08).", True),
        ("A sum of two looks at the same token.", "The two branches are multiplied."),
        ("The larger look.", "Nothing is compared."),
    ),
    _question(
        29,
        "How wide is a SwiGLU network that costs what a plain one with 4 · d_model costs?",
        ("4 · d_model", "Three matrices of that width cost half as much again."),
        ("6 · d_model, to be on the safe side", "Wider still costs more still."),
        ("8/3 · d_model", "Three matrices at 2/3 of the width cost what two did (lesson 08).", True),
    ),
    _question(
        30,
        "Which of these sentences about language models is left open in this course, and in its sources?",
        (
            "Gates help because they multiply.",
            "That they multiply is shown; that this is why they help is not (lesson 08).",
            True,
        ),
        ("LLaMA-7B has gated FFNs with SiLU.", "Its authors say so, and the table of lesson 06 has it."),
        ("Most of DeepSeek-V3 lies in its FFNs.", "You counted it in lesson 06: 98 per cent."),
    ),
)

LESSON = Lesson(
    number=9,
    topic="review",
    title="Review",
    exercises=(CLAIMS_PARTS, CLAIMS_NUMBERS, CLAIMS_EVIDENCE, LINEAR, WIDTH, BLOCK),
    questions=QUESTIONS,
)
