"""Tables for spreadsheets and for learning platforms: no cell begins like a formula."""

import csv
import sys
from pathlib import Path


def let_print_any_name() -> None:
    """Print what the output cannot hold as its number: Windows gives a file or a pipe the letters of one region."""
    sys.stdout.reconfigure(errors="backslashreplace")


def harmless(value):
    """Keep a spreadsheet from reading a cell as a formula; numbers, and a sign alone, stay as they are."""
    words = str(value)
    return f"'{words}" if words[1:] and words[0] in "=+-@\t\r＝＋－＠" and not isinstance(value, int | float) else value


def write(path: Path, rows: list[list], encoding: str = "utf-8-sig") -> None:
    """Write rows as CSV; with its mark, which the encoding has, Excel reads names as they are."""
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([[harmless(value) for value in row] for row in rows])
