"""Exercise: the whole pre-norm layer as a torch module, with the weights, outputs and gradients of torch's own layer."""

import math
from functools import cache

from course_lib.model.one_thread import nn, torch
from lessons.build_layer.shared import attend, check_mode, check_parts, made, merge, random_tensors, split
from whywrong.task import Case, Exercise, Fault, HalfRight, Key, Mistake, Returns
from whywrong.todo import TODO, holds_todo

TOLERANCE = 1e-10
PARTS = ("norm1", "qkv", "out", "norm2", "up", "down")
_THEIRS = ("norm1.", "self_attn.in_proj_", "self_attn.out_proj.", "norm2.", "linear1.", "linear2.")


_LEADS = {
    "qkv": "It makes q, k and v at once, so it leads from d_model to 3 · d_model features.",
    "out": "It leads from d_model to d_model features.",
    "up": "It leads from d_model to d_ff features.",
    "down": "It leads from d_ff to d_model features.",
    "norm1": "It has one gain and one shift for each of the d_model features.",
    "norm2": "It has one gain and one shift for each of the d_model features.",
}


def shapes_of(d_model, d_ff) -> dict[str, tuple]:
    """Return the shapes of the weight and of the bias of every part."""
    norm = ((d_model,), (d_model,))
    return {
        "norm1": norm,
        "qkv": ((3 * d_model, d_model), (3 * d_model,)),
        "out": ((d_model, d_model), (d_model,)),
        "norm2": norm,
        "up": ((d_ff, d_model), (d_ff,)),
        "down": ((d_model, d_ff), (d_model,)),
    }


def _cases(rng):
    cases = []
    for shape, n_heads, d_ff in (((5, 12), 3, 9), ((2, 3, 8), 2, 13)):
        d_model = shape[-1]
        shapes = [one for both in shapes_of(d_model, d_ff).values() for one in both]
        weights = [one / math.sqrt(one.shape[-1]) for one in random_tensors(rng, *shapes)]
        for place in (0, 6):  # the gains
            weights[place] += 1
        x, probe = random_tensors(rng, shape, shape)
        sizes = dict(zip(("d_model", "seq_len", "batch"), reversed(shape), strict=False))
        cases.append(Case((x, weights, probe, d_model, n_heads, d_ff), sizes | {"d_ff": d_ff}))
    return cases


_known: dict[bytes, tuple] = {}  # what torch's layer gives, of the last few cases


def _oracle(x, weights, probe, d_model, n_heads, d_ff):
    """Ask torch's own layer for its output and its gradients."""
    key = x.numpy().tobytes()
    if key not in _known:
        layer, parameters = _theirs(d_model, n_heads, d_ff)
        _fill(parameters, weights)
        later = torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool).triu(1)
        found = _with_gradients(lambda tokens: layer(tokens, src_mask=later), parameters, x, probe)
        while len(_known) > 16:
            _known.pop(next(iter(_known)))
        _known[key] = found
    return tuple(one.clone() for one in _known[key])


@cache
def _theirs(d_model, n_heads, d_ff):
    """Return torch's layer, and its weights and biases in the order of PARTS."""
    layer = nn.TransformerEncoderLayer(
        d_model, n_heads, d_ff, dropout=0.0, activation=nn.functional.gelu, batch_first=True, norm_first=True
    ).double()
    names = [name + kind for name in _THEIRS for kind in ("weight", "bias")]
    own = dict(layer.named_parameters())
    return layer, [own[name] for name in names]


def _fill(parameters, weights):
    with torch.no_grad():
        for parameter, weight in zip(parameters, weights, strict=True):
            parameter.copy_(weight)


def _with_gradients(forward, parameters, x, probe):
    """Return the output, and the gradients of (output · probe).sum() at the input and at all weights in a row."""
    tokens = x.clone().requires_grad_()
    y = forward(tokens)
    found = torch.autograd.grad((y * probe).sum(), [tokens, *parameters], allow_unused=True)
    zero = [
        torch.zeros_like(one) if grad is None else grad for one, grad in zip([tokens, *parameters], found, strict=True)
    ]
    return y.detach(), zero[0], torch.cat([one.flatten() for one in zero[1:]])


