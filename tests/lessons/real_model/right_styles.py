"""Right answers to the exercises of "A real model", in styles other than that of the worked solutions."""

import math

import numpy as np

from course_lib.model.one_thread import nn, torch
from lessons.real_model.which_change import NAMES, compute


def norm_row_by_row(x, g, eps):
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = x[i] / math.sqrt(sum(x[i] ** 2) / len(x[i]) + eps) * g
    return y


def norm_as_llama(hidden_states, weight, eps):
    hidden_states = torch.from_numpy(hidden_states)
    variance = hidden_states.pow(2).mean(-1, keepdim=True)
    return (torch.from_numpy(weight) * (hidden_states * torch.rsqrt(variance + eps))).numpy()


def norm_by_length(x, g, eps):
    length = np.linalg.norm(x, axis=1)
    return g * x / np.sqrt(length**2 / x.shape[1] + eps)[:, np.newaxis]


def norm_with_einsum(x, gain, eps):
    d_model = x.shape[-1]
    mean = np.einsum("ij,ij->i", x, x) / d_model
    return np.einsum("ij,i,j->ij", x, (mean + eps) ** -0.5, gain)


def norm_transposed(x, g, eps):
    scale = 1 / np.sqrt(np.mean(np.square(x), axis=1) + eps)
    return (x.T * scale).T * g


def in_a_loop(state, layer):
    matrices = []
    for part in ["gate_proj", "up_proj", "down_proj"]:
        matrices.append(np.transpose(state["model.layers." + str(layer) + ".mlp." + part + ".weight"]))
    return matrices


def by_the_end_of_the_name(state, layer):
    def find(end):
        (found,) = [array for name, array in state.items() if name.endswith(f"layers.{layer}.mlp.{end}.weight")]
        return found.swapaxes(0, 1)

    return find("gate_proj"), find("up_proj"), find("down_proj")


def three_at_once(weights, number):
    prefix = f"model.layers.{number}.mlp."
    return tuple(weights[prefix + name].T.copy() for name in ("gate_proj.weight", "up_proj.weight", "down_proj.weight"))


def with_split_names(state, layer):
    found = {}
    for name, array in state.items():
        parts = name.split(".")
        if parts[:3] == ["model", "layers", str(layer)] and parts[3] == "mlp":
            found[parts[4]] = np.einsum("oi->io", array)
    return found["gate_proj"], found["up_proj"], found["down_proj"]


def through_torch(state, layer):
    """Read each matrix off a layer: what it returns for the rows of the identity."""

    def read(part):
        weight = torch.from_numpy(state[f"model.layers.{layer}.mlp.{part}.weight"])
        with torch.no_grad():
            return nn.functional.linear(torch.eye(weight.shape[1], dtype=weight.dtype), weight).numpy()

    return read("gate_proj"), read("up_proj"), read("down_proj")


def the_nearest(ffn, g, W_gate, W_up, W_down, eps):
    x = np.random.default_rng(3).normal(size=(6, len(g)))
    y = ffn(x)
    return min(NAMES, key=lambda name: np.abs(y - compute(name, x, g, W_gate, W_up, W_down, eps)).max())


def with_tanh_gelu(ffn, g, W_gate, W_up, W_down, eps):
    """Compare with GELU's tanh form, which is near enough for the nearest of six."""

    def gelu(z):
        return z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3))) / 2

    def silu(z):
        return z / (1 + np.exp(-z))

    x = np.random.randn(10, len(g))
    rms = np.sqrt(np.mean(x**2, axis=1, keepdims=True) + eps)
    mean = np.mean(np.abs(x), axis=1, keepdims=True) + eps
    late = np.sqrt(np.mean(x**2, axis=1, keepdims=True)) + eps
    u, v, w, n = x / rms * g, x / mean * g, x / late * g, x / rms
    outputs = [
        ((u @ W_gate) * silu(u @ W_up)) @ W_down,
        (gelu(u @ W_gate) * (u @ W_up)) @ W_down,
        (silu(u @ W_gate) * (u @ W_up)) @ W_down.T,
        (silu(n @ W_gate) * (n @ W_up)) @ W_down,
        (silu(v @ W_gate) * (v @ W_up)) @ W_down,
        (silu(w @ W_gate) * (w @ W_up)) @ W_down,
    ]
    return NAMES[int(np.argmin([np.linalg.norm(y - ffn(x)) for y in outputs]))]


def one_row(ffn, g, W_gate, W_up, W_down, eps):
    """Give one row without a second axis, and write the words in other ways."""
    x = np.arange(1.0, len(g) + 1) / len(g) - 0.3
    for name in NAMES:
        if np.allclose(ffn(x), compute(name, x, g, W_gate, W_up, W_down, eps)):
            return name.title().replace(" ", "_")
    return None


def by_experiments(ffn, g, W_gate, W_up, W_down, eps):
    """Ask for the norm first, by the size that changes nothing, then for the network."""
    d = len(g)
    rows = np.random.default_rng(5).normal(size=(5, d))
    tiny, huge = 1e-7 * rows, 1e7 * rows
    plain = rows / np.sqrt((rows**2).mean(axis=1, keepdims=True))

    def gated(u, W_gate, W_up, W_down):
        z = u @ W_gate
        return (z / (1 + np.exp(-z)) * (u @ W_up)) @ W_down

    if np.allclose(ffn(huge), gated(plain, W_gate, W_up, W_down), rtol=1e-4):
        return "no gain"
    if np.allclose(ffn(huge), gated(plain * g, W_gate, W_up, W_down), rtol=1e-4):
        return "eps outside"  # for huge rows eps counts nowhere
    if np.allclose(ffn(huge), gated(plain * g, W_up, W_gate, W_down), rtol=1e-4):
        return "gate and up exchanged"
    if np.allclose(ffn(huge), gated(plain * g, W_gate, W_up, W_down.T), rtol=1e-4):
        return "down transposed"
    far = tiny / eps * g  # for tiny rows a divisor outside a root is eps
    return "mean" if np.allclose(ffn(tiny), gated(far, W_gate, W_up, W_down), rtol=1e-4, atol=0) else "gelu"


def in_torch(ffn, g, W_gate, W_up, W_down, eps):
    g, W_gate, W_up, W_down = (torch.from_numpy(one) for one in (g, W_gate, W_up, W_down))
    x = torch.randn(7, len(g), dtype=torch.float64)
    y = torch.as_tensor(ffn(x))
    F = nn.functional

    def run(u, bend=F.silu, swap=False, down=W_down):
        a, b = (u @ W_up, u @ W_gate) if swap else (u @ W_gate, u @ W_up)
        return bend(a) * b @ down

    u = F.rms_norm(x, (len(g),), g, eps)
    fits = {
        "gate and up exchanged": run(u, swap=True),
        "gelu": run(u, F.gelu),
        "down transposed": run(u, down=W_down.mT),
        "no gain": run(F.rms_norm(x, (len(g),), None, eps)),
        "mean": run(x / (x.abs().mean(-1, keepdim=True) + eps) * g),
    }
    return next((name for name, other in fits.items() if torch.allclose(y, other)), "eps outside")


STYLES = {
    "real_model.rms_norm": [norm_row_by_row, norm_as_llama, norm_by_length, norm_with_einsum, norm_transposed],
    "real_model.from_llama": [
        in_a_loop,
        by_the_end_of_the_name,
        three_at_once,
        with_split_names,
        through_torch,
    ],
    "real_model.which_change": [the_nearest, with_tanh_gelu, one_row, by_experiments, in_torch],
}
