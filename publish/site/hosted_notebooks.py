"""Ways to run a notebook without installing anything: services that open the files of a public repository on GitHub."""

import html
import re

from courseware.content import Lesson
from publish.site import markdown

BRANCH = "main"
# What an own first cell needs where only the notebook is opened, and not the course around it.
FIRST_CELL = "!git clone --quiet --depth 1 {source} ffn-course\n%pip install --quiet ./ffn-course"


def repository(url: str) -> str:
    """Return owner/name of a repository on GitHub, or nothing for any other address."""
    found = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?", url)
    return found[1] if found else ""


def links(url: str, lesson: Lesson) -> dict[str, str]:
    """Return service -> the address at which it opens the notebook of a lesson; none for another host."""
    name = repository(url)
    if not name:
        return {}
    file = f"notebooks/{lesson.notebook}"
    return {
        "Colab": f"https://colab.research.google.com/github/{name}/blob/{BRANCH}/{file}",
    }


def of_lesson(url: str, lesson: Lesson) -> str:
    """Return a line for the page of a lesson, or nothing."""
    found = links(url, lesson)
    if not found:
        return ""
    others = " · ".join(f'<a href="{html.escape(address)}">{service}</a>' for service, address in found.items())
    own = '<a href="index.html#run">on your own computer</a>'
    how = '<a href="index.html#elsewhere">how</a>'
    return f'<p class="elsewhere">Run this lesson as a notebook: {own} · {others} ({how})</p>'


def explained(url: str) -> str:
    """Return the part of the first page about running the course elsewhere, or nothing."""
    name = repository(url)
    if not name:
        return ""
    space = f"https://codespaces.new/{name}"
    return (
        '<h3 id="elsewhere">Without an installation</h3>'
        "<p>Each lesson's page ends with a link that opens its notebook in Colab. "
        f'<a href="{html.escape(space)}">A codespace</a> holds all of them at once. Other people run these '
        "services: some need an account, some take minutes to start, and this course does not test them.</p>"
        "<p>Colab opens the notebook without the course around it. Put these two lines into a new first cell and run "
        f"it before the others:</p>{markdown.plain(FIRST_CELL.format(source=url))}"
    )
