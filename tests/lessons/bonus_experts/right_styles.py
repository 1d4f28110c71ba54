"""Right answers to the exercises of bonus_experts, written in many styles."""

from fractions import Fraction
from math import comb

import numpy as np
import torch

from course_lib.model import accounting, experts


def with_minus_infinity(logits, k):
    least = np.sort(logits, axis=-1)[:, -k]
    z = np.where(logits >= least[:, None], logits, -np.inf)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


def divided_afterwards(logits, k):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    ranks = (-p).argsort(axis=1).argsort(axis=1)
    p = p * (ranks < k)
    return p / p.sum(axis=1, keepdims=True)


def token_by_token(logits, k):
    rows = []
    for row in logits:
        gates = np.zeros_like(row)
        best = np.argpartition(row, -k)[-k:]
        gates[best] = np.exp(row[best] - row[best].max())
        rows.append(gates / gates.sum())
    return np.array(rows)


def in_torch(logits, k):
    z = torch.from_numpy(logits)
    values, places = z.topk(k)
    return torch.zeros_like(z).scatter(1, places, values.softmax(dim=1)).numpy()


def from_the_course(logits, k):
    return experts.route(torch.from_numpy(logits), k).gates.numpy()


def with_fancy_indices(logits, k):
    order = np.argsort(-logits, axis=1)[:, :k]
    rows = np.arange(len(logits))[:, None]
    gates = np.zeros(logits.shape)
    gates[rows, order] = np.exp(logits[rows, order])
    gates /= gates.sum(axis=1)[:, None]
    return gates


def only_the_chosen(x, W, experts, k):
    g = with_minus_infinity(x @ W, k)
    y = np.zeros_like(x)
    for i, expert in enumerate(experts):
        rows = np.flatnonzero(g[:, i])
        if len(rows):
            y[rows] += g[rows, i][:, None] * expert(x[rows])
    return y


def stacked(x, W, experts, k):
    outputs = np.stack([expert(x) for expert in experts])
    return np.einsum("te,etd->td", divided_afterwards(x @ W, k), outputs)


def each_token_alone(x, router, networks, k):
    result = []
    for token in x:
        (g,) = token_by_token((token @ router)[None], k)
        result.append(sum(g[i] * networks[i](token) for i in np.nonzero(g)[0]))
    return np.vstack(result)


def as_a_sum(x, W, experts, k):
    return sum(g[:, None] * f(x) for g, f in zip(in_torch(x @ W, k).T, experts, strict=True))


def weights_then_matmul(x, W, experts, k):
    outputs = np.array([f(x) for f in experts]).swapaxes(0, 1)  # (tokens, experts, d_model)
    return (with_fancy_indices(x @ W, k)[:, None, :] @ outputs)[:, 0]


def dotted(probabilities, chosen):
    e = probabilities.shape[1]
    k = chosen[0].sum()
    return e * np.dot(chosen.mean(axis=0) / k, probabilities.mean(axis=0))


def looped(p, chosen):
    total = 0.0
    for i in range(p.shape[1]):
        total += p[:, i].mean() * np.count_nonzero(chosen[:, i]) / np.count_nonzero(chosen)
    return total * p.shape[1]


def loss_in_torch(p, chosen):
    return experts.balance_loss(torch.from_numpy(p), torch.from_numpy(chosen))


def with_matmul(p, chosen):
    n, n_experts = p.shape
    one = np.ones(n)
    return n_experts * (one @ p / n) @ (one @ chosen / chosen.sum())


def as_means(p, chosen):
    f = chosen.astype(float)
    f = f.mean(0) / f.mean(0).sum()
    return float((f * p.mean(0)).mean() * p.shape[1] ** 2)


def with_einsum(p, chosen):
    return np.einsum("te,se->", chosen, p) * p.shape[1] / chosen.sum() / len(p)


def with_counter(expert, capacity):
    from collections import Counter

    seen, result = Counter(), np.zeros(len(expert), dtype=bool)
    for t, e in enumerate(expert):
        result[t] = seen[e] < capacity
        seen[e] += 1
    return result


def with_cumsum(expert, capacity):
    one_hot = expert[:, None] == np.arange(expert.max() + 1)
    place = one_hot.cumsum(axis=0)[np.arange(len(expert)), expert]
    return place <= capacity


