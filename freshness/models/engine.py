"""What needs torch and transformers: loading a causal model, and greedy text from it.

Imported by ``local`` on first use only. Nothing that a checkpoint brings is executed: weights come
from safetensors or GGUF, remote code is off.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import safetensors
import torch
import transformers

from freshness.errors import UnavailableError, UsageError
from freshness.models.options import ModelOptions
from freshness.models.text import MAX_ANSWER_CHARS, clean, cut_at, one_line
from freshness.questions import Answer, Prompt, Style

if TYPE_CHECKING:
    from freshness.models.local import Checkpoint

STAGE = 24
"""Tokens after which finished rows are dropped: an answer of one sentence has ended by then."""

# Its annotations are partial; seen through Any they don't get in the way of ours.
hf: Any = transformers


@dataclass(frozen=True, slots=True)
class Output:
    """What one row of a batch brought."""

    text: str
    finish: Literal["stop", "length"]


class Engine:
    """A loaded model. Greedy: the same rows in the same batch give the same text."""

    def __init__(self, model: Any, tokenizer: Any, checkpoint: Checkpoint, options: ModelOptions) -> None:
        self.served = str(checkpoint)
        self.style: Style = _style(tokenizer, self.served, options)
        self._model = model
        self._tokenizer = tokenizer
        self._options = options
        self._limit = options.token_limit(self.style)
        self._context = _context(model, tokenizer)
        self._eos = _eos_ids(model, tokenizer)
        self._pad = _use_pad_token(tokenizer, self._eos)
        self.fingerprint = _fingerprint(model)
        model.generation_config = self._greedy()
        self.details = self._describe() | {"revision": checkpoint.revision}

    def _greedy(self) -> Any:
        # A config of our own: a checkpoint's sampling keys (temperature, repetition_penalty) would
        # change the text or warn.
        return hf.GenerationConfig(
            do_sample=False,
            num_beams=1,
            max_new_tokens=self._limit,
            eos_token_id=sorted(self._eos) or None,
            pad_token_id=self._pad,
            bos_token_id=self._tokenizer.bos_token_id,
            stop_strings=list(self._options.stop) or None,
        )

    def encode(self, prompt: Prompt) -> list[int]:
        """Token ids of what the model reads; ``ValueError`` when they don't fit into its context."""
        ids = self._chat_ids(prompt) if self.style == "chat" else self._completion_ids(prompt)
        if not ids:
            raise ValueError("the prompt has no tokens")
        if self._context and len(ids) + self._limit > self._context:
            raise ValueError(
                f"the prompt has {len(ids)} tokens; with {self._limit} for the answer that is more "
                f"than the model's context of {self._context}"
            )
        return ids

    def _chat_ids(self, prompt: Prompt) -> list[int]:
        messages = [{"role": "user", "content": prompt.text("chat")}]
        try:
            # Templates that know no thinking ignore the switch; those that do would spend all tokens on it.
            text = self._tokenizer.apply_chat_template(
                messages, tokenize=False, add_generation_prompt=True, enable_thinking=False
            )
        except Exception as error:  # a template is a program that came with the checkpoint
            raise ValueError(f"the chat template failed: {error}") from error
        # The template has written the special tokens already: adding them again would double BOS.
        return list(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _completion_ids(self, prompt: Prompt) -> list[int]:
        ids = list(self._tokenizer(prompt.text("completion"), verbose=False)["input_ids"])
        # Some tokenizers close every text; a closed text is not continued.
        return ids[:-1] if len(ids) > 1 and ids[-1] in self._eos else ids

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def generate(self, rows: list[list[int]]) -> list[Output]:
        """One output a row. Most answers end early: what has ended leaves the batch after each stage."""
        new: list[list[int]] = [[] for _ in rows]
        live = list(range(len(rows)))
        while live:
            stage = min(STAGE, self._limit - len(new[live[0]]))
            more = self._extend([rows[n] + new[n] for n in live], stage)
            for n, tokens in zip(live, more, strict=True):
                new[n] += tokens
            ended = len(more[0]) < stage or len(new[live[0]]) >= self._limit
            live = [] if ended else [n for n in live if not self._has_ended(new[n])]
        return [self._output(tokens) for tokens in new]

    def _extend(self, rows: list[list[int]], count: int) -> list[list[int]]:
        """The next tokens of every row. Rows are padded on the left, so that each goes on at its own end."""
        width = max(len(row) for row in rows)
        ids = torch.tensor([[self._pad] * (width - len(row)) + row for row in rows])
        mask = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows])
        device = self._model.device
        try:
            sequences = self._model.generate(
                input_ids=ids.to(device),
                attention_mask=mask.to(device),
                max_new_tokens=count,
                tokenizer=self._tokenizer if self._options.stop else None,
            )
        except torch.OutOfMemoryError:
            torch.cuda.empty_cache()
            raise
        tokens: list[list[int]] = sequences[:, width:].tolist()
        return tokens

    def _has_ended(self, new: list[int]) -> bool:
        if any(token in self._eos for token in new):
            return True
        return bool(self._options.stop) and cut_at(self._tokenizer.decode(new), self._options.stop)[1]

    def _output(self, new: list[int]) -> Output:
        # Cut by tokens: decoding may change spaces, so the prompt's text is not a prefix of the whole.
        end = next((place for place, token in enumerate(new) if token in self._eos), len(new))
        text = self._tokenizer.decode(new[:end], skip_special_tokens=True)
        text, stopped = cut_at(text, self._options.stop)
        return Output(clean(text[:MAX_ANSWER_CHARS]), "stop" if stopped or end < len(new) else "length")

    def to_answer(self, output: Output, seconds: float) -> Answer:
        """``seconds``: the prompt's share of its batch's time."""
        return Answer(
            output.text,
            finish=output.finish,
            seconds=seconds,
            served_model=self.served,
            fingerprint=self.fingerprint,
        )

    def _describe(self) -> dict[str, Any]:
        """What decides the text besides the prompt; bfloat16 text also depends on the batch's shape."""
        return {
            "kind": "local",
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "device": str(self._model.device),
            "batch_size": self._options.batch_size,
            "max_new_tokens": self._limit,
            "architecture": type(self._model).__name__,
            "parameters": self._model.num_parameters(),
            "config_sha256": _config_digest(self._model.config),
            "weights_fingerprint": self.fingerprint,
            "torch": torch.__version__,
            "transformers": hf.__version__,
        }


