"""Judge an answer; nothing that the answer is or does raises here, but a task that is broken does.

The checks come first, in a fixed order: still a TODO; not callable; then for every case: raised or ran too long,
returned None, wrong type, changed its inputs, wrong shape, wrong dtype (for whole numbers only if they are right), NaN;
then the values. If they do not explain the answer, the stages of the LADDER are asked in turn: each returns a Finding
or None, and the first Finding becomes the reply. A mistake that the exercise names comes before brackets and other
fixes that can give the right numbers for the wrong reason. When two things are wrong, a reply must not lead away from
the answer: it gives advice and places only if following them leaves at most one known mistake.
"""

import ast
import copy
import numbers
import os
import re
from dataclasses import replace

import numpy as np

from whywrong import errors, probes, sandbox
from whywrong.answer import REPLACED, Answer, is_plain
from whywrong.axes import find_right_values
from whywrong.boxes import find_recipe
from whywrong.evidence import describe_difference
from whywrong.fixes.copies import rewrite_copies, run_definition
from whywrong.fixes.edits import CARET, EDITS, PUT_BACK
from whywrong.fixes.places import covers
from whywrong.fixes.two_fixes import TwoFixSearch
from whywrong.form import is_tensor, near, sentence_start, to_numpy
from whywrong.shapes import find_failing_code
from whywrong.task import Exercise, Fault, Finding, Inspection, Key, Status, Verdict

# CPU time for each stage. This is only a fuse: counts limit the searches (`Budget`, and `tries` of an exercise), so a
# verdict is the same on a slow machine.
FUSE_SECONDS = 30.0
STRICT = "WHYWRONG_STRICT"  # an environment variable
ONE_IN = 120  # pairs of fixes is tried at most; if only numbers go in, eight times as many
LEAST_TRIES = 100  # of an exercise: if it allows fewer single fixes, no pairs are tried
_last_case: dict[str, dict[str, object]] = {}


def grade(item: Exercise | Inspection, handed_in, seed: int | None = None) -> Verdict:
    """Return the Verdict on an answer.

    Args:
        item: what was asked.
        handed_in: what the learner made.
        seed: of the random cases; None draws a fresh one.

    Raises:
        TypeError, ValueError: seed is not a whole number of at least 0.
        BrokenTask: the task itself is wrong, so that nothing can be said of the answer: `cases` or the oracle raises,
            runs too long or returns what it must not, or `inspect` returns a name that no Mistake has.
    """
    seed = int(np.random.default_rng().integers(1_000_000)) if seed is None else seed
    np.random.default_rng(seed)  # refuses anything that is not a seed
    answer = Answer.run(item, handed_in, seed)
    found = find_final(answer) or next(filter(None, (_run_stage(stage, answer) for stage in LADDER)))
    error = answer.outcome.error
    raised = isinstance(error, Exception) and not isinstance(error, Fault)
    status = Status.STOPPED if found.kind == "slip" and raised else found.status
    _remember(answer, found, status)
    numbers = (_run_stage(_numbers, answer) or "") if answer.differs else ""
    return Verdict(status, found.key, found.says, numbers, _first_lines(answer.outcome.printed))


def _run_stage(stage, answer):
    """Return what a stage finds, in the sandbox.

    No learner sees an error in a stage: the next stage is asked. In tests, where STRICT is set, the error is raised.
    """
    outcome = sandbox.run(lambda limits: stage(answer), FUSE_SECONDS)
    if isinstance(outcome.error, Exception) and os.environ.get(STRICT):
        raise outcome.error
    return outcome.value


def _numbers(answer):
    """Show the numbers of the case that differs; for black boxes, how many are misjudged."""
    shown = describe_difference(answer)
    if find_recipe(answer.case) is None or probes.mistake(answer) is not None:
        return shown
    wrong = sum(answer.wrong)
    counted = f"{wrong} of {len(answer.wrong)} boxes {'is' if wrong == 1 else 'are'} misjudged."
    return counted if answer.item.returns[0].axes is None else f"{counted}\n{shown}"


def last_case(id: str) -> dict[str, object] | None:
    """Return copies of the arguments of the last case that failed, by name; None if none has failed."""
    found = _last_case.get(id)
    return None if found is None else {name: _copied(arg) for name, arg in found.items()}


def _copied(arg):
    if is_tensor(arg):
        return arg.detach().clone()
    try:
        return copy.deepcopy(arg)
    except Exception:  # a black box that holds something that cannot be copied
        return arg


