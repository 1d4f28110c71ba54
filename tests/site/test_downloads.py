"""What runs Python in a page is fetched once, checked, and put into the site; the editor works in a browser."""

import io
import json
import re
import subprocess
import sys
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lessons import catalogue
from publish.site import build, downloads, hour
from tests.publish.clones import git
from tests.site.conftest import LESSONS, OTHERS

NAME, RIGHT = "numpy-1-cp314-cp314-wasm32.whl", b"the wheel"
SHA256 = downloads.digest(RIGHT)
DATA = re.compile(r'<script type="application/json" id="course-data">(.*?)</script>', re.DOTALL)
NOWHERE = "http://127.0.0.1:9/"
# Loads every exercise of the course in a folder where the libraries that no page has are missing.
LOAD = """
import json, sys
sys.path.insert(0, sys.argv[1])
for name in ("torch", "matplotlib", "IPython", "ipywidgets", "PIL"):
    sys.modules[name] = None
from lessons import catalogue
failed = []
for lesson in catalogue.lessons():
    catalogue.questions(lesson.name)
    for id in catalogue.ids(lesson):
        try:
            catalogue.item(id)
        except ImportError as error:
            failed.append(error.name or str(error))
assert catalogue.__file__.startswith(sys.argv[1])
print(json.dumps([len(catalogue.lessons()), failed]))
"""
TYPE = """
const asked = window.asked = [];
document.body.innerHTML = '<main><div id="here"></div><button>After it</button></main>';
window.editor = courseEditor.create({
  parent: document.getElementById("here"), doc: "def f(x):", label: "Your answer",
  onCheck: () => asked.push(editor.text()),
});
editor.focus();
"""


@pytest.fixture
def server(monkeypatch):
    """Return a function: bytes -> they are what Pyodide's server sends from now on; at first it is out of reach."""
    servers = []

    def sends(data):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200 if self.path == f"/{NAME}" else 404)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *given):
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        monkeypatch.setattr(downloads, "CDN", f"http://127.0.0.1:{servers[-1].server_port}/")

    monkeypatch.setattr(downloads, "CDN", NOWHERE)
    yield sends
    for one in servers:
        one.shutdown()
        one.server_close()


@pytest.fixture
def archive(monkeypatch):
    """Return a function: bytes -> they are what the archive has now; at first it cannot be downloaded."""

    def has(data):
        monkeypatch.setattr(downloads, "from_archive", lambda name, folder: data)

    has(None)
    return has


@pytest.fixture(scope="module")
def fetched():
    """Return the parts from the cache of the site; they are fetched where it does not hold them."""
    found = downloads.fetch(build.CACHE)
    assert found is not None, "npm or NumPy's wheel could not be had; what was printed says why"
    return found


@pytest.fixture
def editing(fetched, browser):
    """Return a page with an editor between its start and a button."""
    page = browser.new_page()
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.add_script_tag(content=fetched.editor.decode("utf-8"))  # a classic script
    page.evaluate(TYPE)
    yield page
    page.close()
    assert problems == []


def wheel(folder):
    return downloads.wheel(NAME, SHA256, folder)


def text(page):
    return page.evaluate("editor.text()")


def test_the_release_is_asked_first_and_only_once(tmp_path, server, archive, monkeypatch):
    server(RIGHT)
    assert wheel(tmp_path) == RIGHT
    monkeypatch.setattr(downloads, "CDN", NOWHERE)
    assert wheel(tmp_path) == RIGHT  # kept
    (tmp_path / NAME).write_bytes(b"damaged")
    with pytest.raises(downloads.Missing, match="neither from"):
        wheel(tmp_path)


