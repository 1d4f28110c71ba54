"""Right answers to the exercises of inside_a_language_model, written in many styles."""

import numpy as np
import torch


def counted_in_loops(h):
    total, used = 0, set()
    for row in h:
        for unit in range(len(row)):
            if row[unit] > 0:
                total += 1
                used.add(unit)
    return total / h.shape[0], len(used)


def by_nonzero(h):
    rows, units = np.nonzero(h)
    return len(rows) / len(h), len(np.unique(units))


def in_torch_units(h):
    active = torch.from_numpy(h) > 0
    return active.sum(dim=1).double().mean().item(), int(active.any(dim=0).sum())


def by_largest(h):
    return [np.count_nonzero(h) / len(h), np.count_nonzero(h.max(axis=0))]


def as_pair(h):
    per_character = np.sign(h).sum(1)
    return np.mean(per_character), np.sum(np.sign(h).sum(0) > 0)


def from_rates(active, label):
    if not active.any():
        return 0
    precision = (active & label).sum() / active.sum()
    recall = (active & label).sum() / label.sum()
    return 2 * precision * recall / (precision + recall)


def from_sets(active, label):
    a, b = set(np.flatnonzero(active)), set(np.flatnonzero(label))
    return 2 * len(a & b) / (len(a) + len(b))


def from_errors(active, label):
    hits = np.logical_and(active, label).sum()
    alarms = np.logical_and(active, ~label).sum()
    misses = np.logical_and(~active, label).sum()
    return hits / (hits + (alarms + misses) / 2)


def with_dots(active, label):
    a, b = active.astype(float), label.astype(float)
    return 2 * (a @ b) / (a.sum() + b.sum())


def harmonic(active, label):
    hits = sum(one and other for one, other in zip(active, label, strict=True))
    return 2 / (sum(active) / hits + sum(label) / hits) if hits else 0.0


def by_hand(W_down, gain, W_out, unit):
    w = np.array([row[unit] for row in W_down])
    w = w - sum(w) / len(w)
    return np.array([sum(o * g * x for o, g, x in zip(row, gain, w, strict=True)) for row in W_out])


def all_units_first(W_down, gain, W_out, unit):
    centred = W_down - W_down.mean(axis=0)
    return (W_out @ (gain[:, None] * centred))[:, unit]


def with_einsum(W_down, gain, W_out, unit):
    w = W_down.T[unit]
    return np.einsum("cd,d,d->c", W_out, gain, w - w.mean())


def in_torch_logits(W_down, gain, W_out, unit):
    w = torch.from_numpy(W_down)[:, unit]
    return ((w - w.mean()) * torch.from_numpy(gain) @ torch.from_numpy(W_out).T).numpy()


def gain_on_the_read_out(W_down, gain, W_out, unit):
    seen = W_out * gain
    return seen @ W_down[:, unit] - seen.sum(axis=1) * W_down[:, unit].mean()


def one_after_the_other(h, W_down, share):
    sizes = sorted((float(v) * float(np.linalg.norm(W_down[:, j])) for j, v in enumerate(h)), reverse=True)
    total, n = 0.0, 0
    while total < share * sum(sizes):
        total, n = total + sizes[n], n + 1
    return n


def by_searching(h, W_down, share):
    lengths = np.sqrt((W_down**2).sum(axis=0)) * h
    running = np.cumsum(-np.sort(-lengths))
    return np.searchsorted(running, share * running[-1]) + 1


def from_below(h, W_down, share):
    rising = np.sort(np.linalg.norm(W_down * h, axis=0))
    left_out = (np.cumsum(rising) <= (1 - share) * rising.sum()).sum()
    return len(h) - left_out


def in_torch_lengths(h, W_down, share):
    lengths = (torch.from_numpy(W_down) * torch.from_numpy(h)).norm(dim=0).sort(descending=True).values
    return int((lengths.cumsum(0) < share * lengths.sum()).sum()) + 1


def with_argmax(h, W_down, share):
    order = np.argsort(-(h * np.linalg.norm(W_down, axis=0)))
    lengths = np.linalg.norm(W_down[:, order] * h[order], axis=0)
    return 1 + int(np.argmax(lengths.cumsum() >= share * lengths.sum()))


def behind_by_einsum(h, W_down, gain, w_out):
    centred = W_down - W_down.mean(axis=0, keepdims=True)
    sizes = np.sort(np.abs(np.einsum("i,i,ij,j->j", w_out, gain, centred, h)))[::-1]
    return np.searchsorted(sizes.cumsum(), sizes.sum() / 2) + 1


def behind_on_the_read_out(h, W_down, gain, w_out):
    direction = w_out * gain
    sizes = sorted((abs(part) for part in h * (W_down.T @ (direction - direction.mean()))), reverse=True)
    total, taken = 0.0, 0
    while 2 * total < sum(sizes) * (1 - 1e-9):
        total, taken = total + sizes[taken], taken + 1
    return taken


