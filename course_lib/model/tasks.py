"""Small data sets for the experiments: made on the spot, seeded, float64, nothing to download."""

import math

from course_lib.model.one_thread import torch
from courseware.arguments import integer, real


def xor() -> tuple[torch.Tensor, torch.Tensor]:
    """Return the four points of XOR: y is 1 where exactly one of the two inputs is 1.

    Returns:
        x of shape (4, 2) with the rows 00, 01, 10, 11; y of shape (4, 1).
    """
    x = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)
    return x, (x.sum(dim=1, keepdim=True) == 1).to(torch.float64)


def wave(n: int = 256) -> tuple[torch.Tensor, torch.Tensor]:
    """Return one period of the sine on an even grid over [−π, π].

    Returns:
        x of shape (n, 1); y = sin(x) of shape (n, 1).
    """
    x = torch.linspace(-math.pi, math.pi, integer("n", n, 2), dtype=torch.float64)[:, None]
    return x, torch.sin(x)


def pairs(n: int, d_model: int, seeds: int = 1, *, first_seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Return random keys and values, drawn alone from a standard normal: there is nothing to learn but each pair.

    Args:
        n: how many pairs a seed has.
        d_model: features of a key and of a value.
        seeds: how many sets of pairs, each from a generator of its own.
        first_seed: the seed of the first set; the others follow.

    Returns:
        keys and values, each of shape (seeds, n, d_model).
    """
    n, d_model, seeds = integer("n", n), integer("d_model", d_model), integer("seeds", seeds)
    first_seed = integer("first_seed", first_seed, 0)
    generators = [torch.Generator().manual_seed(first_seed + seed) for seed in range(seeds)]
    drawn = [torch.randn(2, n, d_model, generator=generator, dtype=torch.float64) for generator in generators]
    return tuple(torch.stack(drawn, dim=1))


_CAPITALS = """Argentina Buenos-Aires, Austria Vienna, Canada Ottawa, Chile Santiago, Cuba Havana, Egypt Cairo,
    Finland Helsinki, France Paris, Ghana Accra, Greece Athens, Iceland Reykjavik, India New-Delhi, Iraq Baghdad,
    Ireland Dublin, Italy Rome, Japan Tokyo, Kenya Nairobi, Nepal Kathmandu, Norway Oslo, Peru Lima, Poland Warsaw,
    Spain Madrid, Thailand Bangkok, Vietnam Hanoi"""


def capitals() -> tuple[list[str], list[str]]:
    """Return 24 countries in alphabetical order and their capitals: facts, one to one."""
    facts = [fact.split() for fact in _CAPITALS.split(",")]
    return [country for country, _ in facts], [capital.replace("-", " ") for _, capital in facts]


def tokens(copies: int = 1, *, seed: int = 0) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Return sequences of 6 tokens with 2 bits each, and three questions to the last token.

    The six bits at positions 1, 3 and 5 take each of their 64 combinations once in every copy; the other bits are
    random, and the same within a copy. So a constant ½ is the best affine answer to both XORs, with an error of 1/4.

    Args:
        copies: how often the 64 combinations occur, each time with other bits at positions 0, 2 and 4.
        seed: of those bits.

    Returns:
        x of shape (64 · copies, 6, 2), −1 or 1; and the targets by name, each of shape (64 · copies, 1), 0 or 1.
    """
    copies, seed = integer("copies", copies), integer("seed", seed, 0)
    generator = torch.Generator().manual_seed(seed)
    x = torch.randint(0, 2, (copies, 1, 6, 2), generator=generator).repeat(1, 64, 1, 1)
    x[:, :, 1::2] = torch.cartesian_prod(*[torch.tensor([0, 1])] * 6).reshape(64, 3, 2)
    x = x.reshape(-1, 6, 2)
    targets = {
        "XOR of its own bits": x[:, 5, :1] ^ x[:, 5, 1:],
        "copy from position 1": x[:, 1, :1],
        "XOR of positions 1 and 3": x[:, 1, :1] ^ x[:, 3, :1],
    }
    return 2 * x.to(torch.float64) - 1, {name: y.to(torch.float64) for name, y in targets.items()}


def turns(n: int, seq_len: int = 6, *, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sequences of pointers, and by how much each has turned since the token before it.

    The angles are independent and even over the circle, so no affine function of a pointer and the one before it
    answers better than a constant 0, whose error is 1/2 a feature. The token before the first is the last.

    Args:
        n: sequences; seq_len: tokens of each.
        seed: of the angles.

    Returns:
        x of shape (n, seq_len, 6): cosine and sine of the token's angle, then four zeros to write into; y of shape
        (n, seq_len, 2): cosine and sine of the angle minus the angle of the token before.
    """
    n, seq_len, seed = integer("n", n), integer("seq_len", seq_len, 2), integer("seed", seed, 0)
    generator = torch.Generator().manual_seed(seed)
    angle = 2 * math.pi * torch.rand(n, seq_len, generator=generator, dtype=torch.float64)
    turn = angle - angle.roll(1, dims=1)
    x = torch.stack([angle.cos(), angle.sin()], dim=-1)
    x = torch.cat([x, torch.zeros(n, seq_len, 4, dtype=x.dtype)], dim=-1)
    return x, torch.stack([turn.cos(), turn.sin()], dim=-1)


def clusters(
    n: int,
    seeds: int = 1,
    *,
    count: int = 8,
    d_model: int = 8,
    distance: float = 6.0,
    common: float = 0.0,
    first_seed=0,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return tokens in clusters, each of which has a linear map of its own; every seed draws its own task.

        x = centre + z + common vector,   y = z A of its cluster, scaled to the variance 1;   z standard normal

    Args:
        n: tokens of a seed; their clusters are random.
        seeds: how many tasks, each from a generator of its own.
        count: clusters; d_model: features in and out.
        distance: the length of every centre, in a random direction.
        common: the length of one vector that all tokens of a seed share.
        first_seed: the seed of the first task; the others follow.

    Returns:
        x and y of shape (seeds, n, d_model); the clusters of the tokens, (seeds, n), from 0 to count - 1.
    """
    n, seeds, count, d_model = (
        integer("n", n),
        integer("seeds", seeds),
        integer("count", count),
        integer("d_model", d_model),
    )
    distance, common = real("distance", distance, 0), real("common", common, 0)
    all_x, all_y = (torch.empty(seeds, n, d_model, dtype=torch.float64) for _ in "xy")
    clusters = torch.empty(seeds, n, dtype=torch.int64)
    for seed in range(seeds):
        generator = torch.Generator().manual_seed(integer("first_seed", first_seed, 0) + seed)
        centres, shared = _directions(count, d_model, generator), _directions(1, d_model, generator)
        maps = _normal(generator, count, d_model, d_model)
        cluster = torch.randint(count, (n,), generator=generator)
        z = _normal(generator, n, d_model)
        y = torch.empty_like(z)
        for index in range(count):
            y[cluster == index] = z[cluster == index] @ maps[index]
        all_x[seed], all_y[seed] = distance * centres[cluster] + z + common * shared, y / y.std(correction=0)
        clusters[seed] = cluster
    return all_x, all_y, clusters


def _normal(generator, *shape):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _directions(count, d_model, generator):
    vectors = _normal(generator, count, d_model)
    return vectors / vectors.norm(dim=1, keepdim=True)
