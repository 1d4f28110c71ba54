"""Exercise: how many parameters of a model take part in computing one token?"""

from whywrong.task import Case, Exercise, Mistake, Returns


def _cases(rng):
    cases = []
    for layers, d_model, d_ff, n_experts, k in (
        (32, 4096, 14336, 8, 2),
        (24, 1024, 704, 60, 4),
        (12, 768, 3072, 16, 1),
    ):
        rest = int(rng.integers(10**7, 10**9))
        total = rest + layers * n_experts * 3 * d_model * d_ff
        cases.append(Case((total, layers, d_model, d_ff, n_experts, k)))
    return cases


def _counted(total, n_layers, d_model, d_ff, n_experts, k):
    """Take the idle experts away one by one, matrix by matrix."""
    for _ in range(n_layers):
        for _ in range(n_experts - k):
            for shape in ((d_model, d_ff), (d_model, d_ff), (d_ff, d_model)):
                total -= shape[0] * shape[1]
    return total


EXERCISE = Exercise(
    id="bonus_experts.active_parameters",
    kind="function",
    cases=_cases,
    oracle=_counted,
    returns=(Returns("the number of parameters"),),
    tolerance=1e-9,
    may_use=("gated_parameters",),
    mistakes=(
        Mistake(
            "share-of-all",
            lambda t, n, d, f, E, k: t * k / E,
            "You took the share k/E of everything; attention, embeddings and norms exist once, and work for every token.",
        ),
        Mistake(
            "share-of-all-whole",
            lambda t, n, d, f, E, k: t * k // E,
            "You took the share k/E of the whole model; attention, embeddings and norms exist once, and work for every token.",
        ),
        Mistake(
            "experts-only",
            lambda t, n, d, f, E, k: n * k * 3 * d * f,
            "You counted the experts at work alone: attention, embeddings and norms work too.",
        ),
        Mistake(
            "one-layer",
            lambda t, n, d, f, E, k: t - (E - k) * 3 * d * f,
            "You took away the idle experts of one layer; every layer has its own.",
        ),
        Mistake(
            "two-matrices",
            lambda t, n, d, f, E, k: t - n * (E - k) * 2 * d * f,
            "You counted two matrices for an expert; these experts are gated and have three.",
        ),
        Mistake(
            "no-matrices",
            lambda t, n, d, f, E, k: t - n * (E - k) * d * f,
            "You counted one matrix for an expert; these experts are gated and have three.",
        ),
        Mistake(
            "with-biases",
            lambda t, n, d, f, E, k: t - n * (E - k) * (3 * d * f + 2 * f + d),
            "You counted biases in the idle experts; these have none.",
        ),
        Mistake(
            "plain-experts",
            lambda t, n, d, f, E, k: t - n * (E - k) * (2 * d * f + f + d),
            "You counted plain FFNs with two matrices and biases; these experts are gated: three matrices and no biases.",
        ),
        Mistake(
            "idle",
            lambda t, n, d, f, E, k: n * (E - k) * 3 * d * f,
            "These are the parameters of the idle experts: take them away from the total.",
        ),
        Mistake(
            "minus-chosen",
            lambda t, n, d, f, E, k: t - n * k * 3 * d * f,
            "You took away the k experts that are chosen; the others are the idle ones.",
        ),
        Mistake(
            "minus-all",
            lambda t, n, d, f, E, k: t - n * E * 3 * d * f,
            "You took away all experts; k of them work in every layer.",
        ),
        Mistake(
            "k-of-the-total",
            lambda t, n, d, f, E, k: t - n * (E - 1) * 3 * d * f,
            "You left one expert in every layer; a token uses k of them.",
        ),
        Mistake("total", lambda t, n, d, f, E, k: t, "This is the whole model: which experts are idle for one token?"),
    ),
    hints=(
        "Begin with the total, and subtract what one token does not use.",
        "In each layer E − k experts are idle, and each of them has three matrices of d_model × d_ff numbers.",
        "Start with: idle = n_layers * (n_experts - k) * 3 * d_model * d_ff.",
    ),
    right="For Mixtral 8x7B this gives 12.9 billion of 46.7: two experts of each layer, and everything that exists once.",
)
