"""What must not be read before a prediction asks for it: in README.md, and in all cells that come before it."""

import re

from lessons import catalogue, cells
from tests.publish.stored_notebook import output_texts, text

# The prediction, what gives its answer away, and a sentence that did or would.
FORBIDDEN = (
    ("linear_limits.predict_depth", r"\b42 numbers", "All eight fit into 42 numbers."),
    (
        "linear_limits.predict_line",
        r"\b(3|three) of (the )?(4|four) points|\bno (straight )?line (separates|solves|gets (XOR|all))",
        "It has 3 of 4 points right.",
    ),
    ("linear_limits.predict_width", r"\b14 %|\b14 of 100 starts", "2 units 14 %, 4 units 60 %"),
    ("relu_vs_gelu.predict_relu", r"average after ReLU: 0|\b0\.399", "average after ReLU: 0.4"),
    ("relu_vs_gelu.predict_lowest", r"lowest at x = .0\.75", "GELU is lowest at x = −0.75"),
    ("relu_vs_gelu.predict_slopes", r"slopes above 1|slope 1\.1[0-9]", "slopes above 1: GELU and SiLU."),
    ("relu_vs_gelu.predict_dead", r"\b100 % of (the )?(ReLU )?units|all ReLU units are dead", "relu: 100 % of units"),
    ("relu_vs_gelu.predict_kink", r"kink[^.;]*GELU[^.;]*highest", "kink |x|: GELU highest in every seed"),
    ("build_the_ffn.predict_batch", r"\(2, 10, 2048\)", "h has the shape (2, 10, 2048)."),
    ("build_the_ffn.predict_shore", r"0\.98 of a shore|h\b[^.;]*\b0\.49\b", "So y is 0.98 of a shore."),
    ("build_the_ffn.predict_clear", r"(zero_grad|never)[^.;]{0,40}\b3(\.1)?\b", "Adam, never cleared: 3.1"),
    ("build_the_ffn.predict_scale", r"N\(0, 1\)[^.;]*\b2[567]\b", "N(0, 1): from 25.1"),
    # A share of zeros, in words, per cent or counts, in either order.
    (
        "expand_and_contract.predict_zeros",
        r"(\bhalf\b|\d ?%|\d of (the )?\d+)[^.|]{0,30}\b(hidden )?(values?|of them)\b[^.|]{0,20}\b(zeros?\b|to 0\b)",
        "32 values after the first layer, the same after ReLU with about half of them exactly zero",
    ),
    (
        "expand_and_contract.predict_zeros",
        r"\bzeros?\b[^.|]{0,40}(\bhalf\b|\d ?%)[^.|]{0,20}(values|numbers)",
        "Exactly zero after the activation: 45 % of the values",
    ),
    ("expand_and_contract.predict_zeros", r"sets \d+ of the \d+", "ReLU sets 3 of the 12 hidden values to 0"),
    ("expand_and_contract.predict_recall_2x", r"\b26 (% of the|of 100) pairs", "26 of 100 pairs recalled"),
    ("expand_and_contract.predict_recall_4x", r"\b84 (% of the|of 100) pairs", "84 of 100 pairs recalled"),
    (
        "expand_and_contract.predict_hurried",
        r"71,? 84,? 40,? (and )?6\b",
        "at 4, 8, 16 and 32 times the width: 71 84 40 6",
    ),
    ("expand_and_contract.predict_rank", r"\b8 of 32\b", "after the first layer 8 of 32"),
    (
        "position_independence.predict_numbers",
        r"\b8 of (the )?40\b|\bown row only|only the diagonal",
        "looks which outputs move: the FFN's own row only",
    ),
    (
        "position_independence.predict_causal",
        r"\b15 of 25\b|diagonal and everything below",
        "for causal attention the diagonal and everything below it",
    ),
    ("parameter_share.predict_count", r"\b2\.10? million|2,099,712", "An FFN has 2.1 million parameters."),
    (
        "parameter_share.predict_share",
        r"\btwo thirds of (each|the|a) layer|\b66\.6 ?%|\b67 ?%",
        "in the original encoder it holds two thirds of each layer's numbers",
    ),
    ("parameter_share.predict_model", r"40\.0 % \(Transformer base\)", "from 40.0 % (Transformer base) to 98.2 %"),
    ("parameter_share.predict_crossover", r"\b1,?024 tokens", "Attention costs as much at 1,024 tokens."),
    (
        "parameter_share.predict_read",
        r"\b32\.[78]\d* thousand|\b33 thousand",
        "256 together: 32.8 thousand weights read for a token",
    ),
    (
        "inside_the_block.predict_copy",
        r"error[^.]*1/4, to 1e-3|without attention[^.;]*(1/4|¼|\b0?\.25\b)",
        "All other runs end at an error of 1/4, to 1e-3",
    ),
    (
        "inside_the_block.predict_linear",
        r"without (the|its|an) (activation|bend|nonlinearity)[^.;]*(opposite|[−-]2\.6)|told the opposite",
        "without the activation, every row with less evidence is told the opposite",
    ),
    ("inside_the_block.predict_heads", r"2 heads: \d|two heads (in one layer )?(do|did|learn\w*) ", "2 heads: 6 of 6"),
    (
        "inside_the_block.predict_norm",
        r"LayerNorm\(x \+ 3\) is|LayerNorm (removes|subtracts) (the|a) constant",
        "LayerNorm(x + 3) is LayerNorm(x) to 1e-12: True",
    ),
    (
        "inside_the_block.predict_growth",
        r"root of the number of blocks|96 blocks[^.;]*\b1[01]\b",
        "after 96 blocks the stream is 11 times as large",
    ),
    ("inside_the_block.predict_collapse", r"(?i)\bbelow 1e-10", "0.69 to 0.94; the others below 1e-10."),
    (
        "bonus_swiglu.predict_percent",
        r"\+50 %|\b50 % more|half as many (parameters )?again",
        "It costs half as many parameters again.",
    ),
    (
        "bonus_swiglu.predict_units",
        r"\b(two|2) (gated|SwiGLU) units|SwiGLU takes (two|2)\b",
        "multiply two features exactly, with two gated units set by hand",
    ),
    (
        "bonus_swiglu.predict_added",
        r"added is better|adding (its|the) halves[^.;]*better",
        "added is better than SwiGLU in 10 of 10",
    ),
    ("bonus_experts.predict_match", r"dense, 128 units", "dense, 128 units 0.13"),
    ("bonus_experts.predict_share", r"favourite expert[^.;]*0\.6[5-9]", "share of a favourite expert: 0.67"),
    (
        "inside_a_language_model.predict_untrained",
        r"(before|without) (any )?training[^.;]*(\b7\.32|worse than (even )?guessing)",
        "the model before training: 7.320 bits",
    ),
    ("inside_a_language_model.predict_zeros", r"\b0?\.953|\b95(\.3)? %", "FFN 2: 0.953 after training"),
    (
        "inside_a_language_model.predict_somewhere",
        r"\b508 (of|units)|(nearly )?all units work somewhere",
        "508 of 512 units work somewhere",
    ),
    (
        "inside_a_language_model.predict_named",
        r"\b(20|twenty) (units|of 1,?536)",
        "A name was found for 20 of 1536 units.",
    ),
    (
        "inside_a_language_model.predict_harm",
        r"less than 0\.001|under 0\.001 bits|harms nothing|elsewhere: 2\.101|bits elsewhere[^.;]*0\.000",
        "bits per character elsewhere: 2.101 -> 2.101",
    ),
    (
        "inside_a_language_model.predict_swap",
        r"\bwide(r)?\b[^.;]{0,40}\+0\.128|wider attention wins back more",
        "attention, wide: +0.128",
    ),
    (
        "build_backward.predict_uphill",
        r"uphill (begins|from)[^;]*\b(0\.021|2\.0|twice)\b|twice the (best|step)",
        "Uphill begins at 0.021",
    ),
    (
        "build_microscope.predict_share",
        r"56 are self",
        "Of 1,306 firings, 56 are self.: 4 %.",
    ),
    (
        "build_microscope.predict_chance",
        r"by chance 0\.31\b|\b31 % of (the )?1,000 random",
        "and 31 % of 1,000 random directions do as well",
    ),
    (
        "build_microscope.predict_elsewhere",
        r"\+?16 bits at 192|\b(30|31) % of (the|this) damage",
        "about 30 % of the damage falls elsewhere",
    ),
    ("real_model.predict_share", r"\b75(\.0)? ?%|three quarters of the layers", "FFNs hold 75.0 % of its layers."),
)

