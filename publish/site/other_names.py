"""What others call what the course teaches: the table on the page of formulas, and names for the search."""

import tomllib

from lessons import catalogue
from publish.site import markdown, pages

_GIVEN = tomllib.loads((catalogue.FOLDER / "names.toml").read_text(encoding="utf-8"))
WORDS = {name: given["core"] for name, given in _GIVEN["lessons"].items()}  # in the core of each lesson
_HEADS = {
    "here": "here",
    "gpt2": "GPT-2",
    "llama": "Llama",
    "mixtral": "Mixtral",
    "papers": "papers and others",
    "shape": "shape",
}


def table() -> str:
    """Return the table of names, and the words that mean different things, as HTML."""
    rows = [_HEADS.values(), ["---"] * len(_HEADS), *([row[key] for key in _HEADS] for row in _GIVEN["table"])]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    said = [f"- **{one['word']}** {one['says']}" for one in _GIVEN["collisions"]]
    title, collisions = "## What others call it", "### The same word for something else"
    intro = "The names in code are those of transformers."
    return markdown.blocks("\n\n".join([title, intro, "\n".join(lines), collisions, "\n".join(said)]), set())


def leads(sections: list[list[str]]) -> dict[str, list[str]]:
    """Return the address of a section -> the names that lead to it.

    Args:
        sections: address, page, title and text of every section.
    """
    found = {}
    for name, given in _GIVEN["lessons"].items():
        page = pages.address(catalogue.lesson(name)) + "#"
        own = [one for one in sections if one[0].startswith(page)]
        for section, words in given.items():
            for word in words:
                having = [address for address, _, *texts in own if word.lower() in " ".join(texts).lower()]
                address = (having or [own[0][0]])[0] if section == "core" else page + section
                found.setdefault(address, []).append(word)
    return found