def dropped_are_not_counted(expert, capacity):
    full, result = {}, []
    for e in expert:
        fits = full.get(e, 0) < capacity
        full[e] = full.get(e, 0) + fits
        result.append(bool(fits))
    return result


def expert_by_expert(expert, capacity):
    result = np.zeros(expert.shape)
    for e in set(expert.tolist()):
        result[np.flatnonzero(expert == e)[:capacity]] = 1
    return result


def kept_by_the_course(expert, capacity):
    chosen = torch.nn.functional.one_hot(torch.as_tensor(expert)).bool()
    return experts.kept(chosen, capacity).any(dim=1).numpy()


def by_values(f):
    rng = np.random.default_rng(5)
    logits = 2 * rng.normal(size=(40, 6))
    g, right = f(logits, 2), from_the_course(logits, 2)
    if np.allclose(g, right):
        return "correct"
    if np.allclose(g, from_the_course(logits, 1)):
        return "one too few"
    if np.isin(g, [0, 0.5]).all():
        return "equal gates"
    if ((g > 0).sum(axis=1) > 2).any() and np.allclose(g.sum(axis=1), 1):
        return "zero logits"
    if np.allclose(g.sum(axis=0), 1):
        return "wrong axis"
    if np.allclose(g.sum(axis=1), 1):
        return "wrong expert"
    over_all = torch.from_numpy(logits).softmax(dim=1).numpy()
    return "not renormalised" if np.allclose(g[g > 0], over_all[g > 0]) else "zero logits"


def by_two_rows(f):
    logits = np.array([[3.0, 1.0, 2.0, -4.0], [0.0, 6.0, -1.0, 1.0]])
    g = np.round(f(logits, 2), 6)
    e = lambda *z: np.round(np.exp(z) / np.exp(z).sum(), 6)  # noqa: E731
    if np.array_equal(g[0, [0, 2]], e(3, 2)) and np.array_equal(g[1, [1, 3]], e(6, 1)) and (g > 0).sum() == 4:
        return "Correct"
    if np.allclose(g.sum(axis=0), 1, atol=1e-5):
        return "wrong axis"
    if (g[0] > 0).sum() == 1:
        return "one too few"
    if g[0, 0] == g[0, 2]:
        return "equal gates"
    if np.allclose(g.sum(axis=1), 1, atol=1e-5):
        return "zero logits" if (g[0] > 0).all() else "wrong expert"
    return "not renormalised" if np.isclose(g[0, 0], e(3, 1, 2, -4)[0]) else " zero  logits"


def by_changes(f):
    logits = np.random.default_rng(1).normal(size=(9, 5))
    g, moved = f(logits, 2), f(logits + 50, 2)
    if (g > 0).sum() == 9:
        return "one too few"
    if not np.allclose(g, moved):
        return "ZERO LOGITS"
    if not np.allclose(f(logits[:4], 2), g[:4]):
        return "wrong axis"
    if g[g > 0].std() < 1e-9:
        return "equal gates"
    if g.sum(axis=1).min() < 0.999:
        return "not renormalised"
    return "wrong expert" if any(row.argmax() != z.argmax() for row, z in zip(g, logits, strict=True)) else "correct"


def by_candidates(f):
    def softmax(z, axis=1):
        return np.exp(z) / np.exp(z).sum(axis=axis, keepdims=True)

    z = np.random.default_rng(2).normal(size=(30, 4))
    top = (-z).argsort(axis=1).argsort(axis=1) < 3
    candidates = {
        "correct": with_minus_infinity(z, 3),
        "not renormalised": softmax(z) * top,
        "equal gates": top / 3,
        "one too few": with_minus_infinity(z, 2),
        "wrong axis": softmax(np.where((-z).argsort(axis=0).argsort(axis=0) < 3, z, -np.inf), 0),
    }
    for name, gates in candidates.items():
        if np.allclose(f(z, 3), gates):
            return name
    zeros = softmax(np.where(top, z, 0))
    return "zero logits" if any(np.allclose(f(z, 3), one) for one in (zeros, zeros * top)) else "wrong expert"