def _remember(answer, found, status):
    """Keep the case that failed, for `show_case`."""
    if found.kind == Key.CORRECT or answer.number is None:
        _last_case.pop(answer.item.id, None)
    elif status in (Status.NOT_YET, Status.STOPPED):
        _last_case[answer.item.id] = answer.arguments()


def _first_lines(printed, most=10):
    lines = printed.rstrip().splitlines()
    return "\n".join([*lines[:most], "…"] if len(lines) > most else lines)


# ---- the stages: Answer -> Finding | None


def find_final(answer: Answer) -> Finding | None:
    """Stop here if the answer is right, not attempted, out of time or not checked at all."""
    said = answer.finding
    last = said is not None and said.key in (Key.CORRECT, Key.TODO, Key.TIMEOUT, "slip:borrowed")
    return said if last or (said is not None and said.name == REPLACED) else None


def first_slip(answer: Answer) -> Finding | None:
    """See whether the error alone says enough, whatever small change would make the answer right."""
    return errors.find_slip(answer, "first") if answer.is_code else None


def everyday_slip(answer: Answer) -> Finding | None:
    """See whether the code passes all checks once a piece of Python that does not do what it seems to do is fixed."""
    return _find_slip(answer, everyday=True)


def named_mistake(answer: Answer) -> Finding | None:
    """Look for a mistake that the exercise names: by its inspection, by all values, or by where they are NaN."""
    if answer.differs:
        one = probes.mistake(answer)
    elif answer.finding.kind == Key.NAN and isinstance(answer.item, Exercise):
        one = None if probes.finite_is_right(answer) else probes.mistake_with_nan(answer)
    else:
        return answer.finding if answer.finding.kind == "mistake" else None
    if one is None:
        return None
    if one.two and (found := slip(answer)) is not None and found.name not in _OFTEN_BY_ACCIDENT:
        return found
    has_place = answer.differs and _costs_little(answer) and not one.two
    at = _where(answer, one.message) if has_place else None
    if at is None:
        unused = probes.describe_unused_name(answer) if answer.differs else ""
        return Finding("mistake", one.name, f"{one.message} {unused}".rstrip())
    says = f"{one.message} In your code: {answer.fix_search.source.describe_place(at)}."
    return Finding("mistake", one.name, says, at=at, sure=True)


_OFTEN_BY_ACCIDENT = ("brackets", "bracket-place", "place")  # fixes that can give the right numbers for a wrong reason
_OMISSION = re.compile(r"\b(missing|lacks?|left out|forgotten|got lost|never (added|counted))\b")


def _where(answer, message):
    """Return the expression that makes the answer right when it is fixed, or a product around a number; or None.

    What the message calls missing has no place in the code: changing a number elsewhere may have the same effect.
    """
    found = _find_slip(answer, everyday=False)
    if found is None or not found.sure or not isinstance(found.at, ast.expr) or found.name.endswith("-missing"):
        return None
    if found.name in _OFTEN_BY_ACCIDENT and _OMISSION.search(message) and "racket" not in message:
        return None
    nodes = list(ast.walk(answer.fix_search.source.definition))
    if found.name == "sum-or-mean" and not any(isinstance(one, ast.Return) and covers(one, found.at) for one in nodes):
        return None  # a mean that is missing somewhere else would have the same effect
    if found.name == "number":  # a factor next to it would, too
        at = next(
            (one for one in nodes if isinstance(one, _AROUND) and found.at in ast.iter_child_nodes(one)), found.at
        )
        counts = any(isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult) for one in (at, found.at))
        return None if counts and _OMISSION.search(message) else at
    return found.at


_AROUND = (ast.BinOp, ast.Compare)  # a number is quoted together with one of these


def slip(answer: Answer) -> Finding | None:
    """See whether the code passes all checks once one place is fixed."""
    changes_inputs = not answer.differs and answer.finding.kind == Key.MUTATES
    return None if changes_inputs else _find_slip(answer, everyday=False)


def known_error(answer: Answer) -> Finding | None:
    """See whether the error can only come from one slip; give advice on shapes only if it helps."""
    finding = errors.find_slip(answer, "errors") if answer.is_code else None
    for advice, follow in _ADVICE.items() if finding is not None else ():
        if finding.says.endswith(advice) and not _helps(answer, follow):
            return replace(finding, says=finding.says.removesuffix(advice))
    return finding


def _transpose(node):
    return node.value if getattr(node, "attr", "") == "T" else ast.Attribute(node, "T", ast.Load())


