"""A small language model made of the course's own blocks: it reads characters and says which one follows.

    h = embed(characters) + positions;  h ← block(h), three times;  logits = read_out(norm(h))

The trained weights lie beside this module as float16, and are computed with as float32; docs/language_model.md says how
they were trained.
"""

import hashlib
import json
import os
import pathlib
import zipfile

import numpy as np

from course_lib.model.block import EncoderBlock
from course_lib.model.one_thread import nn, torch
from courseware import arguments

FOLDER = pathlib.Path(__file__).resolve().parent
WEIGHTS = FOLDER / "language_model.npz"
RECORD = FOLDER / "language_model.json"
STUDY = FOLDER / "language_model_study.json"
CHARACTERS = "\n\t" + "".join(map(chr, range(32, 127)))  # newline, tab, and the printable ASCII characters
CODES = {character: code for code, character in enumerate(CHARACTERS)}
_SIZES = ("d_model", "n_blocks", "n_heads", "d_ff", "seq_len")
_NOT_THOSE = "{name} does not hold the language model's weights ({why}). Get the file anew."


class LanguageModel(nn.Module):
    """Predict the next character from those before it (decoder-only, pre-norm, learned positions).

    Args:
        d_model: features of a position.
        n_blocks, n_heads, d_ff: of the blocks.
        seq_len: the longest text it can read, in characters.

    Raises:
        TypeError, ValueError: a size is no whole number of at least 1, or as in `EncoderBlock`.
    """

    def __init__(self, d_model=128, n_blocks=3, n_heads=4, d_ff=512, seq_len=128):
        super().__init__()
        self.sizes = (d_model, n_blocks, n_heads, d_ff, seq_len)
        self.seq_len = arguments.integer("seq_len", seq_len)
        self.embed = nn.Embedding(len(CHARACTERS), arguments.integer("d_model", d_model))
        self.positions = nn.Embedding(self.seq_len, d_model)
        self.blocks = nn.ModuleList(
            EncoderBlock(d_model, n_heads, d_ff, causal=True, dropout=0.0, norm_first=True)
            for _ in range(arguments.integer("n_blocks", n_blocks))
        )
        self.norm = nn.LayerNorm(d_model)
        self.read_out = nn.Linear(d_model, len(CHARACTERS), bias=False)
        self._start()

    def _start(self):
        """Draw every matrix from N(0, 1/fan_in), those that write into the stream smaller by √(their number)."""
        for weight in (parameter for parameter in self.parameters() if parameter.ndim > 1):
            nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
        for table in (self.embed, self.positions):
            nn.init.normal_(table.weight, std=0.1)
        with torch.no_grad():
            for block in self.blocks:
                for writer in (block.attention.out_proj, block.ffn.down):
                    writer.weight.div_((2 * len(self.blocks)) ** 0.5)

    def forward(self, codes: torch.Tensor) -> torch.Tensor:
        """Return the logits of the next character.

        Args:
            codes: whole numbers (batch, length), as `encoded` makes them; length at most seq_len.

        Returns:
            (batch, length, 97): at each place the logits of the character that follows it.

        Raises:
            TypeError: codes is no tensor of whole numbers.
            ValueError: it has other axes, the text is longer than seq_len, or a code is not from 0 to 96.
        """
        if not arguments.is_tensor(codes) or codes.dtype not in (torch.int64, torch.int32):
            raise TypeError(f"codes must be a tensor of whole numbers, but {arguments.described(codes)} was given.")
        if codes.ndim != 2 or codes.numel() == 0:
            raise ValueError(
                f"codes must have shape (batch, length), not empty, but its shape is {tuple(codes.shape)}."
            )
        if int(codes.min()) < 0 or int(codes.max()) >= len(CHARACTERS):
            raise ValueError(f"codes must be from 0 to {len(CHARACTERS) - 1}, but they reach {_reach(codes)}.")
        if codes.shape[-1] > self.seq_len:
            raise ValueError(f"codes must have at most {self.seq_len} places, but it has {codes.shape[-1]}.")
        h = self.embed(codes) + self.positions.weight[: codes.shape[-1]]
        for block in self.blocks:
            h = block(h)
        return self.read_out(self.norm(h))


def _reach(codes):
    return f"from {int(codes.min())} to {int(codes.max())}"


def checked(model) -> LanguageModel:
    """Return a model if it is a language model of the course.

    Raises:
        TypeError: it is anything else.
    """
    if not isinstance(model, LanguageModel):
        raise TypeError(f"model must be a LanguageModel, but {arguments.described(model)} was given.")
    return model


