"""The lessons as web pages and handouts: README and the handbook."""

import urllib.error
import urllib.request

import pytest

from tests.walks import environments
from tests.walks.pages import HANDBOOK, README, walked


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
    environments.take_drawings(course)
    yield
    environments.hand_over_drawings(course)


@walked(HANDBOOK, "make site TEACHERS=1")
def test_pages_for_teachers(in_course, site):
    in_course.type("make site TEACHERS=1")
    assert (site / "teach.html").is_file()


@walked(HANDBOOK, "python3 start.py pages")
@walked(README, "python3 start.py pages", "make pages")
def test_pages_on_this_computer(in_course, site):
    for command in ("python3 start.py pages", "make pages"):
        program = in_course.start(command)
        address = program.wait_for(r"http://127\S+/")[0]
        assert fetched(program, f"{address}index.html") == (site / "index.html").read_bytes()
        assert program.stop() == 1


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
