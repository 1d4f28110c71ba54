"""The text that the language model learns from: the standard library of the interpreter that runs this."""

import pathlib
import sysconfig

import numpy as np

from course_lib.model.language_model import CODES

LEFT_OUT = {
    "test", "tests", "idlelib", "lib2to3", "encodings", "ensurepip", "turtledemo", "site-packages", "pydoc_data",
    "dist-packages", "__pycache__",
}  # fmt: skip
HELD_OUT = ("argparse", "json", "shutil", "calendar", "textwrap", "csv")  # modules that training never sees


def modules() -> dict[str, str]:
    """Return name -> source of every module taken: pure ASCII, in the order of their paths."""
    library = pathlib.Path(sysconfig.get_path("stdlib"))
    found = {}
    for path in sorted(library.rglob("*.py")):
        relative = path.relative_to(library)
        if LEFT_OUT & set(relative.parts) or relative.name.startswith("_sysconfigdata") or "config-" in str(relative):
            continue
        content = path.read_bytes()
        if content.isascii():
            found[relative.with_suffix("").as_posix()] = content.decode("ascii")
    return found


def encoded(text: str) -> np.ndarray:
    """Return the codes of a text; characters that the model does not know are left out."""
    return np.array([CODES[character] for character in text if character in CODES], dtype=np.uint8)


def split() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return the codes of all training text, and name -> codes of the modules that are held out."""
    training, held_out = [], {}
    for name, source in modules().items():
        codes = encoded(source)
        if name.partition("/")[0] in HELD_OUT:
            held_out[name] = codes
        else:
            training.append(codes)
    return np.concatenate(training), held_out
