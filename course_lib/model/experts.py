"""Mixtures of experts: many feed-forward networks side by side, and a router that picks a few of them for each token.

    y = Σᵢ gᵢ(x) · FFNᵢ(x), where all but k of the gates gᵢ(x) are 0          (Shazeer et al. 2017, eqs. 1 and 3 to 5)

Here every expert is computed for every token and multiplied by its gate. It saves no time, and makes two things exact:
what an expert gives does not depend on how many tokens it has, and a gate of 0 is a factor of 0. Lesson 09 writes the
loop that computes only the chosen experts.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from course_lib.model.activations import activation as activation_named
from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward
from course_lib.model.one_thread import nn, torch
from course_lib.model.per_seed import uniform_start
from course_lib.model.training import Networks
from courseware import arguments

#: How the router's logits become gates; see `route`.
ROUTERS = ("mixtral", "switch", "deepseek")


class Routing(NamedTuple):
    """What a router decides for each token; every part has shape (..., n_experts).

    probabilities: the share of each expert before any choice, with the sum 1; the balance loss reads them.
    chosen: True for the k experts of a token.
    gates: the factor of each expert's output, 0 where it is not chosen.
    """

    probabilities: torch.Tensor
    chosen: torch.Tensor
    gates: torch.Tensor


def route(logits: torch.Tensor, k: int, router: str = "mixtral", bias=None) -> Routing:
    """Choose k experts for each token, and weigh them.

    "mixtral": the k largest logits; a softmax over these (Jiang et al. 2024, section 2.1; Shazeer et al. 2017, eq. 3).
    "switch": the k largest; a softmax over *all* logits, and what the others hold is lost (Fedus et al. 2021, eqs. 1
        and 2, with k = 1).
    "deepseek": s = sigmoid(logits); the k largest s + bias; the chosen s *without* the bias, divided by their sum
        (DeepSeek-AI 2024, eqs. 12 to 16; its groups of experts and its constant factor are left out).

    Args:
        logits: (..., n_experts).
        k: experts of a token, from 1 to n_experts.
        router: one of ROUTERS.
        bias: (..., n_experts) or (n_experts,), added for the choice only, to the sigmoids or to the softmax over all
            (Wang et al. 2024, eq. 3); None is 0.

    Raises:
        TypeError: logits is not a floating-point tensor, or k no whole number.
        ValueError: k is not from 1 to n_experts, or the router is unknown.
    """
    arguments.tensor("logits", logits)
    k = arguments.integer("k", k, 1, logits.shape[-1])
    arguments.choice("router", router, ROUTERS)
    if bias is not None:
        _fits("bias", arguments.tensor("bias", bias, "n_experts", logits.shape[-1], like=logits), "logits", logits)
    scores = torch.sigmoid(logits) if router == "deepseek" else torch.softmax(logits, dim=-1)
    chosen = largest(scores if bias is None else scores + bias, k)
    if router == "mixtral":
        return Routing(scores, chosen, torch.softmax(logits.masked_fill(~chosen, -torch.inf), dim=-1))
    gates = scores * chosen
    if router == "switch":
        return Routing(scores, chosen, gates)
    return Routing(scores / scores.sum(dim=-1, keepdim=True), chosen, gates / gates.sum(dim=-1, keepdim=True))


def largest(scores: torch.Tensor, k: int) -> torch.Tensor:
    """Return True at the k largest of the last axis, in the shape of the scores; of equal ones the first count."""
    places = scores.detach().argsort(dim=-1, descending=True, stable=True)[..., :k]
    return torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, places, True)


def kept(chosen: torch.Tensor, capacity: int) -> torch.Tensor:
    """Let every expert take its first `capacity` tokens, in order of position; the others are dropped.

    Fedus et al. 2021, section 2.2: the capacity is (tokens / n_experts) · a capacity factor, and a dropped token skips
    the layer, so that only the residual carries it on.

    Args:
        chosen: (..., tokens, n_experts), True where a token has chosen an expert.
        capacity: tokens that an expert takes, at least 1.

    Returns:
        chosen, with False in place of what is dropped.

    Raises:
        TypeError: chosen is no tensor of True and False, or capacity no whole number.
        ValueError: chosen has a single axis, or capacity is below 1.
    """
    return chosen & (_choices(chosen).cumsum(dim=-2) <= arguments.integer("capacity", capacity))


def balance_loss(probabilities: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    """Return the balance loss of Switch, without its factor α (Fedus et al. 2021, eqs. 4 to 6).

        E · Σᵢ fᵢ Pᵢ,   fᵢ: the share of all choices that expert i got,   Pᵢ: its mean probability

    With k choices a token, f is divided by k here, so that an even load gives 1 for every k.

    Args:
        probabilities: (..., tokens, n_experts), with the sum 1.
        chosen: the same shape, True or False; no gradient passes through it.

    Returns:
        (...), one number for every batch: 1 when the counts are even, n_experts when one expert has all tokens with
        probability 1. It can lie below 1.
    """
    counts = chosen.to(probabilities.dtype).sum(dim=-2)
    shares = counts / counts.sum(dim=-1, keepdim=True)
    return probabilities.shape[-1] * (shares * probabilities.mean(dim=-2)).sum(dim=-1)


def second_choice(routing: Routing) -> torch.Tensor:
    """Return gates (..., n_experts) that hand the gate of each token's first choice to its second; for k = 1.

    Raises:
        ValueError: a token has not exactly one expert.
    """
    if not bool((routing.chosen.sum(-1) == 1).all()):
        raise ValueError("routing must have one expert for each token: make it with k = 1.")
    runner_up = largest(routing.probabilities.masked_fill(routing.chosen, -1), 1)
    return runner_up * routing.gates.sum(-1, keepdim=True)


def _choices(chosen):
    """Return choices that are a tensor of True and False, (..., tokens, n_experts)."""
    if not arguments.is_tensor(chosen) or chosen.dtype != torch.bool:
        raise TypeError(f"chosen must be a tensor of True and False, but {arguments.described(chosen)} was given.")
    if chosen.ndim < 2:
        raise ValueError(f"chosen must have shape (..., tokens, n_experts), but its shape is {tuple(chosen.shape)}.")
    return chosen


def _fits(name, value, other, tensor):
    if not arguments.spreads(value.shape, tensor.shape):
        raise ValueError(
            f"{name} must fit {other} of shape {tuple(tensor.shape)}, but its shape is {tuple(value.shape)}."
        )


class MixtureOfExperts(nn.Module):
    """Send every token to k of n_experts feed-forward networks and add what they return, weighed by the gates.

        y = Σᵢ gᵢ FFNᵢ(x),   g = gates of the logits x W_router

    `router` is a linear layer without bias, `experts` a list of the course's FFNs, without dropout.

    Args:
        d_model: features of a token, in and out.
        d_ff: hidden features of ONE expert.
        n_experts: how many there are.
        k: how many of them a token uses.
        router: "mixtral", "switch" or "deepseek", as in `route`; "deepseek" has a `choice_bias`, which no gradient
            trains.
        capacity: tokens that an expert takes in one call, in order of position over all leading axes; None takes all.
            A token that is dropped by all its experts gets the output 0.
        activation: a name from `activations.ACTIVATIONS`, or any callable from tensor to tensor.
        gated: make the experts of `GatedFeedForward`, without biases, as Mixtral and DeepSeek-V3 do (with "silu").

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a size below 1, k above n_experts, an unknown router or an unknown activation.
    """

    def __init__(
        self, d_model: int, d_ff: int, n_experts: int, k: int, *, router="mixtral", capacity=None, activation="relu",
        gated: bool = False,
    ):  # fmt: skip
        super().__init__()
        self.d_model = arguments.integer("d_model", d_model)
        self.d_ff = arguments.integer("d_ff", d_ff)
        self.n_experts = arguments.integer("n_experts", n_experts)
        self.k = arguments.integer("k", k, 1, self.n_experts)
        self.kind = arguments.choice("router", router, ROUTERS)
        self.capacity = None if capacity is None else arguments.integer("capacity", capacity)
        make = GatedFeedForward if arguments.boolean("gated", gated) else PositionWiseFeedForward
        self.router = nn.Linear(self.d_model, self.n_experts, bias=False)
        self.experts = nn.ModuleList(
            make(self.d_model, self.d_ff, activation=activation, dropout=0.0) for _ in range(self.n_experts)
        )
        self.register_buffer("choice_bias", torch.zeros(self.n_experts) if self.kind == "deepseek" else None)

    def route(self, x: torch.Tensor) -> Routing:
        """Return what the router decides for tokens (..., d_model): three parts of shape (..., n_experts).

        The gates of what goes beyond the capacity are 0; `chosen` still holds it.

        Raises:
            TypeError: x is not a floating-point tensor, or has another dtype than the weights.
            ValueError: the last dimension of x is not d_model.
        """
        arguments.tensor("x", x, "d_model", self.d_model, like=self.router.weight)
        routing = route(self.router(x), self.k, self.kind, self.choice_bias)
        if self.capacity is None:
            return routing
        taken = kept(routing.chosen.reshape(-1, self.n_experts), self.capacity).reshape(routing.chosen.shape)
        return routing._replace(gates=routing.gates * taken)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return y as in the equation. Arguments and errors are those of `route`.

        Returns:
            (..., d_model), the shape of x.
        """
        gates = self.route(x).gates
        y = torch.zeros_like(x)
        for gate, expert in zip(gates.unbind(dim=-1), self.experts, strict=True):
            y = y + gate[..., None] * expert(x)
        return y

    def extra_repr(self) -> str:
        """Return the line that print(module) shows first: the sizes and the number of parameters."""
        sizes = f"d_model={self.d_model}, d_ff={self.d_ff}, n_experts={self.n_experts}, k={self.k}"
        parameters = sum(p.numel() for p in self.parameters())
        return f"{sizes}, router={self.kind}, capacity={self.capacity}, parameters={parameters:,}"


