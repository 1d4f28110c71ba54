"""The thirty claims of the review: how they are judged, and what their judgements rest on."""

import re

import numpy as np
import pytest

from course_lib.content import JUDGEMENTS
from course_lib.desk import grade
from course_lib.model import accounting, bank
from lessons import catalogue
from lessons.review import LESSON
from tests.lessons import cells
from tests.lessons.stored import plain_outputs

ROUNDS = {
    "review.predict_parts": list("ABCDEF"),
    "review.predict_numbers": list("GHIJKL"),
    "review.predict_evidence": list("MNOPQR"),
    "review.predict_insides": [*"STUVWXYZ", "AA", "AB", "AC", "AD"],
}
RIGHT = {letter: word for id in ROUNDS for letter, word in catalogue.item(id).answer.items()}
CELLS = cells.read(LESSON).cells
OUTPUTS = plain_outputs(LESSON.notebook.removesuffix(".ipynb"))


def right(letters):
    return {letter: RIGHT[letter] for letter in letters}


def source(pattern):
    """Return the sources of all cells whose ids match, one after the other."""
    return "\n".join(cell.source for cell in CELLS if re.fullmatch(pattern, cell.id))


def printed(id):
    """Return what the stored output of a cell says, with single blanks."""
    return " ".join(OUTPUTS[id].split())


@pytest.mark.parametrize(("id", "letters"), ROUNDS.items())
def test_every_wrong_judgement_has_a_reply(id, letters):
    assert list(catalogue.item(id).claims) == letters
    replies = set()
    for letter in letters:
        (wrong,) = set(JUDGEMENTS) - {RIGHT[letter]}
        verdict = grade(id, right(letters) | {letter: wrong})
        assert verdict.key == "guessed" and f" {letter} is {RIGHT[letter]}: " in verdict.message
        replies.add(verdict.message)
    assert len(replies) == len(letters)


FORMS = {
    "words in order": lambda claims: " ".join(claims.values()),
    "truth values": lambda claims: {letter: word == "true" for letter, word in claims.items()},
    "of NumPy": lambda claims: {letter: np.bool_(word == "true") for letter, word in claims.items()},
    "capitals and blanks": lambda claims: {letter: f" {word.upper()} " for letter, word in reversed(claims.items())},
    "one claim more": lambda claims: claims | {"AZ": "true"},
}


@pytest.mark.parametrize(("id", "letters"), ROUNDS.items())
@pytest.mark.parametrize("form", FORMS)
def test_forms_of_right_judgements(id, letters, form):
    verdict = grade(id, FORMS[form](right(letters)))
    assert verdict.near and verdict.message.startswith(f"You judged {len(letters)} of {len(letters)} ")


def test_all_wrong_judgements_are_answered():
    message = grade("review.predict_parts", dict.fromkeys("ABCDEF", "true")).message
    assert [letter for letter in "ABCDEF" if f" {letter} is false: " in message] == list("ABCDE")


def test_claims_are_those_of_the_notebook():
    asked = dict(re.findall(r'"([A-Z]+)": TODO,  # (.*)', source(r"claims-\d-judge")))
    assert asked == {letter: claim.text for id in ROUNDS for letter, claim in catalogue.item(id).claims.items()}
    settled = dict(re.findall(r"(?m)^\| ([A-Z]+) \| (\w+) \|", source(r"claims-\d-explain")))
    assert settled == RIGHT


# The stored outputs are compared with fresh ones whenever the notebooks are tested.
EVIDENCE = {
    "A": ("claims-1-sums", "attention False attention, its weights held fixed True"),
    "B": ("claims-1-parts", "hidden layers not wider than the token: 0 of"),
    "C, one": ("claims-1-sums", "a convolution of width 1 True FFN False"),
    "D": ("claims-1-parts", "inside the FFN: Linear, Linear, Dropout beside it: attention, dropout, ffn, norm1, norm2"),
    "E": ("claims-1-parts", "what attention returns: False it reads norm1(x + attention(x)): True"),
    "F": ("claims-1-sums", "FFN without its activation True"),
    "G": ("claims-2-models", "ffn 66.6 % encoder layer, attention 33.3 % encoder layer, norm 0.065 %"),
    "H": ("claims-2-models", "ReLU 4 2017 to 2022 40 to 66"),
    "I": ("claims-2-models", "gated, without experts: 11 of 14 are not 4 times as wide"),
    "K": ("claims-2-models", "SwiGLU 14 2022 to 2025 64 to 98"),
    "P": ("claims-3-leak", "leaky layer: passes one test: True; 20 small, 20 large changes: False"),
    "Y": ("claims-4-zeros", "FFN 2 with ReLU: 0.95 of the values are 0 FFN 2 with SiLU: 0.00 of the values are 0"),
    "Z": ("claims-4-zeros", "FFN 3, unit 507: predictions move where it is 0: False"),
    "AA": ("claims-4-zeros", "FFN 1, unit 99: predictions move where it is 0: True"),
}


