"""Build lesson 00 as a notebook that runs in the browser: a JupyterLite in the folder `try/` of the site.

JupyterLite comes from PyPI and builds in an environment of its own, inside the cache. Pyodide and the wheels of its
release come as in `parts`. The rest of what the kernel imports is pinned with its SHA-256 in lite/wheels.txt. One lock
file names all of it, so that the kernel asks no other server for anything.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import nbformat
from filelock import FileLock

from course_lib.environment import NOTEBOOKS, ROOT
from lessons import catalogue
from publish.site import parts

LESSON = "start_here"
FOLDER = "try"
PINS = Path(__file__).resolve().parent / "lite"
ENTRY = f"{FOLDER}/lab/index.html?path=notebooks/{catalogue.lesson(LESSON).notebook}"
# Of Pyodide's release: what draws figures, and micropip, for which the kernel asks.
RELEASE = (
    *("numpy", "matplotlib", "contourpy", "cycler", "fonttools", "kiwisolver", "packaging", "pillow", "pyparsing"),
    *("python-dateutil", "pytz", "six", "micropip"),
)
KERNEL = ("ipykernel-*.whl", "piplite-*.whl", "pyodide_kernel-*.whl")  # in SHIPPED
SHIPPED = Path("share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi")
LEFT_OUT = ("environment", "progress-title", "progress")  # about a computer, and about the other lessons
INTRODUCTION = """\
**This copy runs in your browser, and there is nothing to install.** What you type stays in this browser. Two things are
different here. Nothing stops code that runs forever, so restart the kernel when a cell hangs. And there is no
torch, so this is the only lesson that runs here as a notebook."""
# What is true on a computer only: cell -> what it says here.
SAYS = {
    "opening": "# the picture's code\nfrom course_lib.desk import which_bank\n\nwhich_bank()",
    "not-claimed": """\
## What is not claimed

The checks run your code in this page without limits on time and memory. If a cell hangs, restart the kernel.""",
}
# Cell -> words of it that are left out.
UNTRUE = {
    "setup": "from course_lib import environment\n",
    "exercise": " or never finished",
    "restart": "\n\nIf a package or the folder for your progress is missing, the next cell names it.",
    "learn": ";\n- check that your computer has everything the course needs",
}
_LINK = re.compile(r"\[([^]]+)\]\(\d\d_\w+\.ipynb\)")
_CREDIT = "It runs lesson 00 as a notebook in the browser, with JupyterLab and these libraries: {}."


def build(site: Path, core: dict[str, bytes], cache: Path) -> tuple[parts.Credit, ...]:
    """Build the notebook into the folder of the site, or print why that cannot be done.

    Args:
        site: the folder of the site.
        core: the files of Pyodide by name.
        cache: where what was fetched is kept.

    Returns:
        The credits of what comes along; none when it was not built.
    """
    cache = cache.resolve()
    try:
        with FileLock(cache / "lite.lock"):
            python = _tools(cache / "lite")
            lock = json.loads(core["pyodide-lock.json"])
            named = {lock["packages"][name]["file_name"]: lock["packages"][name]["sha256"] for name in RELEASE}
            release, pure = parts.wheels(named, cache), _pinned(cache / "lite-wheels")
            shipped = python.parent.parent / SHIPPED
            kernel = [path for pattern in KERNEL for path in shipped.glob(pattern)]
            others = {path.name: path.read_bytes() for path in (*pure, *kernel)} | course()
            with tempfile.TemporaryDirectory(dir=cache) as folder:
                _lay_out(Path(folder), core, locked(lock, others), release | others)
                _run(python, Path(folder), site / FOLDER)
    except parts.Missing as missing:
        shutil.rmtree(site / FOLDER, ignore_errors=True)
        print(f"The site is built without the notebook in the browser: {missing}", flush=True)
        return ()
    return (_credit(release | others),)


def _tools(folder):
    """Return the Python of the environment that has JupyterLite; it is made unless it is there."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pins = PINS / "tools.txt"
    mark, stamp = parts.digest(pins.read_bytes(), str(sys.version_info).encode()), folder / "installed"
    if stamp.is_file() and stamp.read_text() == mark:
        return python
    print("Fetching JupyterLite from PyPI (about 30 MB), once.", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    _call([sys.executable, "-m", "venv", folder], "No environment for JupyterLite could be made")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _call([*install, "-c", ROOT / "constraints.txt", "-r", pins], "pip could not install JupyterLite")
    stamp.write_text(mark)
    return python


def _pinned(folder):
    """Return the paths of the wheels that lite/wheels.txt names, downloaded unless they are there."""
    pins = PINS / "wheels.txt"
    mark, stamp = parts.digest(pins.read_bytes()), folder / "downloaded"
    if not (stamp.is_file() and stamp.read_text() == mark):
        shutil.rmtree(folder, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        command += ["--only-binary=:all:", "--python-version", "3.14", "--require-hashes", "--dest", folder, "-r", pins]
        _call(command, "pip could not download what the kernel imports")
        stamp.write_text(mark)
    return sorted(folder.glob("*.whl"))


def _call(command, problem, **how):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "JUPYTER"))}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", env=environment, **how)
    if done.returncode:
        said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        errors = [line for line in said if "error" in line.lower()]
        raise parts.Missing(f"{problem}; it says: {(errors or said or ['nothing'])[-1]}")