_ADVICE = {  # a sentence of `shapes` -> the two sides of the product after following it
    " They fit in the other order.": lambda left, right: (right, left),
    " They fit with the second one transposed.": lambda left, right: (left, _transpose(right)),
    " They fit with the first one transposed.": lambda left, right: (_transpose(left), right),
    " They fit in the other order, with this first one transposed.": lambda left, right: (right, _transpose(left)),
}


def _helps(answer, follow):
    """Return whether following advice, at the failed product or at all, leaves at most one known mistake."""
    failed, source = find_failing_code(answer.outcome.error), answer.fix_search.source
    if failed is None or source is None:
        return False

    def rewrite(node, source):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            left, right = follow(node.left, node.right)
            return [ast.BinOp(left, node.op, right)]
        if isinstance(node, ast.Call) and len(node.args) == 2 and ast.dump(node) == ast.dump(failed[0]):
            return [ast.Call(node.func, list(follow(*node.args)), node.keywords)]
        return []

    for definition, places in rewrite_copies(source, rewrite, together=True):
        if any(ast.dump(node) == ast.dump(failed[0]) for node in places):
            fixed = run_definition(definition, source, answer.fix_search.budget)
            if fixed is not None and (answer.passes(fixed) or probes.find_mistake_of(answer, fixed) is not None):
                return True
    return False


def misjudged_box(answer: Answer) -> Finding | None:
    """Name the first black box that is misjudged, and the experiment that shows it."""
    box, judged = find_recipe(answer.case), answer.given[answer.number][0]
    if box is None:
        return None
    if answer.item.returns[0].axes is None:
        return Finding("seen", "box", f"You said {judged!r} for {box.words}: {box.tell}")
    return Finding("seen", "box", f"The first box that you misjudge is {box.words}: {box.tell}")


def trait(answer: Answer) -> Finding | None:
    """See whether the values show something that explains them."""
    found = probes.trait(answer)
    return None if found is None or found.vague else found


def at_once(answer: Answer) -> Finding | None:
    """See whether a loop always ends in its first round, because its body ends with a `return`."""
    source = answer.fix_search.source if answer.is_code else None
    for node in ast.walk(source.definition) if source is not None else ():
        if isinstance(node, (ast.For, ast.While)) and _returns(node.body[-1]):
            says = "always returns. Give only one of its answers inside the loop, and the other after it."
            if sum(isinstance(one, ast.Return) for one in ast.walk(node)) == 1:
                says = "ends in a `return`: unindent that `return`."
            says = f"The loop `{source.line_of(node)}` ends in its first round, because its body {says}"
            return Finding("slip", "return-in-loop", says, at=node)
    return None


def _returns(line):
    both = (line.body, line.orelse) if isinstance(line, ast.If) else ()
    return isinstance(line, ast.Return) or bool(both and all(part and _returns(part[-1]) for part in both))


def caret(answer: Answer) -> Finding | None:
    """See whether the code has a `^`, when neither errors nor values say more."""
    unknown = answer.differs or answer.finding.kind == Key.VALUE
    says = "In Python, `^` is not a power (that is `**`). For two Boolean values, `^` means that exactly one is True, "
    says += "and `&` that both are."
    return Finding("slip", CARET.name, says) if unknown and answer.is_code and _holds_caret(answer) else None


def unused(answer: Answer) -> Finding | None:
    """See whether an input is never used; if two mistakes explain the whole answer, name them first."""
    finding = probes.unused(answer)
    both = finding and probes.mistake_and_more(answer)
    return replace(both, says=f"{both.says} {finding.says}") if both else finding


def two_places(answer: Answer) -> Finding | None:
    """See whether the code passes all checks once two places are fixed, but not with one; only where that is cheap."""
    tells = answer.differs or (answer.finding.kind == Key.NAN and not probes.finite_is_right(answer))
    source = answer.fix_search.source if tells and _costs_little(answer) and not answer.fix_search.fixes else None
    if source is None:
        return None
    alone = all(isinstance(arg, numbers.Real) for arg in answer.case.args)
    most = answer.item.tries**2 // ONE_IN * (8 if alone else 1)
    search = TwoFixSearch(source, EDITS, PUT_BACK, answer.fix_search.budget)
    found = search.find_fixes(most, answer.passes_first, answer.passes)
    if found is None or found.name != "two-places" or found.at is not None or not answer.differs:
        return found
    answer.show_smallest()
    return replace(found, says=f"{found.says} Below is the smallest case that fails.")