def test_the_archive_takes_the_place_of_a_release_out_of_reach(tmp_path, server, monkeypatch):
    links, cache = tmp_path / "links", tmp_path / "cache"
    links.mkdir()
    cache.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))  # here pip looks, and nowhere else
    name, _, version = downloads.ARCHIVE.replace("-", "_").partition("==")
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(links / f"{name}-{version}-py3-none-any.whl", "w") as packed:
        packed.writestr(f"{name}/frontend/pyodide/{NAME}", RIGHT)
        packed.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        packed.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{about}/RECORD", "")
    assert wheel(cache) == RIGHT
    assert [path.name for path in cache.iterdir()] == [NAME]  # the archive itself is not kept
    assert downloads.from_archive("another.whl", cache) is None


def test_a_release_that_takes_long_to_be_found_is_given_up(tmp_path, archive, monkeypatch):
    over = threading.Event()  # as a name with many addresses, none of which answers: each has its own patience

    def look_up(*asked, **how):
        over.wait(60)
        raise OSError

    monkeypatch.setattr(downloads.urllib.request, "urlopen", look_up)
    monkeypatch.setattr(downloads, "PATIENCE", 0.2)
    archive(RIGHT)
    started = time.monotonic()
    assert wheel(tmp_path) == RIGHT
    assert time.monotonic() - started < 30
    over.set()


def test_another_file_under_the_name_is_refused(tmp_path, server, archive):
    server(b"another file")
    with pytest.raises(downloads.Missing, match=r"^numpy-1\S+ from http\S+ is not the file whose SHA-256 is in \S+\.$"):
        wheel(tmp_path)
    archive(b"another one")
    with pytest.raises(downloads.Missing, match=r"open-webui\S+ on PyPI is not the file"):
        wheel(tmp_path)
    assert not (tmp_path / NAME).exists()
    archive(RIGHT)
    assert wheel(tmp_path) == RIGHT


def test_without_the_parts_a_sentence_is_said(fetched, tmp_path, server, archive, monkeypatch, capsys):
    (tmp_path / "npm").symlink_to(build.CACHE / "npm")
    assert downloads.fetch(tmp_path) is None
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("The pages of this site will not run code: numpy-") and said.endswith("on PyPI.")
    monkeypatch.setenv("PATH", "")
    assert downloads.fetch(tmp_path / "empty") is None
    assert re.fullmatch(
        "The pages of this site will not run code: .* npm, which is missing .*\n", capsys.readouterr().out
    )


def test_what_npm_said_is_handed_on(tmp_path, monkeypatch, capsys):
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\necho 'npm error network' >&2\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert downloads.fetch(tmp_path / "cache") is None
    assert capsys.readouterr().out.splitlines()[-1].endswith("it says: npm error network")


