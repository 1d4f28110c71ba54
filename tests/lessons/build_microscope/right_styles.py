"""Right answers to the exercises of build_microscope, written in many styles."""

import heapq

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view


def with_a_pre_hook(model, ffn, pieces):
    rows = []
    handle = ffn.down.register_forward_pre_hook(lambda module, inputs: rows.append(inputs[0].detach().clone()))
    for piece in pieces:
        model(piece)
    handle.remove()
    return torch.cat([row.squeeze(0) for row in rows], dim=0)


def with_the_output_of_up(model, ffn, pieces):
    rows = []

    def keep(module, inputs, output):
        rows.append(output.detach().relu()[0])

    handle = ffn.up.register_forward_hook(keep)
    try:
        for piece in pieces:
            model(piece)
    finally:
        handle.remove()
    return torch.vstack(rows)


def one_hook_for_each_piece(model, ffn, pieces):
    rows = []
    for piece in pieces:
        with torch.no_grad(), ffn.down.register_forward_hook(lambda module, inputs, output: rows.append(inputs[0])):
            model(piece)
    return torch.cat(rows, dim=1)[0]


def with_a_dict(model, ffn, pieces):
    last = {}

    def keep(module, inputs, output):
        last["h"] = inputs[0]

    handle = ffn.down.register_forward_hook(keep)
    rows = []
    with torch.inference_mode():
        for piece in pieces:
            model(piece)
            rows += [*last["h"][0]]
    handle.remove()
    return torch.stack(rows)


def from_what_the_ffn_reads(model, ffn, pieces):
    rows = []

    def keep(module, inputs, output):
        (x,) = inputs
        rows.extend(torch.clamp(x @ ffn.up.weight.T + ffn.up.bias, min=0).flatten(0, 1))

    handle = ffn.register_forward_hook(keep)
    with torch.no_grad():
        [model(piece) for piece in pieces]
    handle.remove()
    return torch.stack(rows).detach()


def returning_the_output_unchanged(model, ffn, pieces):
    rows = []

    def keep(module, inputs, output):
        rows.append(inputs[0].reshape(-1, inputs[0].shape[-1]))
        return output

    handle = ffn.down.register_forward_hook(keep)
    for piece in pieces:
        model(piece)
    handle.remove()
    return torch.concatenate(rows).detach()


def in_loops(h, codes, k, width):
    places = sorted(range(width - 1, len(h)), key=lambda place: h[place], reverse=True)[:k]
    return np.array([codes[place - width + 1 : place + 1] for place in places])


def with_all_windows(h, codes, k, width):
    return sliding_window_view(codes, width)[np.argsort(h[width - 1 :])[::-1][:k]]


def masked(h, codes, k, width):
    late = h.copy()
    late[: width - 1] = -np.inf
    order = late.argsort()[-k:][::-1]
    return np.stack([codes[place + 1 - width :][:width] for place in order])


def one_after_the_other(h, codes, k, width):
    left, rows = h.astype(float).copy(), []
    left[: width - 1] = -1e300
    for _ in range(k):
        place = left.argmax()
        rows.append(codes[place - (width - 1) : place + 1])
        left[place] = -1e300
    return np.vstack(rows)


def with_torch(h, codes, k, width):
    places = torch.topk(torch.from_numpy(h[width - 1 :].copy()), k).indices
    return torch.from_numpy(codes).unfold(0, width, 1)[places].numpy()


def with_a_heap(h, codes, k, width):
    best = heapq.nlargest(k, zip(h[width - 1 :], range(len(h)), strict=False))
    return np.array([[codes[start + step] for step in range(width)] for _, start in best])


def one_direction_at_a_time(x, h, here, directions):
    count, hits, good = (h > 0).sum(), (here & (h > 0)).sum(), 0
    for v in directions:
        chosen = np.argsort(x @ v)[::-1][:count]
        good += here[chosen].sum() >= hits
    return good / len(directions)


def with_a_threshold(x, h, here, directions):
    scores, fires = x @ directions.T, h > 0
    limit = np.sort(scores, axis=0)[::-1][fires.sum() - 1]
    random = ((scores >= limit) & here[:, None]).sum(axis=0)
    return np.mean(random >= np.sum(fires & here))


def with_f1(x, h, here, directions):
    def f1(fires):
        return 2 * (fires & here).sum() / (fires.sum() + here.sum())

    found = []
    for v in directions:
        fires = np.zeros(len(h), dtype=bool)
        fires[np.argsort(-(x @ v))[: np.count_nonzero(h)]] = True
        found.append(f1(fires))
    return sum(one >= f1(h > 0) for one in found) / len(found)