def _costs_little(answer):
    """Return whether it is a function of plain values, which can be run a few thousand times."""
    args, item = () if answer.number is None else answer.case.args, answer.item
    plain = item.kind == "function" and isinstance(item, Exercise) and args and all(map(is_plain, args))
    return bool(plain and answer.is_code and item.tries >= LEAST_TRIES)


def report_checks(answer: Answer) -> Finding | None:
    """Report what the checks say about the type and shape of the answer, or about the error that it raised."""
    found = answer.finding
    compared = found is not None and found.kind == Key.NAN and isinstance(answer.item, Exercise)
    if compared and probes.finite_is_right(answer):
        return replace(found, says=f"{found.says} All finite values are right.")
    return found


def report_values(answer: Answer) -> Finding:
    """Say only which values are wrong."""
    item, number = answer.item, answer.number
    if item.kind == "value":
        way = "large" if answer.given[0][0] > float(answer.expected[0][0]) else "small"
        return Finding(Key.VALUE, says=f"Your number is too {way}.")
    wrong = answer.differing(number)
    right = [one.name for one in item.returns if one.name not in wrong]
    others = f" ({' and '.join(right)} {'is' if len(right) == 1 else 'are'} right)" if right else ""
    small = (
        " One small change would fix it, but there is more than one place for it."
        if _run_stage(lambda answer: answer.is_code and answer.fix_search.fixes, answer)
        else ""
    )
    names = " and ".join(wrong)
    says = f"{sentence_start(names)} {'is' if len(wrong) == 1 else 'are'} wrong{others}.{small}"
    if any(one.axes is not None for one in item.returns if one.name in wrong):
        some = "some of the values" if _has_right_values(answer, number) else "the values"
        triples = zip(item.returns, answer.given[number], answer.expected[number], strict=True)
        kinds = [{to_numpy(value).dtype.kind for value in both} for one, *both in triples if one.name in wrong]
        lead = (
            "Shape and type are right, but" if max(map(len, kinds)) == 1 else "The shape is right, the type is not, and"
        )
        says = f"{lead} {some} of {names} are wrong{others}.{small}"
    return Finding(Key.VALUE, says=says)


def _has_right_values(answer: Answer, number: int) -> bool:
    """Return whether an array that is wrong in a case contains right values."""
    wrong = answer.differing(number)
    triples = zip(answer.item.returns, answer.given[number], answer.expected[number], strict=True)
    return any(
        near(to_numpy(value), to_numpy(right), answer.item.tolerance).any()
        for returned, value, right in triples
        if returned.axes is not None and returned.name in wrong
    )


def _find_slip(answer, everyday):
    if not answer.is_code:
        return None
    inputs = answer.cases()[0].args
    edits = [edit for edit in EDITS if inputs or edit.without_inputs]
    looked_for = [edit for edit in edits if edit.everyday or not everyday]
    found, said = answer.fix_search.find_fix(looked_for, edits), answer.finding
    if found is None or (
        everyday and not (found.sure and found.name in {edit.name for edit in EDITS if edit.everyday})
    ):
        return None
    if found.name == "place" and said is not None and said.kind == Key.VALUE:
        return None  # the exercise knows more
    told = said is not None and said.kind in (Key.SHAPE, Key.DTYPE, Key.TYPE) and not _repeats(said.says, found.says)
    return replace(found, says=f"{said.says} {found.says}") if told else found


def _repeats(first: str, second: str) -> bool:
    """Return whether a sentence quotes some code, and another one quotes all of it again."""
    quoted = set(re.findall("`[^`]+`", first))
    return bool(quoted) and quoted <= set(re.findall("`[^`]+`", second))


def _holds_caret(answer):
    source = answer.fix_search.source
    return source is not None and any(isinstance(node, ast.BitXor) for node in ast.walk(source.definition))


def _of_values(stage):
    """Return a stage that is asked only if shape and type are right and values differ."""
    return lambda answer: stage(answer) if answer.differs else None


LADDER = (
    first_slip,
    everyday_slip,
    at_once,
    named_mistake,
    slip,
    known_error,
    *map(_of_values, (probes.swapped_truths, misjudged_box, unused, probes.in_parts, trait, probes.mistake_and_more)),
    _of_values(probes.computed_in_vain),
    two_places,
    *map(_of_values, (probes.depends, probes.growth, probes.trait)),  # the last one says little
    caret,
    find_right_values,
    report_checks,
    report_values,
)