def by_many_tests(f):
    z = np.random.default_rng(3).normal(size=(60, 7))
    g = np.asarray(f(z, 3))
    rows = g.sum(axis=1)
    names = {
        "wrong axis": np.allclose(g.sum(axis=0), 1) and not np.allclose(rows, 1),
        "one too few": ((g > 0).sum(axis=1) == 2).all(),
        "equal gates": np.ptp(g[g > 0]) < 1e-12,
        "zero logits": not np.allclose(f(z - 7, 3), g),
        "not renormalised": rows.max() < 1,
        "wrong expert": not np.array_equal(g.argmax(1), z.argmax(1)),
        "correct": True,
    }
    return next(name for name, holds in names.items() if holds)


def by_inclusion(n_experts, k, tokens):
    left_out = Fraction(comb(n_experts - 1, k), comb(n_experts, k)) ** tokens
    return float(n_experts * (1 - left_out))


def with_a_loop(n_experts, k, tokens):
    unused = float(n_experts)
    for _ in range(tokens):
        unused *= (n_experts - k) / n_experts
    return n_experts - unused


def with_sums(total, n_layers, d_model, d_ff, n_experts, k):
    expert = 2 * d_model * d_ff + d_ff * d_model
    rest = total - n_layers * n_experts * expert
    return rest + n_layers * k * expert


def counted_by_the_course(total, n_layers, d_model, d_ff, n_experts, k):
    layer = accounting.mixture_parameters(d_model, d_ff, n_experts, k, gated=True)
    return total - n_layers * (layer["held"] - layer["at work"])


def with_a_range(total, n_layers, d_model, d_ff, n_experts, k):
    for _ in range(n_layers):
        total -= (n_experts - k) * (2 * d_model * d_ff + d_ff * d_model)
    return total


def expert_by_expert_parameters(total, n_layers, d_model, d_ff, n_experts, k):
    shapes = [(d_model, d_ff), (d_model, d_ff), (d_ff, d_model)]
    idle = [np.prod(shape) for _ in range(n_layers) for _ in range(n_experts - k) for shape in shapes]
    return total - int(sum(idle))


# Truths may come in a list, and as the numbers 0 and 1.
ACCEPTS = {"bonus_experts.kept": {"list for array", "integers", "float32"}}

BORROWED = {
    "bonus_experts.gates": [from_the_course],
    "bonus_experts.balance_loss": [loss_in_torch],
    "bonus_experts.kept": [kept_by_the_course],
    "bonus_experts.distinct_experts": [accounting.distinct_experts],
    "bonus_experts.active_parameters": [counted_by_the_course],
}

STYLES = {
    "bonus_experts.gates": [
        with_minus_infinity,
        divided_afterwards,
        token_by_token,
        in_torch,
        with_fancy_indices,
    ],
    "bonus_experts.mixture": [only_the_chosen, stacked, each_token_alone, as_a_sum, weights_then_matmul],
    "bonus_experts.balance_loss": [dotted, looped, as_means, with_einsum, with_matmul],
    "bonus_experts.kept": [
        with_counter,
        with_cumsum,
        dropped_are_not_counted,
        expert_by_expert,
        lambda expert, capacity: [(expert[:t] == e).sum() < capacity for t, e in enumerate(expert)],
    ],
    "bonus_experts.which_router_bug": [by_values, by_two_rows, by_changes, by_candidates, by_many_tests],
    "bonus_experts.distinct_experts": [
        by_inclusion,
        with_a_loop,
        lambda n_experts, k, tokens: sum(1 - (1 - k / n_experts) ** tokens for _ in range(n_experts)),
        lambda E, k, n: E - E * ((E - k) / E) ** n,
        lambda n_experts, k, tokens: n_experts * -np.expm1(tokens * np.log1p(-k / n_experts)) if k < n_experts else k,
    ],
    "bonus_experts.active_parameters": [
        with_sums,
        expert_by_expert_parameters,
        with_a_range,
        lambda t, n, d, f, E, k: t - 3 * d * f * n * E + 3 * d * f * n * k,
        lambda t, n, d, f, E, k: t - n * (E - k) * accounting.gated_parameters(d, f),
        lambda t, n, d, f, E, k: float(t) - float(np.prod([3.0, n, d, f, E - k])),
    ],
}