def load(checkpoint: Checkpoint, options: ModelOptions) -> Engine:
    """Raises ``UnavailableError`` for whatever keeps a checkpoint from loading whole, in one line."""
    try:
        tokenizer, model = load_parts(checkpoint, options)
        model = model.to(_device(options.device)).eval()
    except (UnavailableError, UsageError):
        raise
    except Exception as error:  # a broken file can fail anywhere inside three libraries
        raise UnavailableError(f"can't load {checkpoint}: {_reason(error, checkpoint)}") from error
    return Engine(model, tokenizer, checkpoint, options)


def load_parts(checkpoint: Checkpoint, options: ModelOptions) -> tuple[Any, Any]:
    """Tokenizer and model, on the CPU. Raises whatever transformers does, and ``UnavailableError``."""
    source: dict[str, Any] = {"trust_remote_code": False}
    if checkpoint.gguf:
        source["gguf_file"] = checkpoint.gguf
    with _quiet():
        tokenizer = hf.AutoTokenizer.from_pretrained(checkpoint.source, **source)
        if checkpoint.gguf:
            # Dense on every machine: packed weights would be used only where extra kernels are installed.
            source["quantization_config"] = hf.GgufConfig(dequantize=True)
        else:
            source["use_safetensors"] = True
        model, info = hf.AutoModelForCausalLM.from_pretrained(
            checkpoint.source, dtype=_dtype(options), output_loading_info=True, **source
        )
    missing = missing_weights(info, tied=bool(model.config.get_text_config().tie_word_embeddings))
    if missing:
        raise UnavailableError(
            f"{checkpoint} lacks weights, its answers would be partly random: "
            f"{missing[0]} and {len(missing) - 1} more are not in it"
        )
    return tokenizer, model


def missing_weights(loading_info: Mapping[str, Any], tied: bool) -> list[str]:
    """Names of the weights that a checkpoint did not fill. A tied output layer is the input layer's."""
    names = {str(key) for key in loading_info.get("missing_keys", ())}
    names |= {str(row[0]) for row in loading_info.get("mismatched_keys", ())}
    return sorted(name for name in names if not (tied and name.endswith("lm_head.weight")))