def test_the_pins_are_exact():
    pins = json.loads((downloads.PINS / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((downloads.PINS / "package-lock.json").read_text("utf-8"))["packages"]
    assert all(locked[f"node_modules/{name}"]["version"] == version for name, version in pins.items())
    assert all("integrity" in one for name, one in locked.items() if name)


def test_the_course_in_a_page_holds_what_exercises_import_and_no_solution(tmp_path):
    data = downloads.course()
    assert data == downloads.course() and len(data) < 560_000
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        packed.extractall(tmp_path)
        names = packed.namelist()
    assert {"whywrong/judge.py", "lessons/linear_limits/collapse.py", "courseware/arguments.py"} <= set(names)
    assert not any(name.endswith(("solutions.py", "plan.toml", "figures.py", ".pyc")) for name in names)
    command = [sys.executable, "-P", "-c", LOAD, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lessons, failed = json.loads(done.stdout)
    assert lessons == len(catalogue.lessons()) and set(failed) <= {"torch"}


def test_what_git_does_not_know_is_in_no_archive(tmp_path):
    """Without git, what `python -m pip install whywrong/` leaves is in none; with it, nobody's own file either."""
    known = {"whywrong/a.py", *downloads.IN_PAGE}
    for name in {*known, "whywrong/build/lib/whywrong/a.py", "whywrong/w.egg-info/a.toml", "lessons/mine.py"}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    def packed():
        return {*zipfile.ZipFile(io.BytesIO(downloads.course(tmp_path))).namelist()}

    assert packed() == {*known, "lessons/mine.py"}
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", *known)
    assert packed() == known


def test_the_site_holds_the_parts_under_the_hash_of_what_is_in_them(site, fetched):
    told = [json.loads(DATA.search((site / name).read_text("utf-8"))[1])["python"] for name in LESSONS]
    one = told[0]
    assert all(other == one for other in told)
    folder = site / one["folder"]
    held = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {*(name.replace(".mjs", ".js") for name in downloads.CORE), *one["wheels"]} == set(held)
    lock = json.loads(held["pyodide-lock.json"])["packages"]
    assert [downloads.digest(held[name]) for name in one["wheels"]] == [lock["numpy"]["sha256"]]
    for address in (one["course"], one["editor"]):
        assert downloads.digest((site / address).read_bytes())[:12] == re.search(r"-(\w{12})\.", address)[1]
    files = [path for path in (site / "python").rglob("*") if path.is_file()]
    assert one["sizes"] == {path.relative_to(site).as_posix(): path.stat().st_size for path in files}
    changed = {**fetched.files, downloads.CORE[0]: b"other"}
    assert build.python_folder(fetched.files) == one["folder"] != build.python_folder(changed)
    assert not any('"python":' in (site / name).read_text("utf-8") for name in OTHERS if name != hour.PAGE)


def test_the_credits_name_everything_that_comes_along(site, fetched):
    page = (site / "credits.html").read_text("utf-8")
    assert all(one.name in page and one.source in page for one in fetched.credits)
    texts = {one.name.split(" ")[0]: one.text for one in fetched.credits}
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in texts["Python"] and "Redistribution and use" in texts["NumPy"]
    assert "Marijn Haverbeke" in texts["CodeMirror"] and "MPL-2.0" in page
    assert "@lezer/python" in page and "esbuild" not in page  # a tool, and not part of the site


def test_the_editor_is_one_classic_script(fetched):
    script = fetched.editor.decode("utf-8")
    assert script.startswith(('"use strict";(()=>{', "(()=>{")) and len(script) < 500_000
    assert re.findall(r"(?:^|[;{}])\s*(?:import|export)\b\s*[{*\"'(]|\bimport\(", script) == []


def test_what_is_typed_is_indented_and_can_be_undone(editing):
    keys = editing.keyboard
    keys.press("Control+End")
    keys.press("Enter")
    keys.type("return x")
    assert text(editing) == "def f(x):\n    return x"
    assert editing.locator(".cm-line span", has_text="return").count() == 1  # in the colour of a keyword
    keys.press("Tab")
    assert text(editing) == "def f(x):\n        return x"
    while text(editing) != "def f(x):":
        before = text(editing)
        keys.press("Control+z")
        assert text(editing) != before
    keys.press("Control+Shift+z")
    assert text(editing) != "def f(x):"
    editing.evaluate("editor.setText('x = 1')")
    assert text(editing) == "x = 1" and editing.get_by_role("textbox", name="Your answer").count() == 1


def test_ctrl_enter_checks_and_changes_nothing(editing):
    editing.keyboard.press("Control+Enter")
    editing.keyboard.press("Meta+Enter")
    assert editing.evaluate("asked")[:1] == ["def f(x):"] and text(editing) == "def f(x):"


def test_escape_then_tab_leaves_and_typing_stays(editing):
    keys, focused = editing.keyboard, "document.activeElement.tagName"
    keys.press("Escape")
    keys.type("a")
    keys.press("Tab")
    assert editing.evaluate(focused) == "DIV" and text(editing).startswith("    ")
    keys.press("Escape")
    editing.wait_for_timeout(2200)  # the editor's own window is two seconds; ours waits
    keys.press("Tab")
    assert editing.evaluate(focused) == "BUTTON"
    keys.press("Shift+Tab")
    assert editing.evaluate(focused) == "DIV"
    before = text(editing)
    keys.press("Tab")
    assert editing.evaluate(focused) == "DIV" and text(editing) != before