def _run(answer, case):
    """Make the module, give it the weights of the case, and return its output and its gradients."""
    x, weights, probe, d_model, n_heads, d_ff = case.args
    layer = made(answer, d_model, n_heads, d_ff)
    if holds_todo([getattr(layer, name, None) for name in PARTS]):
        return TODO
    arguments = f"d_model = {d_model}, n_heads = {n_heads} and d_ff = {d_ff}"
    check_parts("TransformerLayer", layer, shapes_of(d_model, d_ff), arguments, _LEADS)
    if layer.norm1 is layer.norm2:
        raise Fault(Key.VALUE, "norm1 and norm2 are one and the same module under two names: make two.")
    layer.double().eval()
    parameters = [getattr(getattr(layer, name), kind) for name in PARTS for kind in ("weight", "bias")]
    _fill(parameters, weights)
    before = x.clone()
    y = _called(layer, x)
    if y is None or y is TODO:
        return y
    none = torch.zeros_like(x), torch.zeros(sum(one.numel() for one in weights), dtype=x.dtype)
    fits = torch.is_tensor(y) and (y.shape, y.dtype) == (x.shape, x.dtype)
    if not fits or not y.isfinite().all() or not torch.equal(x, before):
        return (y.detach() if torch.is_tensor(y) else y, *none)  # the general checks speak of it
    if torch.allclose(y, _oracle(*case.args)[0], rtol=TOLERANCE, atol=TOLERANCE):
        _check_reached(y, layer, parameters)
        check_mode(layer, y, lambda: _called(layer, x))
    if not y.requires_grad:
        return y, *none
    again = _with_gradients(lambda tokens: _called(layer, tokens), parameters, x, probe)
    if not torch.allclose(again[0], y, rtol=0, atol=1e-9):
        raise Fault(
            Key.VALUE, "Two calls with the same x differ in eval mode: does forward make new layers, or a dropout?"
        )
    return again


def _called(layer, x):
    """Call the module; what its forward makes anew has the dtype of x."""
    torch.default_generator.manual_seed(0)
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(x.dtype)
    try:
        return layer(x)
    finally:
        torch.set_default_dtype(dtype)


def _check_reached(y, layer, parameters):
    """See that gradients reach every part of a layer whose output is right, and that it holds nothing else."""
    if not y.requires_grad:
        raise Fault(
            Key.VALUE,
            "The output is right, but no gradient reaches the weights, so the layer cannot be trained: look for detach, "
            ".data, no_grad or NumPy.",
        )
    found = torch.autograd.grad(y.sum(), parameters, allow_unused=True)
    names = [name for place, name in enumerate(PARTS) if any(one is None for one in found[2 * place : 2 * place + 2])]
    if names:
        raise Fault(
            Key.VALUE,
            f"The output is right, but no gradient reaches the weights of {', '.join(names)}: look for detach, .data "
            "or no_grad behind them.",
        )
    if sum(one.numel() for one in layer.parameters()) > sum(one.numel() for one in parameters):
        raise Fault(Key.VALUE, "The output is right, but the layer holds more numbers than its six parts need.")


# ---- wrong layers, each made of right parts


