"""Exercise: a pre-norm block without norms, within a budget, that is trained and must reach a threshold."""

from functools import partial
from types import SimpleNamespace

from course_lib.model import tasks, training
from course_lib.model.one_thread import nn, torch
from lessons.review.norms import has_norm
from whywrong.form import check_form
from whywrong.task import Case, Fault, Inspection, Key, Mistake, Returns

BUDGET, THRESHOLD, STARTS = 200, 0.02, 3
OUTPUT = SimpleNamespace(kind="class", returns=(Returns("the output", ("batch", "seq_len", "d_model")),))


def look_back(x):
    """Return what the fixed head brings, entry by entry: features 0 and 1 of the token before, as features 2 and 3."""
    brought = 0 * x
    for i in range(x.shape[-2]):
        brought[..., i, 2] = x[..., i - 1, 0]
        brought[..., i, 3] = x[..., i - 1, 1]
    return brought


def cases(rng):
    """Return one batch of tokens, in which every feature holds something."""
    shape = (4, 9, 6)
    return [Case((torch.from_numpy(rng.normal(size=shape)),), dict(batch=4, seq_len=9, d_model=6))]


def inspect(answer, case):
    """Look at a block in float64, train it, and return the name of the mistake that was found; None for a good block."""
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return _found(answer, case)
    finally:
        torch.set_default_dtype(dtype)


def _found(answer, case):
    (x,) = case.args
    block, before = _made(answer, 0), x.clone()
    y = block(x)
    check_form(OUTPUT, y, (before,), case, Case((before,)))
    held = [*block.parameters()]
    if not torch.equal(block(x), y):
        if [*map(id, held)] != [*map(id, block.parameters())]:
            raise Fault(
                Key.VALUE,
                "Your forward makes new layers in each call, so none of them is trained: make them in __init__.",
            )
        words = "does each call make a new layer, or does a dropout never switch off?"
        raise Fault(Key.VALUE, f"Two calls with the same x differ: {words}")
    parameters = list(block.parameters())
    if sum(parameter.numel() for parameter in parameters) > BUDGET:
        return "over-budget"
    silent, noisy = _made(answer, 0), _made(answer, 0)
    x = 2 * torch.randn(64, *x.shape[1:], generator=torch.Generator().manual_seed(0))  # some inputs open each unit
    with torch.no_grad():
        for parameter in silent.parameters():
            parameter.zero_()
        for parameter in noisy.parameters():  # whatever the starting weights are, these hide no part
            parameter.normal_(std=0.5)
        fault = _stream_fault(noisy, silent, x) or _input_fault(noisy, parameters, x)
    return fault or _ffn_fault(noisy, parameters, x, y) or _training_fault(answer)


def _made(answer, seed):
    """Make a block of the learner's class with the seed's starting weights, in float64 and without dropout."""
    torch.default_generator.manual_seed(seed)  # torch.manual_seed notes the stack for each kind of device
    try:
        block = answer()
    except AttributeError as error:
        if "Module.__init__() call" not in str(error):
            raise
        message = "The module cannot hold layers yet: the first line of __init__ must be super().__init__()."
        raise Fault(Key.RAISES, message) from None
    if not isinstance(block, nn.Module):
        raise Fault(Key.TYPE, "MyBlock must be a torch module: write class MyBlock(nn.Module).")
    return block.double().eval()


def _moved_rows(block, x):
    """Return which rows of the output move when row 1 of the input changes."""
    other = x.clone()
    other[:, 1] += torch.linspace(1, 3, x.shape[-1]).square()  # not the same for all: a norm would not notice
    return (abs(block(other) - block(x)).amax(dim=(0, 2)) > 1e-9).nonzero().flatten().tolist()


def _stream_fault(block, silent, x):
    """Name what is wrong with the additions, from what is left when every parameter is 0; None if nothing is."""
    rest, brought = silent(x), look_back(x)
    patterns = {
        None: x + brought,
        "no-attention" if _moved_rows(block, x) == [1] else "stream-restarts": x,
        "ffn-replaces": 0 * x,
        "attention-replaces": brought,
        "attention-twice": x + 2 * brought,
        "stream-twice": 2 * (x + brought),
        "looks-ahead": x + look_back(x.flip(-2)).flip(-2),
    }
    for name, left in patterns.items():
        if torch.allclose(rest, left, rtol=1e-7, atol=1e-9):
            return "norm" if name is not None and has_norm(block, x) else name
    if has_norm(block, x) or any(torch.allclose(rest, left, rtol=1e-3, atol=1e-3) for left in _normed(x)):
        return "norm"
    if not list(block.parameters()):
        return "plain-tensors"
    message = (
        "With every parameter at 0, the block should return x + look_back(x): each sub-layer adds to the stream, "
        "and nothing else touches it."
    )
    raise Fault(Key.VALUE, message)


