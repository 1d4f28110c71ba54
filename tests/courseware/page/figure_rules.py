"""Rules that hold for every figure, tried on samples and on the figures of the lessons as they are shown."""

import functools
import inspect
import itertools
import re
from collections.abc import ValuesView

import numpy as np
from matplotlib import colors
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.image import AxesImage
from matplotlib.lines import Line2D
from matplotlib.text import Text

from courseware.page import caption as captions
from courseware.page.medium import StoredOutput, shown_on
from courseware.page.style import DIVERGING, ONE_SIDED

SIZES = ((6.4, 3.6), (8.0, 3.2), (8.0, 2.7), (8.0, 3.8))
CONTRAST = 3.0
NARROW, LEAST = 700, 11  # pixels: in a picture that is shown as wide as this, no words are lower
SCRIPT = 0.7  # of the size of its words: what Matplotlib gives to an exponent or an index
MOST_WORDS = 45  # of the sentence below a figure
FEW = 6  # so many values of a control are all tried


def drawn_texts(figure):
    """Draw a figure, and return its drawn texts with the boxes they take, in pixels."""
    drawn, draw = [], Text.draw

    def record(self, renderer, *args, **options):
        if self.get_visible() and self.get_text().strip():
            drawn.append(self)
        return draw(self, renderer, *args, **options)

    canvas = FigureCanvasAgg(figure)
    Text.draw = record
    try:
        canvas.draw()
        drawn.clear()  # the layout may have drawn once more
        canvas.draw()
    finally:
        Text.draw = draw
    renderer = canvas.get_renderer()
    return [(text, Text.get_window_extent(text, renderer)) for text in drawn]


def contrast(color, alpha=None) -> float:
    """Return the contrast of a colour, mixed with the white behind it, to white (WCAG 2)."""
    *rgb, own = colors.to_rgba(color, alpha)
    return 1.05 / (luminance(np.array(rgb) * own + 1 - own) + 0.05)


def luminance(color) -> float:
    """Return the relative luminance of a colour without alpha (WCAG 2)."""
    rgb = np.array(colors.to_rgb(color))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def faint(line) -> bool:
    """Tell whether neither a line nor its markers can be seen well on white; markers may let others shine through."""
    shown = []
    if line.get_linestyle() not in {"None", "none", " ", ""}:
        shown.append(contrast(line.get_color(), line.get_alpha()))
    if line.get_marker() not in {None, "None", "none", " ", ""}:
        found = (line.get_markeredgecolor(), line.get_markerfacecolor())
        shown += [contrast(color, 1) for color in found if not (isinstance(color, str) and color == "none")]
    return bool(shown) and max(shown) < CONTRAST


def height_on_page(text) -> float:
    """Return the size of a text in pixels, that of an exponent or index in it if it has one, in a narrow picture."""
    small = re.search(r"\$[^$]*[_^][^$]*\$", text.get_text())
    inches = text.get_fontsize() * (SCRIPT if small else 1) / 72
    return inches * NARROW / text.get_figure(root=True).get_size_inches()[0]


def small_words(texts) -> list[str]:
    """Report texts that are too small where a picture is narrow."""
    return [
        f"{height_on_page(one):.1f} pixels high: {one.get_text()!r}" for one in texts if height_on_page(one) < LEAST
    ]


def scale_problems(figure) -> list[str]:
    """Report heatmaps whose colours do not suit their numbers; those with the same scale are judged together.

    Numbers on both sides of zero need DIVERGING, with white at zero; numbers of 0 and above ONE_SIDED, from zero on.
    """
    scales = {}
    for image in figure.findobj(AxesImage):
        if image.get_visible() and isinstance(image.cmap, colors.LinearSegmentedColormap):
            values = np.ma.masked_invalid(np.ma.asarray(image.get_array(), dtype=float)).compressed()
            scales.setdefault((image.cmap.name, *image.get_clim()), []).append(values)
    found = []
    for (name, low, high), arrays in scales.items():
        values = np.concatenate(arrays)
        if not values.size:
            continue
        if values.min() < 0 and (name != DIVERGING.name or not np.isclose(low, -high)):
            found.append(f"numbers on both sides of zero in the colours {name!r} from {low:.3g} to {high:.3g}")
        if values.min() >= 0 and (name != ONE_SIDED.name or low != 0):
            found.append(f"numbers of 0 and above in the colours {name!r} from {low:.3g} to {high:.3g}")
    return found


def wordy(message) -> list[str]:
    """Report a visible caption that is not one short sentence."""
    found = []
    if re.search(r"[.!?] +[A-Z“]", message):
        found.append(f"more than one sentence is seen below the figure: {message!r}")
    if len(message.split()) > MOST_WORDS:
        found.append(f"{len(message.split())} words are seen below the figure, more than {MOST_WORDS}: {message!r}")
    return found