@dataclass
class MixtureNetworks(Networks):
    """The same mixture of experts once per seed; made by `mixtures`.

    parameters: W_router (seeds, d_model, E); then W₁, b₁, W₂ of all experts side by side, as in one wide FFN:
        (seeds, d_model, E · d_ff), (seeds, 1, E · d_ff), (seeds, E · d_ff, d_model); output biases (seeds, E, d_model).
    k, router: as in `route`.
    routing: what the routers decided when they were last asked.
    """

    k: int
    router: str
    activation: Callable
    routing: Routing | None = None

    def route(self, x: torch.Tensor) -> Routing:
        """Return what the routers decide for x of shape (n, d_model) or (seeds, n, d_model)."""
        self.routing = route(x @ self.parameters[0], self.k, self.router)
        return self.routing

    def mixed(self, x: torch.Tensor, gates: torch.Tensor) -> torch.Tensor:
        """Return the outputs (seeds, n, d_model) when the gates (seeds, n, E) are given."""
        _, W1, b1, W2, b2 = self.parameters
        h = self.activation(torch.baddbmm(b1, x.expand(len(W1), *x.shape[-2:]), W1))
        h = (h.unflatten(-1, (gates.shape[-1], -1)) * gates[..., None]).flatten(-2)
        return torch.baddbmm(gates @ b2, h, W2)

    def balancing(self, alpha: float) -> Callable:
        """Return a penalty for `training.fit`: α times the balance loss of the step."""
        alpha = arguments.real("alpha", alpha, 0)
        return lambda x: alpha * balance_loss(self.routing.probabilities, self.routing.chosen)