def course() -> dict[str, bytes]:
    """Return the wheel of the course by its name, with the solutions of the lesson that runs."""
    about = "ffn_course-0.dist-info"
    written = io.BytesIO(parts.course(solved=(LESSON,)))
    with zipfile.ZipFile(written, "a") as packed:
        packed.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: ffn-course\nVersion: 0\n")
        packed.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{about}/RECORD", "")
    return {"ffn_course-0-py3-none-any.whl": written.getvalue()}


def locked(lock: dict, others: dict[str, bytes]) -> dict:
    """Return a lock file for the wheels of the release that are used here, and for others."""
    packages = {name: lock["packages"][name] for name in RELEASE}
    for file, data in others.items():
        name, version = file.split("-")[:2]
        name = name.replace("_", "-")
        packages[name] = {
            "name": name,
            "version": version,
            "file_name": file,
            "sha256": parts.digest(data),
            "install_dir": "site",
            "package_type": "package",
            "unvendored_tests": False,
            "imports": [],
            "depends": [],
        }
    return {**lock, "packages": packages}


def _lay_out(folder, core, lock, wheels):
    """Write the folder from which JupyterLite builds."""
    pyodide = folder / "static" / "pyodide"
    pyodide.mkdir(parents=True)
    for name in parts.CORE:
        (pyodide / name).write_bytes(core[name])
    (pyodide / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    for name, data in wheels.items():
        (pyodide / name).write_bytes(data)
    kernel = {"disablePyPIFallback": True, "loadPyodideOptions": {"packages": sorted(lock["packages"])}}
    settings = {
        "appName": "Lesson 00",
        "exposeAppInBrowser": True,  # for the tests
        "disabledExtensions": ["@jupyterlab/apputils-extension:announcements"],
        "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel},
    }
    written = {"jupyter-lite-schema-version": 0, "jupyter-config-data": settings}
    (folder / "jupyter-lite.json").write_text(json.dumps(written), encoding="utf-8")
    notebooks = folder / "files" / "notebooks"
    notebooks.mkdir(parents=True)
    name = catalogue.lesson(LESSON).notebook
    nbformat.write(copy(nbformat.read(NOTEBOOKS / name, as_version=4)), notebooks / name)


def copy(notebook):
    """Return the lesson as it is true in a browser, without outputs and without links to the other lessons."""
    notebook.cells = [cell for cell in notebook.cells if cell.id not in LEFT_OUT]
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        text = _LINK.sub(r"\1", cell.source).replace(UNTRUE.get(cell.id, "\0"), "")
        cell.source = SAYS.get(cell.id, text)
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell(INTRODUCTION.replace("\n", " "), id="in-the-browser"))
    notebook.metadata["kernelspec"] = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    return notebook


def _run(python, folder, to):
    command = [python, "-m", "jupyterlite_core.app", "build", "--lite-dir", folder, "--output-dir", to]
    command += ["--contents", folder / "files", "--apps", "lab", "--no-sourcemaps", "--no-unused-shared-packages"]
    _call(command, "JupyterLite could not be built", cwd=folder)


def _credit(wheels):
    names, texts = [], []
    for file, data in wheels.items():
        if not file.startswith("ffn_course"):
            names.append(" ".join(file.split("-")[:2]))
            with zipfile.ZipFile(io.BytesIO(data)) as packed:
                for name in packed.namelist():
                    if re.search(r"\.dist-info/(licenses/.*|[^/]*)(LICEN[CS]E|COPYING|COPYRIGHT|AUTHORS)[^/]*$", name):
                        texts.append(f"{names[-1]}\n\n{packed.read(name).decode('utf-8', 'replace')}")
    return parts.Credit(
        "JupyterLite",
        _CREDIT.format(", ".join(names)),
        "BSD-3-Clause, and the licences of the libraries",
        "https://github.com/jupyterlite/jupyterlite",
        parts.joined(texts),
    )
