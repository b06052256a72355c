import json
import os
import sys
import warnings
from itertools import pairwise

import pytest

pytest.importorskip("torch", reason="local models need the extra freshness[local]")

import torch
from safetensors.torch import load_file, save_file
from shared import SHARED, needs_shared
from tiny_models import TEMPLATE, TEXT, prompts, save_tiny, tiny_tokenizer

from freshness import models
from freshness.errors import UnavailableError, UsageError
from freshness.models import engine as engine_module
from freshness.models.engine import load, missing_weights
from freshness.models.local import Checkpoint, _even, locate
from freshness.models.options import ModelOptions

FLOAT32 = ModelOptions(dtype="float32")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def chat(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("chat"), template=TEMPLATE)


def answers(directory, asked, **options):
    return dict(models.build(f"local:{directory}", dtype="float32", **options).answer(asked))


def texts(directory, asked, **options):
    return [answer.text for _, answer in sorted(answers(directory, asked, **options).items())]


def engine(directory, **options):
    return load(Checkpoint(str(directory)), ModelOptions(dtype="float32", **options))


def case(identifier):
    lines = (SHARED / "cases" / "hf_transformers.jsonl").read_text(encoding="utf-8").splitlines()
    return next(row for row in map(json.loads, lines) if row["id"] == identifier)


def test_a_batch_of_unequal_prompts_answers_as_one_by_one(base):
    asked = prompts(*TEXT)
    together = texts(base, asked, batch_size=4)
    assert together == texts(base, asked, batch_size=1)
    assert len(set(together)) > 1
    assert all(together)


@needs_shared
def test_padding_goes_left_whatever_the_tokenizer_says(tmp_path):
    row = case("hf-01-padding-side")
    directory = save_tiny(tmp_path, pad=row["input"]["tokenizer"]["pad_token"])
    settings = json.loads((directory / "tokenizer_config.json").read_text())
    settings["padding_side"] = row["input"]["tokenizer"]["padding_side"]
    (directory / "tokenizer_config.json").write_text(json.dumps(settings))
    loaded = engine(directory)
    assert loaded._tokenizer.padding_side == row["expected"]["padding_side_used"]
    asked = prompts(*row["input"]["prompts"])
    batched = texts(directory, asked, batch_size=row["input"]["batch_size"])
    assert (batched == texts(directory, asked, batch_size=1)) is row["expected"]["outputs_equal_batch_1"]
    assert all(batched) is row["expected"]["no_empty_outputs"]


@needs_shared
def test_eos_is_the_padding_where_there_is_none(base):
    row = case("hf-02-no-pad-token")
    assert tiny_tokenizer().pad_token is row["input"]["tokenizer"]["pad_token"]
    loaded = engine(base)
    assert loaded._tokenizer.pad_token == row["expected"]["pad_token_used"]
    assert loaded._model.get_input_embeddings().num_embeddings == len(tiny_tokenizer())


@needs_shared
def test_a_template_that_writes_bos_is_not_given_a_second(chat):
    loaded = engine(chat)
    ids = loaded.encode(prompts("Hi")[0])
    leading = next(n for n, token in enumerate(ids) if token != loaded._tokenizer.bos_token_id)
    assert leading == case("hf-04-double-bos")["expected"]["leading_bos_count"]


def test_completion_keeps_the_tokenizers_own_bos(base):
    loaded = engine(base)
    assert loaded.encode(prompts("Hi")[0])[0] == loaded._tokenizer.bos_token_id


@needs_shared
def test_the_prompt_is_cut_off_by_tokens_not_by_text(base):
    row = case("hf-05-prompt-in-output")
    loaded = engine(base, max_new_tokens=3)
    new = loaded._tokenizer("Liz Truss", add_special_tokens=False)["input_ids"]

    def continued(input_ids, **_):
        assert input_ids.shape[1] == width
        return torch.cat([input_ids, torch.tensor([new])], dim=1)

    ids = loaded.encode(prompts(row["input"]["prompt"])[0])
    # Another spelling of the prompt on the way back: a search for the prompt's text would find nothing.
    ids[-1:] = loaded._tokenizer(" ?", add_special_tokens=False)["input_ids"]
    width = len(ids)
    loaded._model.generate = continued
    assert loaded.generate([ids])[0].text == row["expected"]["answer"]