def in_torch(x, h, here, directions):
    scores, label = torch.from_numpy(x) @ torch.from_numpy(directions).T, torch.from_numpy(here)
    fires = torch.from_numpy(h) > 0
    best = scores.topk(int(fires.sum()), dim=0).indices
    return (label[best].sum(dim=0) >= (fires & label).sum()).double().mean().item()


def with_ranks(x, h, here, directions):
    rank = np.argsort(np.argsort(-(directions @ x.T), axis=1), axis=1)  # (m, n)
    random = ((rank < np.sum(h > 0)) * here).sum(axis=1)
    return 1 - np.mean(random < here[h > 0].sum())


def with_a_set(x, h, here, directions):
    context = set(np.flatnonzero(here))
    unit = set(np.flatnonzero(h > 0))
    shares = [len(context & set(np.argsort(x @ -v)[: len(unit)])) >= len(context & unit) for v in directions]
    return sum(shares) / len(shares)


def with_cross_entropy(model, ffn, codes, following, unit, here):
    def silence(module, inputs):
        h = inputs[0].clone()
        h[:, :, unit] = 0
        return h

    with torch.no_grad():
        before = torch.nn.functional.cross_entropy(model(codes)[0], following, reduction="none")
        with ffn.down.register_forward_pre_hook(silence):
            after = torch.nn.functional.cross_entropy(model(codes)[0], following, reduction="none")
    change = (after - before) / np.log(2)
    return change[here].mean().item(), change[~here].mean().item()


def in_place(model, ffn, codes, following, unit, here):
    def silence(module, inputs):
        inputs[0][..., unit] = 0

    reads = []
    for hook in (None, silence):
        handle = ffn.down.register_forward_pre_hook(hook) if hook else None
        with torch.no_grad():
            p = model(codes)[0].softmax(dim=1)[range(len(following)), following]
        if handle is not None:
            handle.remove()
        reads.append(-p.log2().numpy())
    change, there = reads[1] - reads[0], here.numpy()
    return change[there].mean(), change[~there].mean()


def with_a_mask(model, ffn, codes, following, unit, here):
    keep = torch.ones(ffn.down.in_features, dtype=torch.float64)
    keep[unit] = 0
    before = model(codes).detach()
    handle = ffn.down.register_forward_pre_hook(lambda module, inputs: (inputs[0] * keep,))
    after = model(codes).detach()
    handle.remove()
    bits = [-one[0].log_softmax(-1).gather(1, following[:, None])[:, 0] / np.log(2) for one in (before, after)]
    change = bits[1] - bits[0]
    return float(change[here].sum() / here.sum()), float(change[~here].sum() / (~here).sum())


def taken_from_the_output(model, ffn, codes, following, unit, here):
    def take_away(module, inputs, output):
        return output - inputs[0][..., [unit]] * module.weight[:, unit]

    def bits():
        logits = model(codes)[0].detach().numpy()
        top = logits.max(axis=1, keepdims=True)
        logs = logits - top - np.log(np.exp(logits - top).sum(axis=1, keepdims=True))
        return -logs[np.arange(len(logits)), following.numpy()] / np.log(2)

    as_it_is = bits()
    handle = ffn.down.register_forward_hook(take_away)
    more = bits() - as_it_is
    handle.remove()
    return [more[here.numpy()].mean(), more[~here.numpy()].mean()]


def with_the_output_of_up_below_zero(model, ffn, codes, following, unit, here):
    def silence(module, inputs, output):
        output = output.clone()
        output[..., unit] = -1
        return output

    def bits():
        logits = model(codes)[0]
        return torch.logsumexp(logits, 1) - logits[torch.arange(len(logits)), following]

    with torch.no_grad():
        before = bits()
        handle = ffn.up.register_forward_hook(silence)
        change = (bits() - before) / torch.log(torch.tensor(2.0, dtype=torch.float64))
        handle.remove()
    inside, outside = change.numpy()[here.numpy()], change.numpy()[~here.numpy()]
    return np.mean(inside), np.mean(outside)


STYLES = {
    "build_microscope.hidden_values": [
        with_a_pre_hook,
        with_the_output_of_up,
        one_hook_for_each_piece,
        with_a_dict,
        from_what_the_ffn_reads,
        returning_the_output_unchanged,
    ],
    "build_microscope.strongest_contexts": [
        in_loops,
        with_all_windows,
        masked,
        one_after_the_other,
        with_torch,
        with_a_heap,
    ],
    "build_microscope.by_chance": [
        one_direction_at_a_time,
        with_a_threshold,
        with_f1,
        in_torch,
        with_ranks,
        with_a_set,
    ],
    "build_microscope.side_effects": [
        with_cross_entropy,
        in_place,
        with_a_mask,
        taken_from_the_output,
        with_the_output_of_up_below_zero,
    ],
}
ACCEPTS = {"build_microscope.strongest_contexts": {"list for array", "integers"}}