def _normed(x):
    """Return what is left of the stream when a norm without parameters stands in it."""
    norm = partial(nn.functional.layer_norm, normalized_shape=x.shape[-1:])
    gathered = x + look_back(x)
    return x + look_back(norm(x)), norm(gathered), norm(norm(gathered)), norm(x) + look_back(norm(x))


def _input_fault(noisy, parameters, x):
    """Name what the FFN reads in place of the first sum, or what is missing behind its bend; None if nothing is."""
    if not parameters:
        return None

    def added(x):
        return noisy(x) - x - look_back(x)

    def stream(x):
        return noisy(x) - look_back(noisy(x))

    def moved(f):
        return _moved_rows(f, x)

    if moved(added) == [1]:
        return "reads-x"
    if moved(added) == [2]:
        return "reads-attention"
    if moved(stream) == [1] and moved(added) == [1, 2]:
        return "ffn-first"
    least, most = added(x).min().item(), added(x).max().item()
    return "bend-last" if least > -0.3 and most > 0.3 else None


def _ffn_fault(noisy, parameters, x, y):
    """Name what is wrong with the FFN before any training; None if nothing is."""
    if not parameters:
        return "no-ffn"
    if not y.requires_grad:
        return "detached"
    if any(gradient is None for gradient in torch.autograd.grad(y.sum(), parameters, allow_unused=True)):
        return "unused"
    with torch.no_grad():
        if not set(_moved_rows(noisy, x)) <= {1, 2}:
            return "mixes-positions"
        other = x.flip(0, 1) + 1
        sums = noisy(x + other) + noisy(0 * x), noisy(x) + noisy(other)
        return "linear" if torch.allclose(*sums, rtol=1e-7, atol=1e-9) else None


def _training_fault(answer):
    """Train from fixed starts on fixed pointers, and name what the errors on others say; None below the threshold."""
    blocks = [_made(answer, seed) for seed in range(STARTS)]

    def forward(parameters, x):  # the parameters of each block are the ones that training changes in place
        return torch.stack([block(x)[..., 4:] for block in blocks])

    if all(not parameter.any() for block in blocks for parameter in block.parameters()):
        return "all-zero"
    many = training.Networks([parameter for block in blocks for parameter in block.parameters()], forward)
    training.fit(many, *tasks.turns(64, seed=0), steps=200, rate=0.03, schedule="cosine")
    x, y = tasks.turns(256, seed=1)
    worst = training.mean_squared_error(many(x), y).max().item()
    if worst < THRESHOLD:
        return None
    return "no-better-than-constant" if worst > 0.45 else "narrow"


def _block(make_ffn, forward):
    """Return a class of blocks with an FFN, whose forward is forward(ffn, x)."""

    class MyBlock(nn.Module):
        def __init__(self):
            super().__init__()
            self.ffn = make_ffn()

        def forward(self, x):
            return forward(self.ffn, x)

    return MyBlock


def _plain(width, activation=nn.ReLU):
    return lambda: nn.Sequential(nn.Linear(6, width), activation(), nn.Linear(width, 6))


def _zeroed():
    ffn = _plain(14)()
    for parameter in ffn.parameters():
        parameter.data.zero_()
    return ffn


def _dead():
    """An FFN whose ReLUs never open."""
    ffn = _plain(14)()
    ffn[0].bias.data.fill_(-100)
    return ffn


