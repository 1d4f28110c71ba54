"""Time an FFN: one token alone and many together, and its activation.

    python -m lessons.parameter_share.measure

writes down what the machine at hand needs, for the bars of section 5, into `measured.toml`.
"""

import math
import platform
import time
import tomllib
from pathlib import Path

from course_lib.model.ffn import PositionWiseFeedForward
from course_lib.model.one_thread import torch

RECORD = Path(__file__).with_name("measured.toml")
functional = torch.nn.functional
ACTIVATIONS = {
    "only × 1": lambda z: z * 1.0,
    "ReLU": functional.relu,
    "GELU, exact": functional.gelu,
    "SiLU": functional.silu,
    "GELU, tanh form": lambda z: functional.gelu(z, approximate="tanh"),
    "the same, written out": lambda z: 0.5 * z * (1 + torch.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))),
}


def seconds(function, x, rounds: int = 5) -> float:
    """Return the least CPU time of some calls: other programs can only make a call slower."""
    function(x)  # the first call also sets things up
    times = []
    for _ in range(rounds):
        start = time.process_time()
        function(x)
        times.append(time.process_time() - start)
    return min(times)


def record() -> dict:
    """Return what `measured.toml` holds."""
    return tomllib.loads(RECORD.read_text(encoding="utf-8"))


@torch.inference_mode()
def _lines():
    """Measure, and yield the lines of the record."""
    torch.manual_seed(0)
    yield "# Written by: python -m lessons.parameter_share.measure"
    yield f'machine = "{_processor()}, one thread"\ntorch = "{torch.__version__.partition("+")[0]}"'
    ffn = PositionWiseFeedForward(1024, 4096).eval()
    weights = ffn.up.weight, ffn.down.weight
    yield f"adding = {_digits(1e6 * seconds(lambda both: [each.sum() for each in both], weights, 15))}  # microseconds"
    yield "\n[tokens]  # microseconds of CPU time for each of so many tokens that pass an FFN of 1024 and 4096 together"
    for n in (1, 4, 16, 64, 256):
        yield f"{n} = {_digits(1e6 * seconds(ffn, torch.randn(n, 1024), 15) / n)}"
    for d_model in (256, 1024):
        yield f"\n[activations.{d_model}]  # per cent of the time of the FFN, 64 tokens together"
        ffn, x = PositionWiseFeedForward(d_model, 4 * d_model).eval(), torch.randn(64, d_model)
        whole, hidden = seconds(ffn, x, 15), ffn.up(x)
        for name, activation in ACTIVATIONS.items():
            yield f'"{name}" = {_digits(100 * seconds(activation, hidden, 15) / whole, 2)}'


def _digits(value, digits=3):
    return f"{float(f'{value:.{digits}g}'):g}"


def _processor():
    """Return the name of the processor, from Linux where it says more than Python."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


if __name__ == "__main__":
    RECORD.write_text("\n".join(_lines()) + "\n", encoding="utf-8")