def behind_with_torch(h, W_down, gain, w_out):
    columns = torch.from_numpy(W_down)
    writes = torch.from_numpy(w_out * gain) @ (columns - columns.mean(dim=0)) * torch.from_numpy(h)
    sizes = writes.abs().sort(descending=True).values
    return int((sizes.cumsum(0) < sizes.sum() / 2).sum()) + 1


def behind_in_plain_loops(h, W_down, gain, w_out):
    sizes = []
    for unit, value in enumerate(h):
        column = value * W_down[:, unit]
        sizes.append(abs(sum(w_out * gain * (column - column.mean()))))
    left, count = sum(sizes) / 2, 0
    for size in sorted(sizes)[::-1]:
        if left <= 1e-9 * sum(sizes):
            break
        left, count = left - size, count + 1
    return count


def behind_with_argmax(h, W_down, gain, w_out):
    written = np.abs(w_out @ (gain[:, None] * (W_down * h - (W_down * h).mean(axis=0))))
    running = np.cumsum(-np.sort(-written))
    return 1 + np.argmax(running >= running[-1] / 2)


def silenced_in_h(h, W_down, stream, predict, unit):
    quiet = h.copy()
    quiet[:, unit] = 0
    change = np.abs(predict(stream - h @ W_down.T + quiet @ W_down.T) - predict(stream))
    return change[h[:, unit] == 0].max(), change[h[:, unit] != 0].max()


def in_plain_loops(h, W_down, stream, predict, unit):
    without = np.array([row - value * W_down[:, unit] for row, value in zip(stream, h[:, unit], strict=True)])
    one, two, largest = predict(stream), predict(without), [0, 0]
    for place, value in enumerate(h[:, unit]):
        for a, b in zip(one[place], two[place], strict=True):
            largest[int(value > 0)] = max(largest[int(value > 0)], abs(a - b))
    return largest


def with_outer(h, W_down, stream, predict, unit):
    written = np.outer(h[:, unit], W_down[:, unit])
    largest = np.max(np.abs(predict(stream) - predict(stream - written)), axis=-1)
    return np.where(h[:, unit] == 0, largest, 0).max(), np.where(h[:, unit] > 0, largest, 0).max()


def by_sorting(h, W_down, stream, predict, unit):
    column = W_down.T[unit]
    rest = stream - h[:, unit, None] * column[None]
    gap = (predict(rest) - predict(stream)) ** 2
    groups = [np.flatnonzero(h[:, unit] == 0), np.flatnonzero(h[:, unit])]
    return tuple(float(np.sqrt(gap[group].max())) for group in groups)


def in_place_on_a_copy(h, W_down, stream, predict, unit):
    without = stream.copy()
    without -= np.einsum("n,d->nd", h[:, unit], W_down[:, unit])
    before, after = predict(stream), predict(without)
    off = ~h[:, unit].astype(bool)
    return np.ptp([before[off] - after[off], 0 * before[off]], axis=0).max(), abs(before[~off] - after[~off]).max()


def as_one_array(h):
    return np.array([(h > 0).sum(axis=1).mean(), (h > 0).any(axis=0).sum()])


def changes_in_one_array(h, W_down, stream, predict, unit):
    pair = np.stack([predict(stream), predict(stream - np.multiply.outer(h[:, unit], W_down[:, unit]))])
    change, zero = np.ptp(pair, axis=0).max(axis=1), h[:, unit] == 0
    return np.array([change[zero].max(), change[~zero].max()])


STYLES = {
    "inside_a_language_model.active_units": [
        counted_in_loops,
        by_nonzero,
        in_torch_units,
        by_largest,
        as_pair,
        as_one_array,
    ],
    "inside_a_language_model.f1": [from_rates, from_sets, from_errors, with_dots, harmonic],
    "inside_a_language_model.my_edit": [
        lambda: ("def", "!", 60),
        lambda: ("self", "Q", 50),
        lambda: ["self.", "z", 80.0],
        lambda: (" in", "i", 40),
        lambda: ("{", "Q", np.float64(100)),
    ],
    "inside_a_language_model.promotes": [
        by_hand,
        all_units_first,
        with_einsum,
        in_torch_logits,
        gain_on_the_read_out,
    ],
    "inside_a_language_model.units_needed": [
        one_after_the_other,
        by_searching,
        from_below,
        in_torch_lengths,
        with_argmax,
    ],
    "inside_a_language_model.units_behind": [
        behind_by_einsum,
        behind_with_torch,
        behind_in_plain_loops,
        behind_with_argmax,
        behind_on_the_read_out,
    ],
    "inside_a_language_model.where_it_is_zero": [
        silenced_in_h,
        in_plain_loops,
        with_outer,
        by_sorting,
        in_place_on_a_copy,
        changes_in_one_array,
    ],
}