@needs_shared
def test_batch_size_and_dtype_are_recorded(base):
    for run in case("hf-07-batch-rounding")["input"]["runs"]:
        model = models.build(f"local:{base}", batch_size=run["batch_size"], dtype=run["dtype"])
        details = model.info().details
        assert (details["batch_size"], details["dtype"]) == (run["batch_size"], run["dtype"])


@needs_shared
def test_tied_output_weights_may_be_missing_and_layers_may_not():
    row = case("hf-08-init-warning")
    loading = row["input"]["loading_info"]
    results = [missing_weights(info, tied=info["tie_word_embeddings"]) for info in loading]
    assert ["model_unavailable" if found else "ok" for found in results] == row["expected"]["results"]


def test_a_tied_model_loads(tmp_path):
    directory = save_tiny(tmp_path, tie=True)
    assert "lm_head.weight" not in load_file(directory / "model.safetensors")
    assert texts(directory, prompts("Who is the pope?"))[0]


def test_a_partly_random_model_is_refused(tmp_path):
    directory = save_tiny(tmp_path)
    weights = load_file(directory / "model.safetensors")
    del weights["model.layers.0.self_attn.q_proj.weight"], weights["model.norm.weight"]
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UnavailableError, match=r"lacks weights.*q_proj\.weight and 1 more"):
        models.build(f"local:{directory}").info()


def test_greedy_text_ignores_the_checkpoints_sampling_keys(base, tmp_path):
    directory = save_tiny(tmp_path)
    (directory / "generation_config.json").write_text(
        json.dumps(
            {"do_sample": True, "temperature": 5.0, "top_k": 7, "repetition_penalty": 3.0, "eos_token_id": 1}
        )
    )
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        first = texts(directory, prompts(*TEXT))
    assert not raised
    assert first == texts(directory, prompts(*TEXT)) == texts(base, prompts(*TEXT))


def test_nothing_is_printed_while_loading_and_answering(base, capfd):
    texts(base, prompts(*TEXT))
    assert capfd.readouterr() == ("", "")


def test_style_follows_the_template_unless_told_otherwise(base, chat):
    assert models.build(f"local:{base}").info().style == "completion"
    assert models.build(f"local:{chat}").info().style == "chat"
    assert models.build(f"local:{chat}", style="completion").info().style == "completion"
    with pytest.raises(UsageError, match="no chat template"):
        models.build(f"local:{base}", style="chat").info()


def test_an_answer_ends_at_eos_or_is_marked_as_cut_off(base):
    loaded = engine(base, max_new_tokens=4)
    assert loaded._output([40, 41, 1, 1]).finish == "stop"
    assert loaded._output([40, 41, 42, 43]).finish == "length"
    assert loaded._output([1, 1, 1, 1]).text == ""


def test_stop_strings_end_an_answer(base):
    whole = texts(base, prompts(TEXT[0]))[0]
    stop = whole[3]
    answer = answers(base, prompts(TEXT[0]), stop=(stop,))[0]
    assert (answer.text, answer.finish) == (whole[: whole.index(stop)], "stop")


def test_a_prompt_longer_than_the_context_is_an_error_of_its_own(base):
    found = answers(base, prompts("Who is the pope?", "pope " * 400))
    assert found[0].error is None
    assert found[1].error_kind == "prompt_unfit"
    assert "context of 128" in found[1].error


def test_a_template_that_fails_is_an_error_of_its_prompts(tmp_path):
    directory = save_tiny(tmp_path, template="{{ raise_exception('no user turns') }}")
    found = answers(directory, prompts("Who?"))
    assert found[0].error_kind == "prompt_unfit"
    assert "no user turns" in found[0].error


