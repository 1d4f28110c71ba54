"""The search finds where a thing is taught, in the words of others, and gives no guess away."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from publish.site import other_names, search_index
from tests.publish.giveaways import FORBIDDEN

GIVEN = tomllib.loads(Path(__file__).with_name("searches.toml").read_text("utf-8"))
ANSWERS = {}
for name, sections in GIVEN.items():
    for start, asked in sections.items():
        for words in asked:
            ANSWERS.setdefault(words, []).append(f"{name.replace('_', '-')}.html#{start}")


@pytest.fixture
def search(opened):
    """Return a function: what is typed -> the addresses found and what is said."""
    page = opened("search.html")

    def search(words):
        page.locator("#words").fill(words)
        found = page.locator("#found a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
        return found, page.locator("#said").inner_text()

    search.page = page
    return search


def test_questions_lead_to_the_section_that_answers(search):
    missed = [
        words
        for words, answers in ANSWERS.items()
        if not any(address.startswith(tuple(answers)) for address in search(words)[0][:2])
    ]
    assert len(ANSWERS) == 120 and len(missed) <= 6, missed


@pytest.mark.parametrize(
    "words, first, said",
    [
        ("xor straight line", "linear-limits.html#2-", ""),
        ("residual", "inside-the-block.html#4-", ""),  # neither optional nor a quiz
        ("mixture of experts", "bonus-experts.html#1-", ""),
        ("router collapse", "bonus-experts.html#4-", ""),
        ("gating network", "bonus-experts.html#1-", ""),
        ("skip connections", "inside-the-block.html#4-", "“skip connection” is called “residual” here."),
        ("lora relu", "relu-vs-gelu.html#", "No section says “lora”."),
        ("transco", "inside-a-language-model.html#optional-does-a-tr", ""),
        ("relu overfitting dispatch", "", "No section has all of these words. These have most of them."),
        ("zyzzyva", None, "The course does not teach this: no section says “zyzzyva”."),
        ("???", None, ""),
    ],
)
def test_what_is_found_and_said(search, words, first, said):
    found, told = search(words)
    assert told == said and (found[0].startswith(first) if first is not None else found == [])


@pytest.mark.parametrize(
    "typed, same",
    [
        ("“hidden units”", "hidden unit"),
        ("GELU?", "gelu"),
        ("(relu), gelu.", "relu gelu"),
        ("W_1", "W₁"),
        ("today’s", "today's"),
        ("mixture-of-experts", "mixture of experts"),
        ("normalized stacking matrices", "normalised stack matrix"),
        ("dropped losses in memories", "drop loss in memory"),
        ("why isn't it wide", "wide"),
    ],
)
def test_words_are_taken_as_people_write_them(search, typed, same):
    assert search(typed)[0] == search(same)[0] != []


@pytest.mark.parametrize("one, other", [("gate", "gating"), ("norm", "normal")])
def test_words_that_only_begin_alike_differ(search, one, other):
    assert search(one)[0] != search(other)[0]


def test_a_hit_marks_the_words_and_five_are_shown_at_first(search):
    search("dead units")
    first = search.page.locator("#found li").first
    assert {words.lower() for words in first.locator("mark").all_inner_texts()} >= {"dead", "unit"}
    assert search.page.locator("#found li").count() == 5
    search.page.locator("#more").click()
    assert search.page.locator("#found li").count() > 5 and not search.page.locator("#more").is_visible()


def test_what_follows_a_guess_is_shown_without_an_excerpt():
    page = (
        '<h2 id="a">1. A</h2><p>Asked <em>here</em>. Twice.</p><form class="guess">Guess</form>'
        '<details class="experiment"><summary>What came out</summary><p>Zebra 42.</p></details>'
        '<div class="help"><p>Hint</p></div><div class="quiz">Quiz<br>x</div><p>After.</p>'
        '<h2 id="r">Recap</h2><p>Zebra.</p>'
    )
    assert search_index.sections(page) == [
        ["a", "1. A", "Asked here.\nTwice.\nAfter.", "zebra", True],
        ["r", "Recap", "", "zebra", False],
    ]


def test_no_excerpt_tells_the_answer_of_a_guess(site):
    source = (site / "static" / "index.js").read_text("utf-8")
    sections = json.loads(re.match(r"course\.sections = (.*);\n", source)[1])
    assert len(sections) > 150
    for address, _, title, told, *_ in sections:
        for id, pattern, _ in FORBIDDEN:
            if address.startswith(id.split(".")[0].replace("_", "-")):
                assert not re.search(pattern, f"{title}\n{told}", re.IGNORECASE), (address, id)


def test_words_for_no_section_are_refused():
    with pytest.raises(ValueError, match="bonus_swiglu: no section begins with"):
        other_names.taught("bonus_swiglu", ["quiz"])
