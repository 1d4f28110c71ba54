"""A running notebook against axe-core: what we put on the page, not the application around it."""

from axe_playwright_python.sync_playwright import Axe

OURS = {"include": [[".jp-OutputArea-output"], [".jp-RenderedMarkdown"]]}

# ipywidgets gives its sliders no accessible name and offers no way to set one; the number box beside each slider, which
# has a label and does the same, is the way in (checked below).
KNOWN = {("aria-input-field-name", "noUi-handle")}


def violations(page):
    """Return every serious or critical violation in our own content, as readable lines."""
    found = Axe().run(page, context=OURS).response["violations"]
    return [
        f"{item['id']} ({item['impact']}): {node['html'][:200]}"
        for item in found
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"]
        if not any(item["id"] == rule and mark in node["html"] for rule, mark in KNOWN)
    ]


def barriers(page):
    """Return what a learner without a mouse, or without sight, would not get past."""
    found = violations(page)
    for picture in page.locator(".jp-OutputArea-output img").all():
        if not (picture.get_attribute("alt") or picture.get_attribute("title")):
            found.append("a picture has no name")
    for slider in page.locator(".widget-slider").all():
        box = slider.locator("xpath=..").locator("input[type=number]")
        if box.count() != 1:
            found.append("a slider has no number box beside it")
        elif not page.locator(f"label[for='{box.get_attribute('id')}']").inner_text().strip():
            found.append("a number box has no label")
    for button in page.locator(".jp-OutputArea-output button").all():
        if not button.text_content().strip():  # of a button in closed details, too
            found.append("a button has no text")
    return found
