"""The microscope on a real model: Python computes what the component real_microscope shows, each time it asks.

FFNs count from 1 here, as in the microscope; units, features and tokens from 0.
"""

import base64
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache

from course_lib.components import FOLDER
from course_lib.model import real
from course_lib.model.one_thread import torch
from courseware.arguments import integer, words
from courseware.page.components import Component
from lessons.real_model import figures

MOST = 64  # tokens
BARS = 5
AS_IS = {"off": "", "value": None}  # of a question: no change
ENTRY = (12, 507, 1229)  # the number that is offered first: FFN, feature, unit


@dataclass(frozen=True)
class Seen:
    """What the model does with a text.

    tokens, spans: the tokens, and from where to where in the text they stand.
    rows: the stream before each layer and after the last, (1, seq_len, d_model) each.
    hidden: the hidden values of each FFN, (seq_len, d_ff) each.
    written: the length of what each FFN writes, divided by that of the row it is added to, (ffns, seq_len).
    """

    codes: torch.Tensor
    tokens: list[str]
    spans: list[tuple[int, int]]
    rows: list[torch.Tensor]
    hidden: list[torch.Tensor]
    written: torch.Tensor
    is_cut: bool


def microscope(text: str, ffn: int, unit: int, model: real.RealModel) -> Component:
    """Return the component with a text; arguments as of `course_lib.microscope.microscope`."""
    lens = Lens(model)
    ffn, unit = integer("ffn", ffn, 1, lens.ffns), integer("unit", unit, 0, lens.units - 1)
    state = {"text": words("text", text), "ffn": ffn, "unit": unit, "entry": list(ENTRY)} | AS_IS
    sizes = {"ffns": lens.ffns, "units": lens.units, "features": lens.features, "tokens": MOST}
    data = {"sizes": sizes, "first": lens.answer(state | {"caret": len(text)})}
    seen = lens.seen(text)
    still = figures.microscope(
        tokens=seen.tokens,
        ffn=ffn,
        unit=unit,
        values=seen.hidden[ffn - 1][:, unit].tolist(),
        field=seen.hidden[ffn - 1][-1].tolist(),
        full=full(seen.hidden[ffn - 1]),
        written=seen.written[:, -1].tolist(),
        expected={token: p for token, p, _ in data["first"]["expected"]},
    )
    return Component("real_microscope", data, state, still=still, folder=FOLDER, answer=lens.answer)


def full(hidden: torch.Tensor) -> float:
    """Return the value that has the full colour: the largest of an FFN, (seq_len, d_ff), but for the first token."""
    return hidden[min(1, len(hidden) - 1) :].abs().max().item()


class Lens:
    """A model, and what it has made of the last texts."""

    def __init__(self, model: real.RealModel):
        self.model, self.seen = model, lru_cache(maxsize=3)(self._look)
        self.ffns, (self.features, self.units) = len(model.layers), model.layers[0].mlp.down_proj.weight.shape

    def answer(self, question: dict) -> dict:
        """Return what the component shows, as JSON holds it.

        Args:
            question: the component's state, and `caret`, the number of characters before the caret.
        """
        seen, ffn, (changed, feature, unit) = self.seen(question["text"]), question["ffn"], question["entry"]
        at = max(sum(start < question["caret"] for start, _ in seen.spans) - 1, 0)
        p = self.logits(question | AS_IS, at).softmax(-1)
        other = None if question == question | AS_IS else self.logits(question, at).softmax(-1)
        return {
            "at": at,
            "tokens": seen.tokens,
            "ends": [end for _, end in seen.spans],
            "is_cut": seen.is_cut,
            "hidden": _packed(seen.hidden[ffn - 1]),
            "written": seen.written[:, at].tolist(),
            "expected": [(*one, None if other is None else other[code].item()) for code, *one in self._best(p, BARS)],
            "instead": None if other is None else self._best(other, 1)[0][1:],
            "entry": self.model.layers[changed - 1].mlp.down_proj.weight[feature, unit].item(),
        }

    def logits(self, question: dict, at: int) -> torch.Tensor:
        """Return the logits after one token of a text, (vocabulary,), with the changes that a question asks for."""
        seen, layer = self.seen(question["text"]), self.model.layers[question["ffn"] - 1]
        off = question["off"].split(",")
        first = question["ffn"] - 1 if any(off) else len(self.model.layers)  # up to here all is as it was seen
        with ExitStack() as stack:
            if "ffn" in off:
                stack.enter_context(real.writing(layer.mlp, torch.zeros_like))
            if "attention" in off:
                stack.enter_context(real.writing(layer.self_attn, torch.zeros_like))
            if "unit" in off:
                zero = torch.tensor(question["unit"])
                stack.enter_context(real.reading(layer.mlp.down_proj, lambda h, _: h.index_fill(-1, zero, 0)))
            if question["value"] is not None:
                number, feature, unit = question["entry"]
                first, column = min(first, number - 1), self.model.layers[number - 1].mlp.down_proj.weight[:, unit]
                stack.enter_context(real.changed(column, lambda column: column[feature].fill_(question["value"])))
            rows = self.model.rows(seen.codes[:, : at + 1], seen.rows[first][:, : at + 1], first)[-1]
        return self.model.model.lm_head(self.model.model.model.norm(rows[0, -1]))

    def _best(self, p, count):
        """Return (number, word, probability) of the likeliest tokens."""
        codes = p.argsort(descending=True, stable=True)[:count].tolist()
        decoded = self.model.tokenizer.decode
        return [(code, decoded([code], skip_special_tokens=False), p[code].item()) for code in codes]

    def _look(self, text):
        """Return what the model does with a text."""
        found = self.model.tokenizer.encode(text)
        codes, written = self.model.codes(text)[:, :MOST], []

        def noted(y):
            written.append(y)
            return y

        mlps = [layer.mlp for layer in self.model.layers]
        with real.watching([mlp.down_proj for mlp in mlps]) as hidden, real.writing(mlps, noted):
            rows = self.model.rows(codes)
        lengths = [y[0].norm(dim=-1) / (after - y)[0].norm(dim=-1) for y, after in zip(written, rows[1:], strict=True)]
        tokens, spans, is_cut = self.model.tokens(text)[:MOST], found.offsets[:MOST], len(found.ids) > MOST
        return Seen(codes, tokens, spans, rows, [h[0] for h in hidden], torch.stack(lengths), is_cut)


def _packed(hidden):
    """Return hidden values as floats of 16 bits, one after the other, in base64."""
    return base64.b64encode(hidden.numpy().astype("<f2").tobytes()).decode()