class _Parts(nn.Module):
    """The six parts, made as they should be, and the two sub-layers."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.n_heads = n_heads
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def heads(self, q, k, v, **changes):
        return merge(attend(*(split(x, self.n_heads) for x in (q, k, v)), **changes))

    def attention(self, x, order=(0, 1, 2), **changes):
        parts = self.qkv(x).chunk(3, -1)
        return self.out(self.heads(*(parts[place] for place in order), **changes))

    def ffn(self, x, bend=nn.functional.gelu):
        return self.down(bend(self.up(x)))


def _wrong(forward):
    """Make a class whose objects have the right parts and a wrong forward(layer, x)."""

    class TransformerLayer(_Parts):
        def forward(self, x):
            return forward(self, x)

    return TransformerLayer


def _pre(attention, ffn=lambda layer, x: layer.ffn(layer.norm2(x))):
    """Make a pre-norm layer with other branches: attention(layer, x) and ffn(layer, h), each with its norm."""

    def forward(layer, x):
        h = x + attention(layer, x)
        return h + ffn(layer, h)

    return _wrong(forward)


def _attending(**changes):
    return _pre(lambda layer, x: layer.attention(layer.norm1(x), **changes))


def _right(layer, x):
    return layer.attention(layer.norm1(x))


def _bent(bend):
    return _pre(_right, lambda layer, x: layer.ffn(layer.norm2(x), bend))


def _post(layer, x):
    h = layer.norm1(x + layer.attention(x))
    return layer.norm2(h + layer.ffn(h))


def _ffn_first(layer, x):
    h = x + layer.ffn(layer.norm2(x))
    return h + layer.attention(layer.norm1(h))


def _normalised_stream(layer, x):
    n = layer.norm1(x)
    h = n + layer.attention(n)
    m = layer.norm2(h)
    return m + layer.ffn(m)


def _post_with_first_norm(layer, x):
    h = layer.norm1(x + _right(layer, x))
    return layer.norm2(h + layer.ffn(h))


def _post_with_both_norms(layer, x):
    h = layer.norm1(x + _right(layer, x))
    return layer.norm2(h + layer.ffn(layer.norm2(h)))


def _first_normalised(layer, x):
    n = layer.norm1(x)
    h = n + layer.attention(n)
    return h + layer.ffn(layer.norm2(h))


def _second_normalised(layer, x):
    m = layer.norm2(x + _right(layer, x))
    return m + layer.ffn(m)


def _per_head(layer, x):
    """Read qkv as (n_heads, 3, head_dim): the three of a head side by side."""
    packed = layer.qkv(layer.norm1(x)).unflatten(-1, (layer.n_heads, 3, -1))
    return layer.out(layer.heads(*(packed.select(-2, place).flatten(-2) for place in range(3))))


def _interleaved(layer, x):
    packed = layer.qkv(layer.norm1(x)).unflatten(-1, (-1, 3))
    return layer.out(layer.heads(*packed.unbind(-1)))


def _eps(eps):
    def normed(norm, x):
        return nn.functional.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, eps)

    return _pre(
        lambda layer, x: layer.attention(normed(layer.norm1, x)), lambda layer, x: layer.ffn(normed(layer.norm2, x))
    )


def _detached_weights(layer, x):
    q, k, v = layer.qkv(layer.norm1(x)).chunk(3, -1)
    return layer.out(layer.heads(q.detach(), k.detach(), v))


def _detached_stream(layer, x):
    h = x.detach() + _right(layer, x)
    return h + layer.ffn(layer.norm2(h))


def _detached_middle(layer, x):
    h = x + _right(layer, x)
    return h.detach() + layer.ffn(layer.norm2(h))


def _unbiased(layer, x):
    def normed(norm, tokens):
        spread = (tokens.var(-1, keepdim=True) + 1e-5).sqrt()
        return norm.weight * (tokens - tokens.mean(-1, keepdim=True)) / spread + norm.bias

    h = x + layer.attention(normed(layer.norm1, x))
    return h + layer.ffn(normed(layer.norm2, h))


EXERCISE = Exercise(
    id="build_layer.layer",
    kind="class",
    cases=_cases,
    oracle=_oracle,
    returns=(
        Returns("the output", ("...", "seq_len", "d_model")),
        Returns("the gradient at x", ("...", "seq_len", "d_model")),
        Returns("the gradient of the weights", ("weights",)),
    ),
    run=_run,
    tolerance=TOLERANCE,
    tries=60,
    mistakes=(
        Mistake(
            "no-attention-residual",
            _wrong(lambda layer, x: (h := _right(layer, x)) + layer.ffn(layer.norm2(h))),
            "The residual around attention is missing: what attention returns replaces the tokens.",
        ),
        Mistake(
            "no-ffn-residual",
            _wrong(lambda layer, x: layer.ffn(layer.norm2(x + _right(layer, x)))),
            "The residual around the FFN is missing: only what the FFN writes comes out.",
        ),
        Mistake(
            "no-residuals",
            _wrong(lambda layer, x: layer.ffn(layer.norm2(_right(layer, x)))),
            "Both residuals are missing: each sub-layer replaces the tokens, where it should add to them.",
        ),
        Mistake(
            "second-residual-x",
            _wrong(lambda layer, x: x + layer.ffn(layer.norm2(x + _right(layer, x)))),
            "The second residual adds x again, so what attention wrote is lost from the stream.",
        ),
        Mistake(
            "residual-normalised",
            _wrong(_normalised_stream),
            "The residuals carry normalised tokens: only the sub-layers read those, and the stream stays as it is.",
        ),
        Mistake(
            "first-residual-normalised",
            _wrong(_first_normalised),
            "The first residual carries norm1(x): only attention reads the normalised copy, and the stream stays as it is.",
        ),
        Mistake(
            "second-residual-normalised",
            _wrong(_second_normalised),
            "The second residual carries normalised tokens: only the FFN reads that copy, and the stream stays as it is.",
        ),
        Mistake(
            "norms-around-sums",
            _wrong(_post_with_first_norm),
            "Attention reads norm1(x), as it should, but norm1 and norm2 also stand around the sums, as in post-norm.",
        ),
        Mistake(
            "norms-everywhere",
            _wrong(_post_with_both_norms),
            "Both sub-layers read normalised tokens, as they should, but the norms also stand around the sums.",
        ),
        Mistake(
            "post-norm", _wrong(_post), "This is post-norm: it normalises after adding. The layer should be pre-norm."
        ),
        Mistake(
            "norm-after",
            _pre(lambda layer, x: layer.norm1(layer.attention(x)), lambda layer, x: layer.norm2(layer.ffn(x))),
            "The norms come after the sub-layers; in pre-norm the sub-layers read normalised tokens.",
        ),
        Mistake(
            "norm1-for-both",
            _pre(_right, lambda layer, x: layer.ffn(layer.norm1(x))),
            "norm1 stands before both sub-layers: the FFN has a norm of its own, norm2.",
        ),
        Mistake(
            "norm2-for-both",
            _pre(lambda layer, x: layer.attention(layer.norm2(x))),
            "norm2 stands before both sub-layers: attention has a norm of its own, norm1.",
        ),
        Mistake(
            "norms-swapped",
            _pre(lambda layer, x: layer.attention(layer.norm2(x)), lambda layer, x: layer.ffn(layer.norm1(x))),
            "The two norms have changed places: norm1 belongs to attention, norm2 to the FFN.",
        ),
        Mistake(
            "no-norm1", _pre(lambda layer, x: layer.attention(x)), "Attention reads x as it is: its norm is missing."
        ),
        Mistake(
            "no-norm2",
            _pre(_right, lambda layer, x: layer.ffn(x)),
            "The FFN reads the stream as it is: its norm is missing.",
        ),
        Mistake(
            "no-norms",
            _pre(lambda layer, x: layer.attention(x), lambda layer, x: layer.ffn(x)),
            "Both norms are missing; the two residuals are in place.",
        ),
        Mistake(
            "norm-twice",
            _pre(
                lambda layer, x: layer.attention(layer.norm1(layer.norm1(x))),
                lambda layer, x: layer.ffn(layer.norm2(layer.norm2(x))),
            ),
            "Each norm is applied twice: with its gain and its shift the second time changes the tokens again.",
        ),
        Mistake(
            "final-norm",
            _wrong(lambda layer, x: layer.norm2((h := x + _right(layer, x)) + layer.ffn(layer.norm2(h)))),
            "There is one norm too many at the end: the layer returns the plain stream.",
        ),
        Mistake(
            "parallel",
            _wrong(lambda layer, x: x + _right(layer, x) + layer.ffn(layer.norm2(x))),
            "Attention and FFN both read x; here the FFN reads what attention left in the stream.",
        ),
        Mistake("ffn-first", _wrong(_ffn_first), "The FFN comes before attention: first gather, then compute."),
        Mistake(
            "no-attention",
            _pre(lambda layer, x: 0),
            "Attention never acts: the tokens do not look at each other.",
        ),
        Mistake("no-ffn", _pre(_right, lambda layer, x: 0), "The FFN never acts: the layer ends after attention."),
        Mistake(
            "packed-kqv",
            _attending(order=(1, 0, 2)),
            "Queries and keys have changed places: the first d_model rows of qkv make q, the next k, the last v.",
        ),
        Mistake(
            "packed-vkq",
            _attending(order=(2, 1, 0)),
            "The three are taken as v, k, q: the first d_model rows of qkv make q, the next k, the last v.",
        ),
        Mistake(
            "packed-qvk",
            _attending(order=(0, 2, 1)),
            "Keys and values have changed places: the first d_model rows of qkv make q, the next k, the last v.",
        ),
        Mistake(
            "packed-vqk",
            _attending(order=(1, 2, 0)),
            "The three are taken as v, q, k: the first d_model rows of qkv make q, the next k, the last v.",
        ),
        Mistake(
            "packed-kvq",
            _attending(order=(2, 0, 1)),
            "The three are taken as k, v, q: the first d_model rows of qkv make q, the next k, the last v.",
        ),
        Mistake(
            "packed-by-head",
            _pre(_per_head),
            "qkv is split into heads first and then into q, k and v: torch packs all of q first, then all of k, then all of v.",
        ),
        Mistake(
            "packed-interleaved",
            _pre(_interleaved),
            "q, k and v are read in turns, number by number: torch packs all of q first, then all of k, then all of v.",
        ),
        Mistake(
            "no-out",
            _pre(lambda layer, x: layer.heads(*layer.qkv(layer.norm1(x)).chunk(3, -1))),
            "The heads' outputs go into the stream as they are: the projection `out` is never called.",
        ),
        Mistake(
            "one-head",
            _pre(lambda layer, x: layer.out(attend(*layer.qkv(layer.norm1(x)).chunk(3, -1)))),
            "All features form one head: n_heads splits nothing.",
        ),
        Mistake("no-mask", _attending(keep="all"), "Attention is not causal: tokens see the tokens after them."),
        Mistake(
            "mask-transposed",
            _attending(keep="triu"),
            "The mask of attention is transposed: tokens see what comes later.",
        ),
        Mistake("no-scale", _attending(scale=1.0), "The scores of attention are not divided by √head_dim."),
        Mistake(
            "scale-d-model",
            _pre(lambda layer, x: layer.attention(layer.norm1(x), scale=math.sqrt(x.shape[-1]))),
            "The scores of attention are divided by √d_model, not by √head_dim.",
        ),
        Mistake("relu", _bent(torch.relu), "The FFN's activation is ReLU; use exact GELU."),
        Mistake(
            "gelu-tanh",
            _bent(lambda z: nn.functional.gelu(z, approximate="tanh")),
            "The FFN's activation is the tanh form of GELU; use the exact one, with erf.",
        ),
        Mistake("silu", _bent(nn.functional.silu), "The FFN's activation is SiLU; use exact GELU."),
        Mistake(
            "quick-gelu",
            _bent(lambda z: z * torch.sigmoid(1.702 * z)),
            "The FFN's activation is the sigmoid form of GELU; use the exact one, with erf.",
        ),
        Mistake("no-bend", _bent(lambda z: z), "There is no activation between up and down; use exact GELU."),
        Mistake("eps-small", _eps(1e-6), "The norms use eps = 1e-6; torch's layer has 1e-5."),
        Mistake(
            "unbiased",
            _wrong(_unbiased),
            "The norms divide the variance by d_model − 1; torch's layer divides by d_model.",
        ),
        HalfRight(
            "detached-weights",
            _pre(_detached_weights),
            "The output is right, but queries and keys are detached: no gradient says where attention should look.",
        ),
        HalfRight(
            "detached-stream",
            _wrong(_detached_stream),
            "The output is right, but the first residual is detached: the gradient at x passes through attention alone.",
        ),
        HalfRight(
            "detached-middle",
            _wrong(_detached_middle),
            "The output is right, but the second residual is detached: gradients reach attention through the FFN alone.",
        ),
    ),
    hints=(
        "Two halves of the same form, as in lesson 07: read a normalised copy of the stream, then add to the stream.",
        "self.qkv maps d_model to 3 · d_model; chunk(3, dim=-1) cuts its output into q, k and v, each (..., seq_len, d_model).",
        "Start __init__ with super().__init__() and self.n_heads = n_heads; start forward with q, k, v = ….chunk(3, dim=-1), then x = x + ….",
    ),
    right="With torch's weights it gives torch's output and torch's gradients, to 1e-10. The layer is yours.",
)
