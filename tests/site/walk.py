"""A walk through a lesson's page by keyboard alone, in any browser: every guess, every control, every question."""

from courseware.content import Lesson
from lessons import catalogue

FOCUS = """
    const at = document.activeElement;
    const near = selector => at.closest(selector);
    if (at.matches("form.guess input")) return {kind: "guess", id: near("form").dataset.prediction, name: at.name};
    if (at.matches(".player [data-control]"))
        return {kind: "control", id: near(".player").id, name: at.dataset.control, type: at.type};
    if (at.matches(".warm-up:not([open]) > summary, .warm-up .turn")) return {kind: "turn"};
    if (near(".cm-editor")) return {kind: "editor"};
    if (at.matches(".question .option"))
        return {kind: "option", id: near(".question").dataset.question, place: Number(at.dataset.option)};
    return {kind: at === document.body ? "nowhere" : "other"};
"""
REPLY = 'return document.querySelector(`[data-%s="%s"] .reply`).textContent;'
# What a figure shows and says, when it has its recording and has drawn.
SHOWN = """
    const player = course.players.find(one => one.figure.id === "%s");
    while (!player.data) await new Promise(done => setTimeout(done, 20));
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    return [player.groups.map(one => one.innerHTML).join(""), player.svg.getAttribute("aria-label"),
            player.figure.querySelector(".said").textContent, player.at().join(" ")];
"""
QUESTIONS = "return Array.from(document.querySelectorAll('.question')).map(one => one.dataset.question);"
CONTROLS = """
    const ofOne = player => player.inputs.map(input => [player.figure.id, input.dataset.control]);
    return course.players.flatMap(ofOne);
"""
CLOSED = """return Array.from(document.querySelectorAll("details.experiment")).filter(fold => !fold.open).length;"""
MOST = 900  # steps of the key Tab


def walk(lesson: Lesson, press, run) -> dict[str, int]:
    """Go through the page of a lesson from its top, and return how many things of each kind were done.

    Args:
        press: takes names of keys, Tab, Enter, Space, Down, Home and End, or characters.
        run: returns what the body of an asynchronous function returns on the page.

    Raises:
        AssertionError: something does not answer, or is never reached.
    """
    guesses = {item.id: item for item in catalogue.predictions(lesson.name)}
    every = [item for one in catalogue.lessons() for item in catalogue.questions(one.name)]
    known = {item.id: item for one in every for item in (one, one.again) if item}
    questions = {id: known[id] for id in run(QUESTIONS)}  # a warm-up asks those of other lessons
    controls = set(map(tuple, run(CONTROLS)))
    assert guesses and (questions or not catalogue.questions(lesson.name))  # lesson 00 has no quiz
    done, judged = {"guesses": 0, "controls": 0, "questions": 0}, set()
    for _ in range(MOST):
        press("Tab")
        at = run(FOCUS)
        if at["kind"] == "guess" and at["id"] in guesses:
            item = guesses[at["id"]]
            if item.kind == "claims":
                letter = at["name"].rpartition("-")[2]
                press("Space" if item.claims[letter].answer == "true" else "Down")
                judged.add((item.id, letter))
                if sum(id == item.id for id, _ in judged) < len(item.claims):
                    continue
            elif item.kind == "choice":
                place = list(item.choices).index(item.answer)
                press(*(["Down"] * place or ["Space"]))
            else:
                press(*str(item.answer))
            press("Enter")
            reply = run(REPLY % ("prediction", item.id))
            assert reply.startswith("◆ Exactly."), (item.id, reply)
            del guesses[at["id"]]
            done["guesses"] += 1
        elif at["kind"] == "control" and (at["id"], at["name"]) in controls:
            press(*(["Home"] if at["type"] == "range" else []))
            before = run(SHOWN % at["id"])
            press("End" if at["type"] == "range" else "Down")
            after = run(SHOWN % at["id"])
            assert all(one != two for one, two in zip(before, after, strict=True)), (at, before[1:], after[1:])
            controls.remove((at["id"], at["name"]))
            done["controls"] += 1
        elif at["kind"] == "option" and at["id"] in questions:
            if not questions[at["id"]].options[at["place"]].right:
                continue
            press("Space")
            reply = run(REPLY % ("question", at["id"]))
            assert reply.startswith("✓ Correct"), (at, reply)
            del questions[at["id"]]
            done["questions"] += 1
        elif at["kind"] == "editor":
            press("Escape")  # as its name says: Escape, then Tab
        elif at["kind"] == "turn" and any(not id.startswith(f"{lesson.name}.") for id in questions):  # the warm-up's
            press("Enter")
        if at["kind"] == "nowhere" or not (guesses or controls or questions):
            break
    never = [*guesses, *controls, *questions]
    assert never == [], f"the key Tab never comes to {never}; it ended at {at}"
    assert run(CLOSED) == 0, "an experiment stays closed"
    return done