def test_only_the_prompt_at_fault_fails(base, caplog):
    model = models.build(f"local:{base}", dtype="float32", batch_size=8)
    asked = prompts(*TEXT, "Who?")
    model.info()
    inner = model._engine
    poison = inner.encode(asked[2])
    generate = inner.generate

    def breaks(rows):
        if poison in rows:
            raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate 20 GiB")
        return generate(rows)

    inner.generate = breaks
    found = dict(model.answer(asked))
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert found[2].error_kind == "out_of_memory"
    assert "\n" not in found[2].error
    assert [index for index, answer in found.items() if answer.error] == [2]


def test_every_answer_says_what_gave_it(base):
    answer = answers(base, prompts("Who?"))[0]
    assert answer.served_model == str(base)
    assert len(answer.fingerprint) == 12
    assert answer.seconds > 0
    details = models.build(f"local:{base}").info().details
    assert {"dtype", "device", "torch", "transformers", "config_sha256", "revision"} <= set(details)


def test_other_weights_have_another_fingerprint(base, tmp_path):
    other = save_tiny(tmp_path, seed=1)
    assert engine(other).fingerprint != engine(base).fingerprint
    assert engine(other).details["config_sha256"] == engine(base).details["config_sha256"]


def test_pickled_weights_are_refused(tmp_path):
    directory = save_tiny(tmp_path)
    torch.save(load_file(directory / "model.safetensors"), directory / "pytorch_model.bin")
    (directory / "model.safetensors").unlink()
    with pytest.raises(UnavailableError, match="safetensors"):
        models.build(f"local:{directory}").info()


def test_code_that_comes_with_a_model_is_not_run(tmp_path):
    directory = save_tiny(tmp_path)
    config = json.loads((directory / "config.json").read_text())
    config |= {"model_type": "other", "auto_map": {"AutoConfig": "evil.C", "AutoModelForCausalLM": "evil.M"}}
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "evil.py").write_text("raise SystemExit('this code ran')")
    with pytest.raises(UnavailableError, match="can't load"):
        models.build(f"local:{directory}").info()


@pytest.mark.parametrize(
    "damage", ["{not json", '{"model_type": "t5"}', "{}"], ids=["broken", "encoder", "empty"]
)
def test_a_config_that_is_no_causal_model_is_one_line(tmp_path, damage):
    directory = save_tiny(tmp_path)
    (directory / "config.json").write_text(damage)
    with pytest.raises(UnavailableError) as raised:
        models.build(f"local:{directory}").info()
    assert "\n" not in str(raised.value)
    assert str(directory) in str(raised.value)


def test_a_cut_off_weights_file_is_one_line(tmp_path):
    directory = save_tiny(tmp_path)
    weights = directory / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(UnavailableError, match="can't load"):
        models.build(f"local:{directory}").info()


def gguf_file(path, architecture):
    from gguf import GGUFWriter

    writer = GGUFWriter(path, architecture)
    writer.add_block_count(1)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return path


def test_a_gguf_of_an_unknown_architecture_is_one_line(tmp_path):
    path = gguf_file(tmp_path / "m.gguf", "made-up")
    for spec in (f"local:{path}", f"local:{tmp_path}"):
        with pytest.raises(UnavailableError) as raised:
            models.build(spec).info()
        assert "made-up" in str(raised.value)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"not a model", "it is no GGUF file"),
        (b"", "it is no GGUF file"),
        (b"GGUF\x03\x00\x00\x00", "the file is damaged"),
    ],
)
def test_a_file_that_is_no_gguf_is_said_in_plain_words(tmp_path, data, said):
    (tmp_path / "m.gguf").write_bytes(data)
    with pytest.raises(UnavailableError, match=f"can't load .*: {said}") as raised:
        models.build(f"local:{tmp_path / 'm.gguf'}").info()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("rest", ["./nowhere", "/nowhere/at/all", "~/nowhere", "a/b/c", "x/missing.gguf"])
