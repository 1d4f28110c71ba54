"""The lessons as web pages, slides and handouts: README and the handbook."""

import urllib.error
import urllib.request

import pytest

from tests.walks.claims import walked
from tests.walks.pages import HANDBOOK, README

SERVE = "python3 -m http.server --bind 127.0.0.1 --directory build/site"


@pytest.fixture
def in_course(terminal, course):
    """A terminal in a clone."""
    terminal.folder = course
    return terminal


@pytest.fixture
def site(course):
    """Where the pages lie."""
    return course / "build" / "site"


@pytest.fixture(scope="module", autouse=True)
def drawings(course):
    """What was drawn before is there; what is drawn here is kept."""
    from tests.walks import environments

    environments.take_drawings(course)
    yield
    environments.hand_over_drawings(course)


@walked(HANDBOOK, "make site TEACHERS=1")
def test_pages_for_teachers(in_course, site):
    in_course.type("make site TEACHERS=1")
    assert (site / "teach.html").is_file()


@walked(HANDBOOK, "REPOSITORY_URL=https://…", "SITE_URL=https://… make site")
def test_pages_that_know_their_address(in_course, site):
    in_course.type("REPOSITORY_URL=https://…", "SITE_URL=https://… make site")
    assert not (site / "teach.html").exists()
    assert "https://example.org/course/" in (site / "sitemap.xml").read_text(encoding="utf-8")
    assert "git clone https://example.org/course ffn-course" in (site / "index.html").read_text(encoding="utf-8")


@walked(HANDBOOK, SERVE)
def test_pages_on_this_computer(in_course, site, window):
    """Every page comes, and code that is typed into one is checked there."""
    program = in_course.start(SERVE)
    address = program.wait_for(r"http://\S+/")[0]
    pages = sorted(path.name for path in site.glob("*.html"))
    assert len(pages) > 15
    for page in pages:
        assert fetched(program, address + page) == (site / page).read_bytes()
    window.goto(f"{address}start-here.html")
    window.get_by_role("heading", name="Exercises").scroll_into_view_if_needed()
    editor = window.get_by_role("textbox", name="Your code for: ")
    editor.click()
    window.keyboard.press("Control+a")
    window.keyboard.insert_text("def double(x):\n    return x + 2\n")
    window.get_by_role("button", name="Check").click()
    window.get_by_text("You added 2 to every value").wait_for(timeout=120_000)
    assert program.stop() == 1


@walked(README, "python3 start.py pages", "make pages")
def test_pages_in_one_command(in_course, site, window):
    for command in ("python3 start.py pages", "make pages"):
        program = in_course.start(command)
        window.goto(program.wait_for(r"http://127\S+/")[0])
        window.get_by_role("heading", level=1).first.wait_for()
        assert program.stop() == 1
    assert (site / "index.html").is_file()


def fetched(program, address) -> bytes:
    """Return a page, as soon as the server is there."""
    while True:
        try:
            with urllib.request.urlopen(address, timeout=60) as answer:
                return answer.read()
        except (urllib.error.URLError, ConnectionError) as error:
            assert not isinstance(error, urllib.error.HTTPError), error
            assert program.code is None, program.said
            program.pause()


@walked(HANDBOOK, "make site")
def test_pages_with_a_double_click(in_course, site, window):
    said = in_course.type("make site")
    assert "Open it with a double click" in said
    assert not (site / "teach.html").exists()
    window.goto((site / "index.html").as_uri())
    window.get_by_role("link", name="00").first.click()
    window.get_by_role("heading", level=1).first.wait_for()
    assert window.url.startswith(site.as_uri()) and window.url != (site / "index.html").as_uri()
    slider = window.locator("input[type=range]").first
    slider.focus()
    before = slider.input_value()
    window.keyboard.press("ArrowRight")
    assert slider.input_value() != before


@walked(HANDBOOK, "make slides LESSON=05")
def test_slides(in_course, course, window):
    in_course.type("make slides LESSON=05")
    (slides,) = (course / "build" / "slides").glob("*.html")
    window.goto(slides.as_uri())
    window.locator(".reveal.ready").wait_for()
    first = window.url
    window.keyboard.press("ArrowRight")
    window.wait_for_function("before => location.href !== before", arg=first)
    window.keyboard.press("ArrowLeft")
    window.wait_for_function("before => location.href === before || location.hash === '#/'", arg=first)


@walked(HANDBOOK, "make handouts")
def test_handouts(in_course, course):
    in_course.type("make handouts")
    printed = sorted((course / "build" / "handouts").glob("*.pdf"))
    names = [path.stem for path in sorted((course / "notebooks").glob("*.ipynb"))]
    assert [path.stem for path in printed] == sorted(
        f"{name}{kind}" for name in names for kind in ("", "_answers", "_worksheet")
    )
    least = {path: 50_000 if path.stem in names else 20_000 for path in printed}  # only sheets have pictures
    assert all(path.read_bytes().startswith(b"%PDF-") and path.stat().st_size > least[path] for path in printed)