def encoded(text: str) -> np.ndarray:
    """Return the codes of a text, one whole number from 0 to 96 for each character.

    Raises:
        TypeError: text is not a string.
        ValueError: it holds a character that the model does not know; the message names the first one.
    """
    return _encoded("text", text)


def _encoded(name, text):
    unknown = next((character for character in arguments.words(name, text) if character not in CODES), None)
    if unknown is not None:
        raise ValueError(f"{name} must be plain ASCII with newlines and tabs, but it holds {unknown!r}.")
    return np.array([CODES[character] for character in text], dtype=np.int64)


def untrained(seed: int = 0) -> LanguageModel:
    """Return a model as training with this seed begins, ready to be read with."""
    with torch.random.fork_rng():
        torch.manual_seed(arguments.integer("seed", seed, 0, 2**63 - 1))
        return _ready(_single(LanguageModel))


def trained() -> LanguageModel:
    """Return the trained model that comes with the course, ready to be read with."""
    return load(WEIGHTS)


def record() -> dict:
    """Return what was measured when the shipped model was trained."""
    return json.loads(RECORD.read_text(encoding="utf-8"))


def study() -> dict:
    """Return what small models with and without an FFN reached."""
    return json.loads(STUDY.read_text(encoding="utf-8"))


def write(model: LanguageModel, prompt: str, length: int, temperature: float = 0.7, seed: int = 0) -> str:
    """Continue a text, one character after the other, each drawn by its probability.

        p = softmax(logits / temperature)

    The draw takes the first character at which the sum of the probabilities reaches a random number, in float64, so
    that every machine writes the same text.

    Args:
        prompt: at least one character.
        length: how many characters to add.
        temperature: above 0; the smaller, the more often the most probable character is taken.
        seed: of the random numbers.

    Returns:
        The prompt and what follows it.

    Raises:
        TypeError, ValueError: an argument is not as said above.
    """
    checked(model)
    codes = _encoded("prompt", prompt).tolist()
    if not codes:
        raise ValueError("prompt must hold at least one character, but it is empty.")
    temperature = arguments.real("temperature", temperature, 0, open_low=True)
    rng = np.random.default_rng(arguments.integer("seed", seed, 0))
    with torch.no_grad():
        for _ in range(arguments.integer("length", length, 0)):
            logits = model(torch.tensor([codes[-model.seq_len :]]))[0, -1].double().numpy() / temperature
            p = np.exp(logits - logits.max())
            codes.append(int(np.searchsorted(np.cumsum(p / p.sum()), rng.random()).clip(0, len(CHARACTERS) - 1)))
    return "".join(CHARACTERS[code] for code in codes)


# ---- the file of the weights


def checksum(arrays: dict[str, np.ndarray]) -> str:
    """Return the SHA-256 of arrays with their names and shapes, in hexadecimal digits.

    Raises:
        TypeError: arrays is no dict from names to NumPy arrays.
    """
    if not isinstance(arrays, dict) or not all(
        isinstance(name, str) and isinstance(array, np.ndarray) and array.dtype.kind != "O"
        for name, array in arrays.items()
    ):
        raise TypeError(f"arrays must be a dict of NumPy arrays by name, but {arguments.described(arrays)} was given.")
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def load(path) -> LanguageModel:
    """Return the model whose weights are in a file, ready to be read with.

    Raises:
        TypeError: path is no path.
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, cut off, or another one; the message says so in one sentence.
    """
    path = _path(path)
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise FileNotFoundError(f"There is no file {path.name}. Get the language model's weights anew.") from None
    except (OSError, ValueError, EOFError, KeyError, AttributeError, TypeError, zipfile.BadZipFile):
        raise ValueError(_NOT_THOSE.format(name=path.name, why="it cannot be read")) from None
    if not {"checksum", "sizes", "embed.weight"} <= set(arrays):
        raise ValueError(_NOT_THOSE.format(name=path.name, why="it is another kind of file"))
    if str(arrays.pop("checksum")) != checksum(arrays):
        raise ValueError(_NOT_THOSE.format(name=path.name, why="its checksum is wrong"))
    sizes = dict(zip(_SIZES, arrays.pop("sizes").tolist(), strict=True))
    with torch.random.fork_rng():
        model = _single(lambda: LanguageModel(**sizes))
    model.load_state_dict({name: torch.from_numpy(array.astype(np.float32)) for name, array in arrays.items()})
    return _ready(model)


def _path(path):
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be the path of a file, but {arguments.described(path)} was given.")
    return pathlib.Path(path)


def _single(make):
    """Make a model in float32, whatever the default is."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        return make()
    finally:
        torch.set_default_dtype(before)


def _ready(model):
    return model.eval().requires_grad_(False)