# Predictions whose answer is a common word, a small number or a set of claims: a pattern would find it everywhere, so
# what stands before them is read by eye.
READ_BY_EYE = {
    *(
        f"real_model.predict_{name}"
        for name in ("which", "where", "entry", "unit", "controls", "the", "units", "crossing")
    ),
    "build_microscope.predict_twice",
    "start_here.predict_bank",
    "linear_limits.predict_attention",
    "build_the_ffn.predict_weight",
    "expand_and_contract.predict_deleted",
    "expand_and_contract.predict_edited",
    "position_independence.predict_convolutions",
    "inside_the_block.predict_input",
    "bonus_swiglu.predict_gate",
    "bonus_experts.predict_cut",
    "bonus_experts.predict_gradient",
    "bonus_experts.predict_order",
    "bonus_experts.predict_rows",
    "bonus_experts.predict_unused",
    "bonus_experts.predict_reach",
    "review.predict_layer",
    "review.predict_counts",
    "review.predict_findings",
    "review.predict_experts",
    "review.predict_linear",
    "review.predict_width",
    "build_layer.predict_weight",
    "build_layer.predict_scale",
}


def said(cell) -> list[str]:
    """Return all that can be read in a cell: its source, what it shows, and the alt texts of its pictures."""
    found = [text(cell["source"])]
    for output in cell.get("outputs", []):
        found += output_texts(output)
        alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
        found += [alt] if alt else []
    return found