def mixtures(
    d_model: int, d_ff: int, n_experts: int, k: int, seeds: int, *, router="switch", activation="relu", first_seed=0
) -> MixtureNetworks:
    """Make mixtures of experts with biases, once per seed, to be trained by `training.fit`.

    Weights and biases start uniform in ±1/√fan_in, as in `torch.nn.Linear`, and every expert draws its own.

    Args:
        d_model, d_ff, n_experts, k, router, activation: as in `MixtureOfExperts`.
        seeds: how many networks.
        first_seed: the seed of the first network; the others follow.

    Raises:
        TypeError, ValueError: a size is no positive integer, k is above n_experts, or the router or the activation is
            unknown.
    """
    d_model, d_ff = arguments.integer("d_model", d_model), arguments.integer("d_ff", d_ff)
    n_experts, seeds = arguments.integer("n_experts", n_experts), arguments.integer("seeds", seeds)
    k, first_seed = arguments.integer("k", k, 1, n_experts), arguments.integer("first_seed", first_seed, 0)
    arguments.choice("router", router, ROUTERS)
    generators = [torch.Generator().manual_seed(first_seed + seed) for seed in range(seeds)]
    width = n_experts * d_ff
    parameters = [
        uniform_start(generators, d_model, n_experts),
        uniform_start(generators, d_model, width),
        uniform_start(generators, 1, width, fan_in=d_model),
        uniform_start(generators, width, d_model, fan_in=d_ff),
        uniform_start(generators, n_experts, d_model, fan_in=d_ff),
    ]

    def forward(parameters, x):
        return many.mixed(x, many.route(x).gates)

    many = MixtureNetworks(parameters, forward, k, router, activation_named(activation))
    return many