def test_no_such_directory_is_said_at_once(rest):
    with pytest.raises(UnavailableError, match="no such model directory"):
        models.build(f"local:{rest}")


def test_a_hub_id_that_cant_be_fetched_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(UnavailableError) as raised:
        models.build("local:nobody/no-such-model").info()
    assert "nobody/no-such-model is no directory here, and the Hugging Face hub can't be" in str(raised.value)
    assert "…" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_fetched_model_is_known_by_its_id_and_commit(tmp_path, monkeypatch):
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--org--tiny"
    (repository / "snapshots" / commit).mkdir(parents=True)
    save_tiny(repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    info = models.build("local:org/tiny").info()
    assert (info.served, info.details["revision"]) == ("org/tiny", commit)


def test_where_a_checkpoint_may_lie(tmp_path):
    with pytest.raises(UnavailableError, match=r"neither config\.json nor"):
        locate(str(tmp_path))
    (tmp_path / "a.gguf").touch()
    assert locate(str(tmp_path)) == Checkpoint(str(tmp_path), "a.gguf")
    (tmp_path / "b.gguf").touch()
    with pytest.raises(UsageError, match="name one"):
        locate(str(tmp_path))
    (tmp_path / "config.json").touch()
    (tmp_path / "model.safetensors").touch()
    assert locate(str(tmp_path)) == Checkpoint(str(tmp_path))
    assert locate("org/name-1.5B") == Checkpoint("org/name-1.5B")
    (tmp_path / "weights.bin").touch()
    with pytest.raises(UnavailableError, match="no GGUF file"):
        locate(str(tmp_path / "weights.bin"))
    with pytest.raises(UsageError, match="needs a directory"):
        locate("")


def test_an_unknown_device_is_a_usage_error(base):
    with pytest.raises(UsageError, match="no device"):
        models.build(f"local:{base}", device="abacus").info()


def test_automatic_dtype_is_16_bit_only_where_it_is_fast(base, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for able, expected in (({"avx512_bf16": True}, torch.bfloat16), ({"avx2": True}, torch.float32)):
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda able=able: able)
        assert engine_module._dtype(ModelOptions()) is expected


def test_without_torch_the_error_says_what_to_install(base, monkeypatch):
    monkeypatch.delitem(sys.modules, "freshness.models.engine")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UnavailableError, match=r"pip install 'freshness\[local\]'"):
        models.build(f"local:{base}").info()


@pytest.mark.parametrize(("wanted", "used"), [(None, "1000"), ("ACTIVE", None)])
def test_threads_soon_sleep_while_waiting_unless_the_user_says_otherwise(base, monkeypatch, wanted, used):
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    if wanted:
        monkeypatch.setenv("OMP_WAIT_POLICY", wanted)
    models.build(f"local:{base}").info()
    assert os.environ.get("GOMP_SPINCOUNT") == used


def test_batches_are_even_and_no_larger_than_asked():
    rows = [(n, [n]) for n in range(10)]
    assert [len(batch) for batch in _even(rows, 4)] == [3, 3, 4]
    assert [row for batch in _even(rows, 4) for row in batch] == rows
    assert list(_even([], 4)) == []


def test_finished_rows_leave_the_batch_without_changing_any_text(base, monkeypatch):
    asked = prompts(*TEXT)
    whole = texts(base, asked, max_new_tokens=20)
    sizes = []
    extend = engine_module.Engine._extend

    def counted(self, rows, count):
        sizes.append((len(rows), count))
        return extend(self, rows, count)

    monkeypatch.setattr(engine_module.Engine, "_extend", counted)
    monkeypatch.setattr(engine_module, "STAGE", 3)
    assert texts(base, asked, max_new_tokens=20) == whole
    assert sum(count for _, count in sizes) <= 20
    assert all(later[0] <= earlier[0] for earlier, later in pairwise(sizes))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_a_gpu_gives_the_same_float32_text(base):
    asked = prompts(*TEXT)
    assert texts(base, asked, device="cuda") == texts(base, asked, device="cpu")
