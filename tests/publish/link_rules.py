"""Rules for the links of a stored notebook."""

import re

from lessons import catalogue
from tests.publish.stored_notebook import headings, links, visible

EMPTY_LINK_TEXTS = {"", "here", "click here", "this", "link", "this link", "more", "read more", "see here"}


def link_targets(notebook) -> list[str]:
    """Every link says where it leads and leads there."""
    problems = []
    anchors = {re.sub(r"\s+", "-", title) for _, title in headings(notebook)}
    for cell_id, words, target in links(notebook):
        if visible(words).lower().strip(" .:→←") in EMPTY_LINK_TEXTS or re.match(r"https?:", words):
            problems.append(f"{cell_id}: link text {words!r} does not say where it leads")
        if target.startswith("#"):
            if target[1:] not in anchors:
                problems.append(f"{cell_id}: no heading for {target}")
        elif not re.match(r"[a-z]+:", target) and not (notebook.path.parent / target.split("#")[0]).exists():
            problems.append(f"{cell_id}: no file {target}")
    return problems


def neighbour_links(notebook) -> list[str]:
    """The lessons before and after are linked; a build stands behind the lesson that it builds on."""
    builds = {lesson.notebook: lesson for lesson in catalogue.lessons() if lesson.build}
    names, targets = list(notebook.siblings), {target.split("#")[0] for _, _, target in links(notebook)}
    series = [name for name in names if name not in builds]
    if notebook.path.name in builds:
        here = builds[notebook.path.name].after
        wanted = series[here : here + 2]
    else:
        here = series.index(notebook.path.name)
        wanted = series[max(here - 1, 0) : here] + series[here + 1 : here + 2]
    return [f"no link to the neighbouring lesson {name}" for name in wanted if name not in targets]
