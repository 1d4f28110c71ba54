"""The teachers' pages: every plan with its votes, replies and folded key, links to pages; and none of it unasked."""

import html
import re
import subprocess
import zipfile

import pytest
import yaml

from lessons import catalogue, cells
from publish.author import plan
from publish.site import build, markdown, pages, teachers
from tests.conftest import ROOT
from tests.site.conftest import LESSONS, PLANS, SOME, built_once

NAMES = [lesson.name for lesson in catalogue.lessons()]


def read(site, name):
    return (site / teachers.address(catalogue.lesson(name))).read_text("utf-8").replace(" translate=no", "")


AFTER = """() => { const sheets = document.querySelectorAll(".plan"), last = sheets[sheets.length - 1];
    while (last.nextElementSibling) last.nextElementSibling.remove(); return sheets.length; }"""


@pytest.mark.parametrize("lesson", SOME)
def test_a_plan_and_its_lab_hour_are_one_printed_sheet_each(opened, lesson):
    page = opened(teachers.address(lesson))
    assert page.evaluate(AFTER) == 2
    for paper in ("A4", "Letter"):
        for margin in (None, dict.fromkeys(("top", "right", "bottom", "left"), "0.4in")):  # Chromium's own; none given
            assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper, margin=margin))) == 2, paper


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_has_the_lesson_s_votes_and_its_key_folded(teachers_site, name):
    page = read(teachers_site, name)
    lesson, before = catalogue.lesson(name), page.partition("<details>")[0]
    title = html.unescape(re.search(r"<h1\b[^>]*>(.*?)</h1>", before)[1])
    assert title == f"{lesson.heading}: the teacher's page"
    assert f'href="{pages.address(lesson)}"' in before
    for prediction in catalogue.predictions(name):
        said = [claim.text for claim in prediction.claims.values()] or [prediction.right]
        assert all(markdown.inline(one) in before for one in said), prediction.id
    folds = re.findall(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", page, re.DOTALL)
    solved = [inside for _, inside in folds if '<pre class="code">' in inside]
    assert len(solved) == len(lesson.exercises)
    assert '<pre class="code">' not in before
    questions = catalogue.questions(name)
    assert sum(markdown.inline(question.options[0].text) in page for question in questions) == len(questions)


@pytest.mark.parametrize("name", NAMES)
def test_every_place_of_a_plan_is_a_link_into_the_lesson(teachers_site, name):
    there = pages.address(catalogue.lesson(name))
    linked = re.findall(r'<a href="([^"#]+)#(cell-[\w-]+)">', read(teachers_site, name))
    lesson = (teachers_site / there).read_text("utf-8")
    assert len(linked) > 8 and not [one for one in linked if one[0] != there or f'id="{one[1]}"' not in lesson]


def test_a_cell_that_is_folded_away_is_opened_by_its_link(opened):
    page = opened("teach-position-independence.html")
    page.locator('a[href$="#cell-run-1"]').first.click()
    page.wait_for_url("**/position-independence.html#cell-run-1")
    assert page.locator("#cell-run-1").evaluate("one => one.closest('details').open")
    assert page.locator("#cell-run-1 + *").is_visible()


def test_the_handbook_leads_to_every_plan_and_to_no_file(teachers_site):
    page = (teachers_site / teachers.HANDBOOK).read_text("utf-8")
    assert set(PLANS) <= set(re.findall(r'href="([^"#]+)', page))
    assert not re.search(r'href="[^"]*\.(md|py|yaml|ipynb|toml)"', page)
    assert 'id="plans"' in page
    for name in NAMES:
        assert f'href="{teachers.HANDBOOK}#plans"' in read(teachers_site, name)


def of_teachers(site) -> list[str]:
    """Return what in a site leads to a page for teachers or is one: files, and what in a file names one."""
    found = [path.relative_to(site).as_posix() for path in site.rglob("teach*")]
    for path in [*site.glob("*.html"), *site.glob("static/*.js"), *site.glob("*.xml")]:
        told = re.findall(r"teach[\w-]*\.html|the teacher's page|For teachers|For the teacher", path.read_text("utf-8"))
        found += [f"{path.name}: {words}" for words in told]
    return found


def test_learners_pages_have_nothing_of_teachers(site, teachers_site):
    assert of_teachers(site) == []
    found = of_teachers(teachers_site)
    assert set(PLANS) | {teachers.HANDBOOK} <= set(found)
    assert "index.html: For teachers" in found and f"{LESSONS[3]}: {teachers.HANDBOOK}" in found
    assert "teach-" not in (teachers_site / "static" / "index.js").read_text("utf-8")  # the search finds no key


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_s_page_has_each_worked_solution_folded(site, name):
    lesson = catalogue.lesson(name)
    page = (site / pages.address(lesson)).read_text("utf-8").replace(" translate=no", "")
    fold = r"<details([^>]*)><summary>Solution</summary>.*?</details>"
    folds = re.findall(fold, page, re.DOTALL)
    assert folds == [' class="solution"'] * len(lesson.exercises)  # none has `open`
    seen = re.sub(fold, "", page, flags=re.DOTALL)
    for module in lesson.exercises:
        for line in worked(f"{name}.{module}"):
            assert line in page and line not in seen, module


def shown_to_learners() -> str:
    """Return, squeezed, what lessons show themselves: their cells, starters and hints, also as a page asks them."""
    found = []
    for lesson in catalogue.lessons():
        for cell in plan.notebook(lesson).cells:
            found += [cell.source, seen(markdown.blocks(cell.source))]
            if cells.role(cell) == cells.Role.EXERCISE:
                found.append(pages.as_shown(id := cells.checked(cell), cell.source))
                found += catalogue.item(id, arrays=pages.on_arrays(id)).hints
    return squeezed("\n".join(found))


def built_texts(site):
    """Yield the name of each file that a build writes, also of those in zip files, with its text squeezed."""
    for path in (path for path in site.rglob("*") if path.is_file()):
        name = path.relative_to(site).as_posix()
        if path.suffix == ".zip" and re.fullmatch(r"python/course-\w+\.zip", name):
            with zipfile.ZipFile(path) as packed:
                yield from ((one, squeezed(packed.read(one).decode("utf-8"))) for one in packed.namelist())
        elif path.suffix in (".html", ".js", ".ipynb", ".xml", ".py") and name.count("/") < 2:
            text = path.read_text("utf-8")
            data = text.replace("\\u003c", "<").replace("\\n", "\n").replace('\\"', '"')
            yield name, squeezed(seen(text) + seen(data))


def seen(text):
    return html.unescape(re.sub("<[^>]+>", "", text))


def squeezed(text):
    return re.sub(r"\s", "", text)


def test_a_site_without_solutions_has_no_line_of_one(testrun_uid):
    """But what lessons show, and the functions that a check in the page compares with."""
    site = built_once(ROOT / "build" / "site-test-marks", testrun_uid, solutions=False)
    ids = [f"{lesson.name}.{module}" for lesson in catalogue.lessons() for module in lesson.exercises]
    shown, checks = shown_to_learners(), {f"lessons/{id.replace('.', '/')}.py" for id in ids}
    texts, found = dict(built_texts(site)), []
    for id in ids:
        solved = catalogue.unmarked(catalogue.solution(id))
        for line in {*solved.splitlines(), *pages.as_shown(id, solved).splitlines()}:
            sought = squeezed(line)
            if len(line.strip()) >= 20 and not line.strip().startswith("#") and sought not in shown:
                found += [(id, line, name) for name, text in texts.items() if sought in text and name not in checks]
    assert not found and len(texts) > 150 and {*checks} <= {*texts}


def worked(id) -> list[str]:
    """Return what stands between the solution marks of an exercise, as a page shows it: one piece for each pair."""
    master = pages.as_shown(id, catalogue.without_why(catalogue.solution(id)))
    found = re.findall(r"### BEGIN SOLUTION[^\n]*\n(.*?)\n *### END SOLUTION", master, re.DOTALL)
    shown = [markdown.python(piece.strip()).partition("<code><span>")[2].partition("</code>")[0] for piece in found]
    assert all(shown)
    return shown


def site_commands(*told) -> str:
    """Return what make would do for the site."""
    return subprocess.run(["make", "-n", "site", *told], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_pages_of_teachers_are_made_for_who_asks_for_them():
    assert "--teachers" not in site_commands() + site_commands("TEACHERS=0") + site_commands("TEACHERS=")
    told = [site_commands(f"SOLUTIONS={number}").count("--without-solutions") for number in ("0", "1", "")]
    assert told == [1, 0, 0]
    assert re.search(r"-m classroom.plans\n[^\n]*-m publish.site --teachers", site_commands("TEACHERS=1"))


def test_what_is_published_has_none_of_them():
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "site.yml").read_text("utf-8"))["jobs"]["build"]["steps"]
    (made,) = [step for step in steps if "make" in step.get("run", "")]
    assert made["run"].split()[:2] == ["make", "site"] and set(made["env"]) == {"SITE_URL", "REPOSITORY_URL"}
    assert "--teachers" not in site_commands(*made["run"].split()[2:])


def test_without_their_plans_it_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(teachers, "PLANS", tmp_path / "plans")
    assert build.main(["--to", str(tmp_path / "site"), "--teachers"]) == 1
    assert "The teacher's pages are not written yet. Run make plans." in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
