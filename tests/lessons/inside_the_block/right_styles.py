"""Right answers to the exercises of inside_the_block, written in many styles."""

import functools

import numpy as np


def pre_named_parts(x, attention, ffn, norm1, norm2):
    gathered = attention(norm1(x))
    middle = np.add(x, gathered)
    computed = ffn(norm2(middle))
    return np.add(middle, computed)


def pre_loop(x, attention, ffn, norm1, norm2):
    for sub_layer, norm in zip((attention, ffn), (norm1, norm2), strict=True):
        x = x + sub_layer(norm(x))
    return x


def post_named_parts(x, attention, ffn, norm1, norm2):
    after_attention = norm1(np.add(attention(x), x))
    after_ffn = norm2(np.add(ffn(after_attention), after_attention))
    return after_ffn


def post_loop(x, attention, ffn, norm1, norm2):
    for sub_layer, norm in ((attention, norm1), (ffn, norm2)):
        x = norm(x + sub_layer(x))
    return x


def post_reduce(x, attention, ffn, norm1, norm2):
    def half(tokens, pair):
        return pair[1](tokens + pair[0](tokens))

    return functools.reduce(half, [(attention, norm1), (ffn, norm2)], x)


def repair_into_arrays(x, attention, ffn, norm1, norm2):
    gathered = np.add(x, attention(norm1(x)))
    a = np.add(gathered, ffn(norm2(gathered)))
    b = np.copy(x)
    for _ in range(2):
        np.add(b, attention(norm1(b)), out=b)
        np.add(b, ffn(norm2(b)), out=b)
    between = norm1(np.add(attention(x), x))
    return a, b, norm2(np.add(ffn(between), between))


def repair_b_by_zero(x, attention, ffn, norm1, norm2):
    a = attention(norm1(x)) + x
    a = a + ffn(norm2(a))
    b = x + 0
    for _ in range(2):
        b += attention(norm1(b))
        b += ffn(norm2(b))
    c = norm1(x + attention(x))
    c = norm2(ffn(c) + c)
    return [a, b, c]


def repair_without_in_place(x, attention, ffn, norm1, norm2):
    a = pre_named_parts(x, attention, ffn, norm1, norm2)
    b = x
    for _ in range(2):
        b = b + attention(norm1(b))
        b = b + ffn(norm2(b))
    return a, b, post_named_parts(x, attention, ffn, norm1, norm2)


def repair_with_blocks(x, attention, ffn, norm1, norm2):
    parts = {"attention": attention, "ffn": ffn, "norm1": norm1, "norm2": norm2}
    once = pre_loop(x, **parts)
    return once, pre_loop(once, **parts), post_loop(x, **parts)


def repair_with_np_array(x, attention, ffn, norm1, norm2):
    a = np.array(x)
    a += attention(norm1(a))
    a += ffn(norm2(a))
    b = np.array(x)
    for sub_layer, norm in ((attention, norm1), (ffn, norm2)) * 2:
        b += sub_layer(norm(b))
    c = post_reduce(x, attention, ffn, norm1, norm2)
    return a, b, c


STYLES = {
    "inside_the_block.repair": [
        repair_into_arrays,
        repair_b_by_zero,
        repair_without_in_place,
        repair_with_blocks,
        repair_with_np_array,
    ],
}
