"""Install what the course needs into the Python that runs this, with one line for each step.

It needs nothing but Python, because it runs in an environment that is still empty.

Usage: python -m publish.install [--cpu] [REQUIREMENTS_FILE]         (--cpu: on Linux, the small torch; see README.md)
"""

import argparse
import re
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, distribution, distributions

from course_lib.environment import ROOT

CPU_INDEX = "https://download.pytorch.org/whl/cpu"  # PyTorch's own public index of wheels without CUDA
_PIP = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
_EVERY = 60  # seconds between signs of life


def run(command, waiting: str) -> int:
    """Run a command to its end, with a sign of life every minute; return its exit code."""
    start = time.monotonic()
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait(timeout=_EVERY)
        except subprocess.TimeoutExpired:
            print(f"    still {waiting}, {time.monotonic() - start:.0f} s so far", flush=True)


def wanted_torch() -> str:
    """Return the line of requirements.txt that names torch and its version."""
    return re.search(r"^torch==\S+", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)[0]


def torch_here() -> str:
    """Return "none", "small" or "big": which torch is installed; the big one brings libraries for graphics cards."""
    try:
        distribution("torch")
    except PackageNotFoundError:
        return "none"
    names = (one.metadata["Name"] or "" for one in distributions())
    return "big" if any(name.lower().startswith(("nvidia-", "cuda-")) for name in names) else "small"


def small_torch(system: str = sys.platform, index: str = CPU_INDEX) -> None:
    """Install the torch without libraries for graphics cards, or say why the usual one is installed instead."""
    if not system.startswith("linux"):
        print("CPU=1 is for Linux only: elsewhere the usual torch is the small one.", flush=True)
        return
    here = torch_here()
    if here == "big":
        print(
            "torch is installed already, with the libraries for graphics cards; CPU=1 counts at the first start only."
        )
        print("For the small one: make clean, then make lab CPU=1 (your copies and your progress stay).", flush=True)
    if here != "none":
        return
    print(f"CPU=1: installing the small torch from PyTorch's public index, {index} (about 200 MB) ...", flush=True)
    command = [*_PIP, "--no-deps", "--retries=1", "--timeout=20", f"--index-url={index}", wanted_torch()]
    if run(command, "installing torch"):
        print(
            f"The small torch could not be installed from {index} (pip says why above). Going on with the usual one, "
            "which is several gigabytes on Linux; Ctrl+C stops.",
            flush=True,
        )


def _size():
    if torch_here() != "none":
        return "some minutes at most"
    usual = "several GB with the usual torch (CPU=1 takes the small one)" if sys.platform == "linux" else "about 1 GB"
    return f"{usual}, some minutes the first time"


def main(arguments=None) -> int:
    """Install and return pip's exit code."""
    parser = argparse.ArgumentParser(description="Install what the course needs.")
    parser.add_argument("--cpu", action="store_true", help="on Linux: torch without libraries for graphics cards")
    parser.add_argument("requirements", nargs="?", help="a file for pip")
    chosen = parser.parse_args(arguments)
    if chosen.cpu:
        small_torch()
    if not chosen.requirements:
        return 0
    print(f"Installing the packages in {chosen.requirements} from the network: {_size()} ...", flush=True)
    code = run([*_PIP, "--requirement", chosen.requirements], "installing")
    if code:
        print("The packages could not be installed; pip says why above. Is there a network, and space on the disk?")
    return code


if __name__ == "__main__":
    sys.exit(main())
