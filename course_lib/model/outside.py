"""The lesson's probes on a model of your own: a GPT-2 or a Llama that lies on this computer.

The package `transformers` opens it; the course needs that package for nothing else, so it is imported where a model is
opened. Nothing is downloaded.
"""

import os
import pathlib
from dataclasses import dataclass

import numpy as np

from course_lib.model.one_thread import nn, torch
from courseware import arguments

MOST = 512  # tokens of a text that are read
EXACT = ("relu", "relu2")  # activations that are 0 for all negative numbers


@dataclass(frozen=True)
class Outside:
    """What the probes need of a model.

    model, tokenizer: as `transformers` made them.
    downs: for each block, the layer that turns hidden values back into features.
    writes: for each block, what its units write, a row for each unit: (d_ff, d_model).
    gain: (d_model,), of the last norm.
    centres: whether that norm takes the mean away (LayerNorm does, RMSNorm does not).
    activation: the name of the activation in its FFNs.
    """

    model: nn.Module
    tokenizer: object
    downs: tuple[nn.Module, ...]
    writes: tuple[torch.Tensor, ...]
    gain: torch.Tensor
    centres: bool
    activation: str


def opened(folder) -> Outside:
    """Open the model in a folder of this computer, with its tokenizer.

    Raises:
        TypeError: folder is no path, or the model is neither a GPT-2 nor a Llama.
        FileNotFoundError: there is no such folder.
        ModuleNotFoundError: the package transformers is not installed.
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"folder must be the path of a folder, but {arguments.described(folder)} was given.")
    folder = pathlib.Path(folder).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(f"folder must be one on this computer, but there is none called {str(folder)!r}.")
    try:
        import transformers
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "This part needs the package transformers: run `%pip install transformers` in a new cell."
        ) from None
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    return wrapped(model, transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True))


def wrapped(model, tokenizer) -> Outside:
    """Find the parts that the probes need in a GPT-2 or a Llama with a read-out.

    Raises:
        TypeError: model is another one.
    """
    config = getattr(model, "config", None)
    kind, head = getattr(config, "model_type", None), getattr(model, "lm_head", None)
    if kind not in ("gpt2", "llama") or not isinstance(head, nn.Linear):
        given = f"a {kind}" if isinstance(kind, str) else arguments.described(model)
        raise TypeError(f"model must be a GPT-2 or a Llama that predicts tokens, but {given[:80]} was given.")
    model.eval().requires_grad_(False)
    if kind == "gpt2":
        downs = tuple(block.mlp.c_proj for block in model.transformer.h)
        writes = tuple(down.weight for down in downs)  # stored as (d_ff, d_model)
        return Outside(model, tokenizer, downs, writes, model.transformer.ln_f.weight, True, config.activation_function)
    downs = tuple(block.mlp.down_proj for block in model.model.layers)
    writes = tuple(down.weight.T for down in downs)  # nn.Linear stores (d_model, d_ff)
    return Outside(model, tokenizer, downs, writes, model.model.norm.weight, False, config.hidden_act)


def hidden(own: Outside, text: str) -> list[np.ndarray]:
    """Return the hidden values of every FFN at the first tokens of a text, (tokens, d_ff) each.

    In a gated FFN they are what the gate lets pass.

    Raises:
        TypeError: own is no Outside, or text no string.
        ValueError: the text holds no token.
    """
    codes = _outside(own).tokenizer(arguments.words("text", text))["input_ids"][:MOST]
    codes = codes[: getattr(own.model.config, "max_position_embeddings", MOST)]
    if not codes:
        raise ValueError("text must hold at least one token, but it holds none.")
    found: list[np.ndarray] = []
    hooks = [
        down.register_forward_pre_hook(lambda module, args: found.append(args[0][0].float().numpy()))
        for down in own.downs
    ]
    try:
        with torch.no_grad():
            own.model(torch.tensor([codes]), use_cache=False)
    finally:
        for hook in hooks:
            hook.remove()
    return found


def zero_shares(own: Outside, text: str) -> list[float]:
    """Return for each FFN the share of its hidden values that are exactly 0.

    Raises:
        TypeError: own is no Outside, or text no string.
        ValueError: the activation has no exact zeros to count, or the text holds no token.
    """
    if _outside(own).activation not in EXACT:
        raise ValueError(
            f"own has FFNs with the activation {own.activation!r}, which is 0 at single points and not for all "
            "negative numbers: a share of exact zeros would say nothing. units_needed asks how few units do the work."
        )
    return [float((h == 0).mean()) for h in hidden(own, text)]


def units_needed(own: Outside, text: str, share: float = 0.9) -> list[float]:
    """Return for each FFN how many units reach a share of the sum of all |h_j| · ‖v_j‖: the median over the tokens.

    Raises:
        TypeError, ValueError: own is no Outside, text no string or without a token, or share is not in (0, 1].
    """
    share = arguments.real("share", share, 0, 1, open_low=True)
    found = []
    for h, writes in zip(hidden(own, text), _outside(own).writes, strict=True):
        lengths = -np.sort(-np.abs(h) * writes.float().norm(dim=1).numpy(), axis=1)
        sums = np.cumsum(lengths, axis=1, dtype=np.float64)
        found.append(float(np.median((sums < share * sums[:, -1:]).sum(axis=1) + 1)))
    return found


def promoted(own: Outside, block: int, unit: int, count: int = 5) -> list[str]:
    """Return the tokens whose logits a unit raises most by the direct way, past the blocks above.

    Args:
        block, unit: both from 1.
        count: how many tokens.

    Raises:
        TypeError, ValueError: own is no Outside, or there is no such block or unit.
    """
    block = arguments.integer("block", block, 1, len(_outside(own).writes))
    v = own.writes[block - 1]
    v = v[arguments.integer("unit", unit, 1, len(v)) - 1].float()
    logits = own.model.lm_head.weight.float() @ (own.gain.float() * (v - v.mean() if own.centres else v))
    most = logits.argsort(descending=True, stable=True)[: arguments.integer("count", count)]
    return [own.tokenizer.decode([code]) for code in most.tolist()]


def _outside(own):
    if not isinstance(own, Outside):
        raise TypeError(f"own must be what `opened` returns, but {arguments.described(own)} was given.")
    return own