def read_before(id: str, notebooks: dict[str, list], readme: str) -> list[tuple[str, str]]:
    """Return (place, text) for all that is read before a prediction is made.

    Args:
        notebooks: name of a lesson -> its cells, in the order of the lessons.
    """
    lesson, name = id.split(".")
    variable = catalogue.item(id).name
    found = [("README.md", readme)]
    for each, cells_of in notebooks.items():
        for cell in cells_of:
            if each == lesson and re.match(rf"{variable} = (TODO|\{{)", text(cell["source"])):  # whatever its id
                return found
            found += [(f"{each}, {cell['id']}", words) for words in said(cell)]
    raise LookupError(f"No cell asks for {name!r}.")


# What looks like an answer between a guess and its check, and is none.
NO_ANSWER = {
    ("relu_vs_gelu.predict_dead", "run-3"): "100 turns a share into per cent",
    ("real_model.predict_where", "run-2-first"): "the first token is one of two places that are tried",
}


def told_between(lesson: str, cells_of) -> list[str]:
    """Report every answer that stands in title, aims, or what can be seen between a guess and its check.

    A number of two digits or more counts wherever it stands, and words where the code prints them or, if they are two
    or more, in any text. A cell that holds another answer as well tells neither. What is shown there is folded.
    """
    found = []
    for id, one in catalogue.catalogue().items():
        if not id.startswith(f"{lesson}.predict_") or one.kind == "claims":
            continue
        asks = next(n for n, cell in enumerate(cells_of) if re.match(rf"{one.name} = (TODO|\{{)", text(cell["source"])))
        checks = next(n for n, cell in enumerate(cells_of) if f'check("{id}"' in text(cell["source"]))
        seen = [cell for cell in cells_of[:asks] if cell["id"] in ("title", "learn")] + cells_of[asks + 1 : checks]
        others = [reply.guess for reply in one.replies]
        found += [
            f"{cell['id']} tells {id}: {match[0]!r}"
            for cell in seen
            if (id, cell["id"]) not in NO_ANSWER
            and (match := _holds(one.answer, cell))
            and not any(_holds(other, cell) for other in others if other != one.answer)
        ]
    return found


def _holds(answer, cell):
    """Return the place of an answer in the text or in the visible code of a cell, or None."""
    if cell["cell_type"] == "code" and cells.hidden(cell):
        return None
    words = re.sub(r"\d+–\d+ (minutes|more)", "", text(cell["source"]))
    if isinstance(answer, str):
        if cell["cell_type"] == "code":
            words = " ".join(re.findall(r"\"[^\"\n]*\"|'[^'\n]*'", words))
        elif " " not in answer:
            return None  # a single common word
        pattern = re.escape(answer)
    elif isinstance(answer, int | float):
        if answer == int(answer) and abs(answer) < 10:
            return None  # a small whole number stands everywhere
        pattern = "|".join(re.escape(form) for form in (f"{answer:g}", f"{answer:,}"))
    else:
        pattern = "|".join(re.escape(str(form)) for form in (tuple(answer), list(answer)))
    return re.search(rf"(?<![\w.,-])({pattern})(?![\w-]|[.,]\d)", words, re.IGNORECASE)


def given_away(notebooks: dict[str, list], readme: str, forbidden=FORBIDDEN) -> list[str]:
    """Report every answer that can be read before its prediction."""
    return [
        f"{place} gives {id} away: {match[0]!r}"
        for id, pattern, _ in forbidden
        for place, words in read_before(id, notebooks, readme)
        if (match := re.search(pattern, " ".join(words.split()), re.IGNORECASE))
    ]