class _PreNorm(nn.Module):
    """A block with a norm before each of its parts."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2, self.ffn = nn.LayerNorm(6), nn.LayerNorm(6), _plain(13)()

    def forward(self, x):
        h = x + look_back(self.norm1(x))
        return h + self.ffn(self.norm2(h))


class _PlainTensors(nn.Module):
    """A block whose weights are no parameters."""

    def __init__(self):
        super().__init__()
        self.up, self.down = torch.randn(6, 14), torch.randn(14, 6)

    def forward(self, x):
        h = x + look_back(x)
        return h + torch.relu(h @ self.up.to(x)) @ self.down.to(x)


def _ffn_first(ffn, x):
    h = x + ffn(x)
    return h + look_back(h)


class _WithSpare(nn.Module):
    """An FFN that makes a layer it never uses."""

    def __init__(self):
        super().__init__()
        self.layers, self.spare = _plain(8)(), nn.Linear(6, 6)

    def forward(self, h):
        return self.layers(h)


def _right(ffn, x):
    h = x + look_back(x)
    return h + ffn(h)


def _mixing(ffn, x):
    h = x + look_back(x)
    return h + ffn(h - h.mean(dim=-2, keepdim=True))


def _detached(ffn, x):
    h = x + look_back(x)
    return h + ffn(h).detach()


EXERCISE = Inspection(
    id="review.block",
    kind="class",
    cases=cases,
    inspect=inspect,
    mistakes=(
        Mistake(
            "over-budget",
            _block(_plain(24), _right),
            "Your block has more than 200 parameters: count the FFN's matrices and biases, and choose a smaller width.",
        ),
        Mistake(
            "no-attention",
            _block(_plain(14), lambda ffn, x: x + ffn(x)),
            "No token learns anything about the previous one: use look_back, and add what it returns to x.",
        ),
        Mistake(
            "stream-restarts",
            _block(_plain(14), lambda ffn, x: x + ffn(x + look_back(x))),
            "Your second addition goes back to x, so what attention brought is lost from the stream: add to the first sum.",
        ),
        Mistake(
            "ffn-replaces",
            _block(_plain(14), lambda ffn, x: ffn(x + look_back(x))),
            "Your FFN's output replaces the stream, so with a silent FFN nothing of the tokens is left. A residual connection is missing.",
        ),
        Mistake(
            "attention-replaces",
            _block(_plain(14), lambda ffn, x: look_back(x) + ffn(look_back(x))),
            "What look_back returns replaces the token, so the token loses its own direction. A residual connection is missing.",
        ),
        Mistake(
            "attention-twice",
            _block(_plain(14), lambda ffn, x: _right(ffn, x) + look_back(x)),
            "What look_back returns is added twice: the second sub-layer adds what the FFN computes, and that alone.",
        ),
        Mistake(
            "stream-twice",
            _block(_plain(14), lambda ffn, x: 2 * (x + look_back(x)) + ffn(x + look_back(x))),
            "The stream is added to itself: with a silent FFN the tokens leave the block twice as long as they should.",
        ),
        Mistake(
            "looks-ahead",
            _block(_plain(14), lambda ffn, x: _right(ffn, x.flip(-2)).flip(-2)),
            "Your block brings the direction of the next token, but the task asks for the previous one.",
        ),
        Mistake(
            "norm",
            _PreNorm,
            "Your block contains a norm, so the directions do not come through unchanged: leave it out. The sum needs none here.",
        ),
        Mistake(
            "reads-x",
            _block(_plain(14), lambda ffn, x: x + look_back(x) + ffn(x)),
            "Your FFN reads x, so it never sees the token before: hand it the first sum, x + look_back(x).",
        ),
        Mistake(
            "reads-attention",
            _block(_plain(14), lambda ffn, x: x + look_back(x) + ffn(look_back(x))),
            "Your FFN reads what look_back returns alone, so it never sees the token's own direction: hand it the first sum.",
        ),
        Mistake(
            "ffn-first",
            _block(_plain(14), _ffn_first),
            "Your FFN comes before attention, so it computes before anything is gathered: add look_back(x) first.",
        ),
        Mistake(
            "bend-last",
            _block(lambda: nn.Sequential(nn.Linear(6, 6), nn.ReLU()), _right),
            "What your FFN adds is never clearly below 0, so its last step is the activation: a second linear layer must follow it.",
        ),
        Mistake(
            "no-ffn",
            _block(nn.Identity, lambda ffn, x: x + look_back(x)),
            "Your block has no parameters: attention brings what is needed, but nothing computes with it.",
        ),
        Mistake(
            "plain-tensors",
            _PlainTensors,
            "Training finds no parameters in your block: neither a plain tensor nor a layer in a plain list counts. Use layers such as nn.Linear, or nn.Parameter(…).",
        ),
        Mistake(
            "detached",
            _block(_plain(14), _detached),
            "No gradient gets through your block, so it cannot learn: look for detach, .data, .numpy() or no_grad.",
        ),
        Mistake(
            "unused",
            _block(_WithSpare, _right),
            "Some of your parameters have no effect on the output: they use up the budget and learn nothing.",
        ),
        Mistake(
            "mixes-positions",
            _block(_plain(14), _mixing),
            "A change of one token reaches tokens that do not look back at it: your FFN must treat every position alone.",
        ),
        Mistake(
            "linear",
            _block(_plain(14, nn.Identity), _right),
            "Your block passes the sum rule, so it is one affine map, at any width: the FFN needs an activation.",
        ),
        Mistake(
            "narrow",
            _block(_plain(4), _right),
            "Your block learns, but at least one of three starts ends above the threshold: have you used the whole budget, and is the activation a good one?",
        ),
        Mistake(
            "all-zero",
            _block(_zeroed, _right),
            "All weights of your block start at 0, where every hidden unit gets the same gradient or none: start from random ones.",
        ),
        Mistake(
            "no-better-than-constant",
            _block(_dead, _right),
            "After training, your block answers no better than a constant from at least one start: what does its FFN make of the sum, and do its hidden units open?",
        ),
    ),
    tries=4,
    seconds=20,
    hints=(
        "The block has no norms. It adds twice: first what attention brings to x, then what the FFN computes from that sum.",
        "x, the first sum and the result all have the shape (batch, seq_len, 6); d_ff is what the budget leaves you for your kind of FFN.",
        "The first line of forward is gathered = x + …; for the FFN, begin with the width that you predicted.",
    ),
    may_use=("PositionWiseFeedForward", "SwiGLUFeedForward", "GatedFeedForward", "look_back"),
    right="Your block gathers, computes and adds within the budget, and from all three starts its error stays below the threshold.",
)