def problems(figure, caption) -> list[str]:
    """Report what is wrong with a figure and its caption."""
    found = []
    if not (isinstance(caption, str) and caption.strip() == caption and caption.endswith(".") and "\n" not in caption):
        found.append(f"the caption must be one line that ends with a full stop: {caption!r}")
    elif any(word in caption.lower() for word in ("nan", " inf ", "np.", "array(")):
        found.append(f"the caption holds a value that is no number: {caption!r}")
    if isinstance(caption, str):
        found += wordy(captions.parts(caption)[0])
    if tuple(figure.get_size_inches()) not in SIZES:
        found.append(f"the size must be one of {SIZES}, not {tuple(figure.get_size_inches())}")
    if contrast(figure.get_facecolor()) > 1.0001:
        found.append("the ground must be white")
    texts = drawn_texts(figure)
    found += small_words([text for text, _ in texts]) + scale_problems(figure)
    for text, box in texts:
        inside = figure.bbox.padded(1)
        if not (inside.contains(box.x0, box.y0) and inside.contains(box.x1, box.y1)):
            found.append(f"cut off: {text.get_text()!r}")
        white = colors.same_color(text.get_color(), "white")  # words on a dark ground
        if not white and contrast(text.get_color(), text.get_alpha()) < CONTRAST:
            found.append(f"faint text: {text.get_text()!r}")
    for (one, box), (other, another) in itertools.combinations(texts, 2):
        wide = min(box.x1, another.x1) - max(box.x0, another.x0)
        high = min(box.y1, another.y1) - max(box.y0, another.y0)
        if wide > 2 and high > 3:
            found.append(f"{one.get_text()!r} lies on {other.get_text()!r}")
    found += [
        f"faint line {line.get_label()!r}" for line in figure.findobj(Line2D) if line.get_visible() and faint(line)
    ]
    return sorted(set(found))


def states(controls) -> list[dict]:
    """Return the start of the controls, and each control at its values while the others stay.

    Of a control with many values the ends and the middle are taken.
    """
    start = {name: control.first for name, control in controls.items()}
    found = [start]
    for name, control in controls.items():
        values = control.values()
        if len(values) > FEW:
            values = (values[0], values[len(values) // 2], values[-1])
        found += [{**start, name: value} for value in values]
    return found


def moving_problems(interactive, all_states) -> list[str]:
    """Report what is wrong with an interactive figure in any of its states; end in the first one."""
    found, captions = [], []
    for state in [*all_states, all_states[0]]:
        captions.append(interactive.move(**state))
        found += [f"{state}: {problem}" for problem in problems(interactive.figure, captions[-1])]
    if len(set(captions)) < 2:
        found.append("the caption is the same in every state")
    return found


class Watching(StoredOutput):
    """A medium that shows what a stored output shows, and collects the problems of every figure in `found`."""

    def __init__(self, found: list):
        self.found = found

    def figure(self, figure, caption):
        super().figure(figure, caption)  # first, for a figure that was drawn before is laid out otherwise
        self.found.extend(f"{caption[:50]}: {problem}" for problem in problems(figure, caption))

    def explorer(self, explorer):
        super().explorer(explorer)
        self.found.extend(moving_problems(explorer.interactive, states(explorer.controls)))


def watch(found: list):
    """Return a context in which the problems of every figure that is shown are collected in `found`."""
    return shown_on(Watching(found))


def record(module) -> dict:
    """Note the first call of every public function of a module from now on: name -> (function, its arguments)."""
    calls = {}

    def noting(name, function):
        @functools.wraps(function)
        def noted(*args, **options):
            calls.setdefault(name, (function, inspect.signature(function).bind(*args, **options).arguments))
            return function(*args, **options)

        return noted

    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ == module.__name__ and not name.startswith("_"):
            setattr(module, name, noting(name, function))
    return calls


def refusal_problems(calls) -> list[str]:
    """Report every figure function that takes malformed arrays, or refuses them without naming the argument.

    Args:
        calls: as from `record`; in turn each argument that holds an array of numbers is replaced by malformed ones.
    """
    found = []
    for name, (function, arguments) in calls.items():
        for argument, value in arguments.items():
            array = _numbers(value)
            if array is None:
                continue
            bad = {"NaN": np.full_like(array, np.nan), "nothing": array[:0], "two more axes": array[None, None]}
            for what, given in {**bad, "words": "words"}.items():
                answer = _answer(function, {**arguments, argument: given})
                if not _names(argument, answer):
                    found.append(f"{name} given {what} for {argument}: {answer}")
    return found


def _numbers(value):
    """Return an array, a tensor or a list of numbers as an array; None when it is something else."""
    try:
        array = np.array(list(value) if isinstance(value, ValuesView) else value, dtype=float)
    except (TypeError, ValueError):
        return None
    return array if array.ndim > 0 else None


def _names(argument, words):
    """Tell whether a sentence is about an argument, or compares its length with that of others."""
    own = rf"^(each of |the last dimension of )?{argument}\b(?! and )"
    return re.search(rf"{own}|\b{argument} has \d", words) is not None


def _answer(function, arguments):
    """Return what a function says of arguments: the words of its error, or that it took them."""
    try:
        function(**arguments)
    except (TypeError, ValueError) as error:
        return str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "it was taken"