@pytest.mark.parametrize("letter", EVIDENCE)
def test_what_is_shown_settles_the_claim(letter):
    id, words = EVIDENCE[letter]
    assert words in printed(id)


def test_rare_units_are_needed():
    count, more = re.search(r"without (\d+) rare units: (\S+) bits", printed("claims-4-zeros")).groups()
    assert int(count) > 256 and float(more) > 0.1  # AB: "most of the units are such", "the bits per character rise"


def test_what_is_said_in_numbers():
    projections, mixing = accounting.projection_multiply_adds(512), accounting.mixing_multiply_adds(512, 512)
    assert projections == 2 * mixing  # J: "at n = d they are two thirds of attention's cost"
    read = f"needs {8 * (1 - (1 - 2 / 8) ** 8):.1f} on average"  # U
    assert read in source("claims-4-explain")
    active = np.arange(9900) % 20 == 0  # AC
    assert (~active).mean() + active.mean() / 2 == pytest.approx(0.975) and 100 + active.sum() == 595


def test_what_the_table_of_models_says():
    models = {model.name: model for model in accounting.published_models()}
    assert max(accounting.ffn_share(model) for model in models.values()) > 0.9  # L
    since = [model for model in models.values() if model.year >= 2022]  # K
    gates = [model for model in since if model.gated]
    assert len(gates) > 0.75 * len(since) and sum(model.activation == "silu" for model in gates) > 0.6 * len(gates)
    assert models["OPT-175B"].ffn_name == "ReLU"
    assert {model.ffn_name for name, model in models.items() if name.startswith(("BERT", "GPT"))} == {"GELU"}
    assert {model.ffn_name for name, model in models.items() if name.startswith("Gemma")} == {"GEGLU"}
    plain = [model for model in models.values() if not model.gated]
    assert all(model.expansion == 4 for model in plain)  # I: "the plain FFNs of the table have it"
    gated = [model.expansion for model in models.values() if model.gated and not model.experts]
    assert (sum(width != 4 for width in gated), len(gated), f"{min(gated):.2f}") == (11, 14, "2.69")
    reply = catalogue.item("review.predict_numbers").claims["I"].replies["true"]
    assert "eleven of the fourteen gated ones have other widths, from 2.69 times upwards" in reply


def test_the_answer_in_words_has_the_numbers_of_the_row():
    """Each sentence names the numbers that its array has in the row of "bank", rounded to two digits."""
    way, said = bank.way("river"), source("way-answer")
    sentences = dict(re.findall(r"(?m)^\d\. `(\w+)`: (.*)$", said))
    assert list(sentences) == re.findall(r"(?m)^\d\. `(\w+)`,.*:$", source("way-mine"))
    row = {name: getattr(way, name)[-1] for name in sentences}
    for name in ("x", "mixed", "added", "stream"):
        for feature, number in zip(bank.FEATURES, row[name], strict=True):
            shown = re.search(rf"\*{feature}\*,? {number:.2g}", sentences[name])
            assert bool(shown) == bool(number), (name, feature)
    assert way.words[row["weights"].argmax()] == "river" and f"{row['weights'].max():.2g}" in sentences["weights"]
    yes, no = (f"{number:.2g}".replace("-", "−") for number in row["asked"])
    assert f"1 + 0.99 − 1.5 = {yes}," in sentences["asked"] and f"1 − 1.5 = {no}." in sentences["asked"]
    assert f"keeps {yes} and sets {no} to 0" in sentences["hidden"] and (row["hidden"] > 0).tolist() == [True, False]


def test_the_other_cue_shows_first_after_attention():
    """What enters in the row of "bank", and the weights in it, are the same for both sentences."""
    river, money = bank.way("river"), bank.way("money")
    names = ("x", "weights", "mixed", "asked", "hidden", "added", "stream")
    same = [np.array_equal(getattr(river, name)[-1], getattr(money, name)[-1]) for name in names]
    assert same == [True, True, False, False, False, False, False]
