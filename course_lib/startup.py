"""Say what to do when a name is missing after a restart of the kernel.

After a restart nothing of the course is imported, so IPython itself must know: a start-up file in the environment that
the kernels run in (its etc/ipython/startup) calls `install`. Outside the course's folders it changes nothing.

Usage: python -m course_lib.startup         (writes the start-up file; once for each environment)
"""

import sys
from pathlib import Path

from courseware.environment import NOTEBOOKS, ROOT

HOOK = """# Of the FFN course: in its notebooks a NameError says what to do after a restart. See course_lib/startup.py.
try:
    from course_lib.startup import install as _install
except ImportError as _error:
    if "is not a package" in str(_error):  # a file course_lib.py beside the notebook is found in its place

        def _explain(shell, kind, error, traceback, tb_offset=None):
            if "course_lib" in str(error):
                error.add_note("course_lib.py beside this notebook hides the course: rename it and restart the kernel.")
            shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)

        get_ipython().set_custom_exc((ImportError,), _explain)
else:
    _install(get_ipython())
    del _install
"""
SENTENCE = "After a restart: Run → Run All Above Selected Cell."
FIRST_LESSON = "00_start_here.ipynb"


def install(shell, folder: Path | None = None) -> None:
    """Let an IPython shell add the sentence to each NameError, if it runs in a folder of the course.

    Args:
        folder: where the notebook is; by default the current folder, which a kernel starts in.
    """
    if of_the_course(Path.cwd() if folder is None else folder):
        shell.set_custom_exc((NameError,), _explain)


def of_the_course(folder: Path) -> bool:
    """Return whether a folder holds the lessons, or is inside the course's own folder."""
    folder = folder.resolve()
    return (folder / FIRST_LESSON).is_file() or (ROOT in (folder, *folder.parents) and NOTEBOOKS.is_dir())


def _explain(shell, kind, error, traceback, tb_offset=None):
    """Show the error as usual, with the sentence below it, unless a local variable is used too early."""
    if not isinstance(error, UnboundLocalError) and SENTENCE not in getattr(error, "__notes__", ()):
        error.add_note(SENTENCE)
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)


def main(prefix: str = sys.prefix) -> int:
    """Write the start-up file into an environment; the course works without it, so this never fails."""
    path = Path(prefix) / "etc" / "ipython" / "startup" / "ffn_course.py"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HOOK, encoding="utf-8")
    except OSError as error:
        print(f"{path} cannot be written ({error.strerror}), so after a restart a NameError will not say what to do.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
