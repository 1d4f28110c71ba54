"""Exercise: run the experts of one machine, each on the tokens that chose it."""

import numpy as np

from lessons.bonus_experts.shared import Expert
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns


def _cases(rng):
    cases = []
    for tokens, d_model, n_experts, k, held in (
        (7, 10, 4, 2, (0, 1, 2, 3)),
        (6, 4, 5, 3, (1, 3, 4)),
        (4, 2, 3, 1, (0, 2)),
    ):
        asked = n_experts - (k == 1)  # nobody chooses the last expert of the last case
        chosen = np.array([rng.permutation(asked)[:k] for _ in range(tokens)])
        x, gates = rng.normal(size=(tokens, d_model)), rng.uniform(0.2, 1.0, size=(tokens, k))
        mine = {number: Expert(rng, d_model) for number in held}
        cases.append(Case((x, chosen, gates, mine), {"token": tokens, "d_model": d_model}))
    return cases


def _by_lists(x, chosen, gates, mine):
    """Write down for each expert who asked for it, and add what it returns row by row."""
    y, k = np.zeros(x.shape), chosen.shape[1]
    for number, expert in mine.items():
        asked = [divmod(place, k) for place, one in enumerate(chosen.ravel().tolist()) if one == number]
        if asked:
            for (token, slot), row in zip(asked, expert(np.stack([x[token] for token, _ in asked])), strict=True):
                y[token] += gates[token, slot] * row
    return y


def _run(answer, case):
    """Call the answer; where it returns what each expert adds, say that these are added up."""
    y, mine = answer(*case.args), case.args[-1]
    if isinstance(y, list) and len(y) == len(mine) < len(case.args[0]):
        words = f"Your result is a list of {len(y)} values, one for each expert: add their rows up in one array."
        raise Fault(Key.TYPE, words)
    return y


def _rows_alone(answer):
    """See that each expert is called once at most, with the rows of its own tokens alone."""
    x, chosen, gates, mine = _cases(np.random.default_rng(0))[0].args
    rows = {number: [] for number in mine}

    def counting(number):
        def expert(given):
            rows[number].append(len(np.atleast_2d(given)))
            return mine[number](given)

        return expert

    answer(x, chosen, gates, {number: counting(number) for number in mine})
    for number, given in rows.items():
        wanted = int((chosen == number).sum())
        if sum(given) > wanted:
            words = f"expert {number} got {sum(given)} rows, and {wanted} tokens chose it: pick their rows first"
            raise Fault(Key.VALUE, f"The values are right, but {words}, and hand it no others.")
        if len(given) > 1:
            words = f"expert {number} was called {len(given)} times: collect the rows of its tokens, and call it once"
            raise Fault(Key.VALUE, f"The values are right, but {words}.")


def _each(
    weigh=lambda gates, tokens, slot: gates[tokens, slot], run=lambda expert, rows, weight: weight * expert(rows)
):
    """Make an answer that goes through the experts, from how it weighs a row and what it does with rows and weights."""

    def answer(x, chosen, gates, mine):
        y = np.zeros(x.shape)
        for number, expert in mine.items():
            tokens, slot = np.where(chosen == number)
            y[tokens] += run(expert, x[tokens], weigh(gates, tokens, slot)[:, None])
        return y

    return answer


_right = _each()


def _last_choice(x, chosen, gates, mine):
    return _right(x, chosen[:, -1:], gates[:, -1:], mine)


def _first_choice(x, chosen, gates, mine):
    return _right(x, chosen[:, :1], gates[:, :1], mine)


def _last_expert(x, chosen, gates, mine):
    y = np.zeros(x.shape)
    for number, expert in mine.items():
        tokens, slot = np.where(chosen == number)
        y[tokens] = gates[tokens, slot][:, None] * expert(x[tokens])
    return y


EXERCISE = Exercise(
    id="bonus_experts.dispatch",
    kind="function",
    cases=_cases,
    oracle=_by_lists,
    returns=(Returns("y", ("token", "d_model")),),
    run=_run,
    afterwards=_rows_alone,
    mistakes=(
        Mistake(
            "last-expert",
            _last_expert,
            "Of what several experts return for a token, only the last is left. With an array of numbers in the square brackets, `=` replaces what was there, and `+=` adds only once where a token stands in it twice.",
        ),
        Mistake(
            "last-choice",
            _last_choice,
            "Only each token's last choice is left. Over all choices at once, `+=` does that: it adds only once where a token stands in the index twice, and np.add.at adds each time.",
        ),
        Mistake(
            "first-choice",
            _first_choice,
            "Only each token's first choice counts: look for an expert's number in all k columns of `chosen`.",
        ),
        Mistake(
            "gate-of-the-first",
            _each(weigh=lambda gates, tokens, slot: gates[tokens, 0]),
            "All choices of a token are weighted by the gate of its first one; gates[token, slot] belongs to chosen[token, slot].",
        ),
        Mistake(
            "unweighted",
            _each(run=lambda expert, rows, weight: expert(rows)),
            "You added up what the chosen experts return: multiply each row by its gate first, or the router gets no gradient in training.",
        ),
        Mistake(
            "weighs-x",
            _each(run=lambda expert, rows, weight: expert(weight * rows)),
            "You multiplied the token by the gate before it enters the expert; the gate multiplies what the expert returns.",
        ),
        Mistake(
            "place-for-number",
            lambda x, chosen, gates, mine: _right(x, chosen, gates, dict(enumerate(mine.values()))),
            "Your experts have the numbers 0, 1, 2, …, but this machine may hold others: their numbers are the keys of `mine`.",
        ),
        Mistake(
            "residual",
            lambda x, chosen, gates, mine: x + _right(x, chosen, gates, mine),
            "You added x: the residual belongs to the block, and here each machine would add it again.",
        ),
    ),
    hints=(
        "Go through this machine's experts. Which tokens chose this one, and as which of their choices?",
        "Of a Boolean array of shape (tokens, k), `np.where` returns two arrays of one length: the tokens, and their places among the k choices.",
        "Start with: y = np.zeros(x.shape), and for number, expert in mine.items(): tokens, slot = np.where(…)",
    ),
    right="Each expert saw its own tokens only. With all experts on one machine, this is the loop of Mixtral's code.",
)
