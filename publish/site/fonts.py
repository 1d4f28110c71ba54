"""Cut the fonts of pages, figures and formulas to the letters in use, and write them into the style sheet.

A page opened as a file may not be allowed to load a font from beside it, so they stand in the style sheet itself.
"""

import base64
import html
import io
import logging
import re
from importlib.metadata import files
from pathlib import Path

import matplotlib
from fontTools import subset
from fontTools.ttLib import TTFont

from publish.site.downloads import FACES, Credit

FIGURES = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
CODE = "Course Code"
KINDS = ("text", "figure", "bold", "code", "math")
# Letters that a figure may come to need without having been in any text: digits and signs.
ALWAYS = "0123456789.,:;+-−×=%()[] "
TYPEABLE = "".join(map(chr, range(32, 127)))  # a reader's own words are shown, too
X = "x"  # by its height browsers fit one font to another


def collect(page: str, letters: dict[str, set]) -> None:
    """Add the letters of the figures and formulas in a page or in a recording to `letters`."""
    for style, inside in re.findall(r"<text\b([^>]*)>(.*?)</text>", page, re.DOTALL):
        text = html.unescape(re.sub(r"<[^>]*>", "", inside))
        kind = "code" if CODE in style else "bold" if "bold" in style or "700" in style else "figure"
        letters[kind].update(text)
    letters["text"].update(html.unescape(page))
    for inside in re.findall(r"<math\b.*?</math>", page, re.DOTALL):
        letters["math"].update(html.unescape(re.sub(r"<[^>]*>", "", inside)))


def collect_recording(written: str, letters: dict[str, set]) -> None:
    """Note the letters of a recording, which is JSON."""
    letters["figure"].update(written)
    if CODE in written:
        letters["code"].update(written)


def rules(letters: dict[str, set], faces: dict[str, bytes] | None = None) -> str:
    """Return the style rules that bring the fonts, with the letters that were collected.

    Args:
        faces: the typeface of the pages, of `parts.FACES`; without it figures alone bring a font.
    """
    figure, bold = letters["figure"] | set(ALWAYS), letters["bold"] | (set(ALWAYS) if letters["bold"] else set())
    if faces:
        used = figure | bold | letters["text"] | set(TYPEABLE)
        parts = [_rule("Course Text", io.BytesIO(faces[face]), used, *how.split()) for face, how in FACES.items()]
        known = map(chr, TTFont(io.BytesIO(next(iter(faces.values())))).getBestCmap())
        parts.append(_rule("Course Signs", FIGURES / "DejaVuSans.ttf", used - set(known) | {X}, 400))
    else:
        parts = [_rule("Course Figure", FIGURES / "DejaVuSans.ttf", figure, 400)]
        parts += [_rule("Course Figure", FIGURES / "DejaVuSans-Bold.ttf", bold, 700)] if bold else []
    if letters["code"]:
        parts.append(_rule(CODE, FIGURES / "DejaVuSansMono.ttf", letters["code"], 400))
    slanted = {one for letter in letters["math"] for one in _slanted(letter)}
    parts.append(_rule("Course Math", _math_font(), letters["math"] | slanted | set("()[]{}|√∑∫¯ˆ~"), 400))
    return "\n" + "\n".join(parts) + "\n"


def _slanted(letter):
    """Return the mathematical italic of a letter, which browsers put in place of a lone one in a formula."""
    if letter == "h":
        return "ℎ"
    for first, start in (("a", 0x1D44E), ("A", 0x1D434), ("α", 0x1D6FC), ("Α", 0x1D6E2)):
        if 0 <= ord(letter) - ord(first) < 26:
            return chr(start + ord(letter) - ord(first))
    return {"∂": chr(0x1D715)}.get(letter, letter)


def _rule(family, path, letters, weight, slant="normal"):
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    features = ["*"] if family == "Course Math" else ["kern", "liga", "tnum"]
    options = subset.Options(flavor="woff", layout_features=features, notdef_outline=True, hinting=False)
    font = TTFont(path, recalcTimestamp=False)  # the same pages each time
    cutter = subset.Subsetter(options)
    cutter.populate(text="".join(letters))
    cutter.subset(font)
    font.flavor = "woff"
    written = io.BytesIO()
    font.save(written)
    data = base64.b64encode(written.getvalue()).decode()
    source = f"url(data:font/woff;base64,{data}) format('woff')"
    slanted = f" font-style: {slant};" if slant != "normal" else ""
    return f"@font-face {{ font-family: '{family}'; font-weight: {weight};{slanted} src: {source}; }}"


def _math_font():
    return _file("ziamath", "STIXTwoMath-Regular.ttf")


def _file(package, name):
    found = next((one for one in files(package) or () if one.name == name), None)
    if found is None:
        raise FileNotFoundError(f"The package {package} holds no file {name}.")
    return Path(found.locate())


def credits() -> tuple[Credit, ...]:
    """Return whose fonts the style sheet contains."""
    role = "Its letters are used in"
    name = TTFont(_math_font())["name"]
    stix = "\n".join(filter(None, [name.getDebugName(number) for number in (0, 13, 14)]))
    dejavu = (FIGURES / "LICENSE_DEJAVU").read_text(encoding="utf-8").strip()
    return (
        Credit("STIX Two Math", f"{role} the formulas.", "OFL-1.1", "https://www.stixfonts.org/", stix),
        Credit(
            "DejaVu Sans",
            f"{role} the figures, and for signs that the typeface lacks.",
            "Bitstream Vera",
            "https://dejavu-fonts.github.io/",
            dejavu,
        ),
    )
