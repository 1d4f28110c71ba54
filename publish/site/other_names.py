"""What others call what the course teaches: the table on the page of formulas, and names for the search."""

import tomllib

from lessons import catalogue
from publish.site import markdown

_GIVEN = tomllib.loads((catalogue.FOLDER / "names.toml").read_text(encoding="utf-8"))
SYNONYMS = _GIVEN["synonyms"]  # our word -> words of others
WORDS = {name: given["core"] for name, given in _GIVEN["lessons"].items() if "core" in given}  # in the core of each
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


def taught(lesson: str, sections: list[str]) -> list[str]:
    """Return for every section of a lesson, given by its id, words for what it teaches."""
    given = {
        section: " ".join(words) for section, words in _GIVEN["lessons"].get(lesson, {}).items() if section != "core"
    }
    lost = [start for start in given if not any(id.startswith(f"{start}-") for id in sections)]
    if lost:
        raise ValueError(f"lessons/names.toml, {lesson}: no section begins with {', '.join(lost)}.")
    return [" ".join(words for start, words in given.items() if id.startswith(f"{start}-")) for id in sections]