def _reason(error: Exception, checkpoint: Checkpoint) -> str:
    if isinstance(error, torch.OutOfMemoryError):
        return "it needs more memory than the device has; try dtype bfloat16 or device cpu"
    detail = one_line(f"{type(error).__name__}: {error}")
    if not checkpoint.gguf:
        return detail
    if not _is_gguf(Path(checkpoint.source) / checkpoint.gguf):
        return "it is no GGUF file"
    return f"the file is damaged, or of a kind that transformers can't read ({detail})"


def _is_gguf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"GGUF"
    except OSError:
        return False


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars or warnings from the library: what matters is raised as an error.

    The bar of its GGUF reader knows no switch, so standard error is turned away as well.
    """
    logging = hf.utils.logging
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _device(wanted: str) -> torch.device:
    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        return torch.device(wanted)
    except RuntimeError as error:
        raise UsageError(f"model option device {wanted!r} is no device; use auto, cpu or cuda") from error


def _dtype(options: ModelOptions) -> torch.dtype:
    if options.dtype != "auto":
        dtype: torch.dtype = getattr(torch, options.dtype)
        return dtype
    if _device(options.device).type != "cpu":
        return torch.bfloat16
    # Without these instructions a CPU is several times slower in 16 bits than in 32.
    abilities = torch.cpu.get_capabilities()
    fast = any(abilities.get(key) for key in ("amx_bf16", "avx512_bf16", "bf16"))
    return torch.bfloat16 if fast else torch.float32


def _style(tokenizer: Any, served: str, options: ModelOptions) -> Style:
    has_template = bool(getattr(tokenizer, "chat_template", None))
    if options.style == "auto":
        return "chat" if has_template else "completion"
    if options.style == "chat" and not has_template:
        raise UsageError(f"{served} has no chat template; use style completion or auto")
    return options.style


def _context(model: Any, tokenizer: Any) -> int | None:
    limits = (
        getattr(model.config.get_text_config(), "max_position_embeddings", None),
        getattr(tokenizer, "model_max_length", None),
    )
    # A tokenizer that knows no limit says 10**30.
    known = [limit for limit in limits if isinstance(limit, int) and 0 < limit < 10**9]
    return min(known, default=None)


def _eos_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    configured = model.generation_config.eos_token_id
    ids = configured if isinstance(configured, list) else [configured]
    return frozenset(token for token in [*ids, tokenizer.eos_token_id] if token is not None)


def _use_pad_token(tokenizer: Any, eos: frozenset[int]) -> int:
    """The id to pad with: never a new token, which the embedding would have no row for."""
    tokenizer.padding_side = "left"
    if tokenizer.pad_token_id is None and tokenizer.eos_token is not None:
        tokenizer.pad_token = tokenizer.eos_token
    pad = tokenizer.pad_token_id
    return int(pad) if pad is not None else min(eos, default=0)


def _fingerprint(model: Any) -> str:
    """Twelve hex digits that change when the weights do: the first numbers of every tensor, hashed."""
    digest = hashlib.sha256()
    for name, weights in sorted(model.state_dict().items()):
        head = weights.flatten()[:16].to(device="cpu", dtype=torch.bfloat16)
        digest.update(name.encode() + head.view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()[:12]


def _config_digest(config: Any) -> str:
    ignored = ("transformers_version", "_name_or_path", "dtype")
    kept = {key: value for key, value in config.to_dict().items() if key not in ignored}
    return hashlib.sha256(json.dumps(kept, sort_keys=True, default=str).encode()).hexdigest()[:12]


def save_as_safetensors(checkpoint: Checkpoint, directory: Path) -> None:
    """Writes a GGUF checkpoint unpacked, with its tokenizer, in float32; ``OSError`` when that fails."""
    options = ModelOptions(dtype="float32")
    with _quiet():
        tokenizer, model = load_parts(checkpoint, options)
        try:
            model.save_pretrained(directory)
            tokenizer.save_pretrained(directory)
        except safetensors.SafetensorError as error:
            raise OSError(str(error)) from error
