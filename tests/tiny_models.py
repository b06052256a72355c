"""Random language models of a few thousand weights, built on the spot: real code paths, no download."""

import json

import torch
from gguf import GGUFWriter
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from freshness.questions import Prompt

TEXT = [
    "Who is the pope?",
    "Who is the Prime Minister of the United Kingdom?",
    "The head of government of Italy is Giorgia Meloni",
    "Liz Truss succeeded Boris Johnson as Prime Minister of the United Kingdom.",
]
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}] {{ m['content'] }}\n{% endfor %}[assistant]"
)


def tiny_tokenizer(template=None, pad=None):
    """Byte-level BPE that puts <s> before every text, as Llama's does."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    inner.train_from_iterator(TEXT * 4, trainer)
    inner.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    special = {"bos_token": "<s>", "eos_token": "</s>"} | ({"pad_token": pad} if pad else {})
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, **special)
    tokenizer.chat_template = template
    return tokenizer


def tiny_model(vocabulary, seed=0, tie=False, context=128):
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=context,
        bos_token_id=0,
        eos_token_id=1,
        tie_word_embeddings=tie,
        # Far from the usual 0.02: the logits then differ enough for greedy text not to hang on rounding.
        initializer_range=0.7,
    )
    return LlamaForCausalLM(config)


def save_tiny(directory, template=None, pad=None, **model):
    """A checkpoint directory as `save_pretrained` makes it; gives back the directory."""
    tokenizer = tiny_tokenizer(template, pad)
    tiny_model(len(tokenizer), **model).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


def save_gguf(path, seed=0):
    """A tiny model as llama.cpp's converter writes it; gives back the path."""
    tokenizer = tiny_tokenizer()
    model = tiny_model(len(tokenizer), seed, tie=True, context=256)
    writer = GGUFWriter(path, "llama")
    _write_metadata(writer, model.config, tokenizer)
    for name, weights in model.state_dict().items():
        if name != "lm_head.weight":
            writer.add_tensor(_gguf_name(name), _gguf_weights(name, weights, model.config))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _write_metadata(writer, config, tokenizer):
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(config.hidden_size // config.num_attention_heads)
    inner = json.loads(tokenizer.backend_tokenizer.to_str())["model"]
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(sorted(inner["vocab"], key=inner["vocab"].get))
    writer.add_token_types([3, 3] + [1] * (len(inner["vocab"]) - 2))
    writer.add_token_merges([" ".join(pair) for pair in inner["merges"]])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(1)
    writer.add_add_bos_token(True)


GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "model.layers": "blk",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "post_attention_layernorm": "ffn_norm",
    "input_layernorm": "attn_norm",
}


def _gguf_name(name):
    for ours, theirs in GGUF_NAMES.items():
        name = name.replace(ours, theirs)
    return name


def _gguf_weights(name, weights, config):
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    for part, number in heads.items():
        if part in name:  # the two halves of each head's rotary dimensions alternate in llama.cpp
            rows, columns = weights.shape
            weights = weights.reshape(number, 2, rows // number // 2, columns).swapaxes(1, 2)
            weights = weights.reshape(rows, columns)
    return weights.float().numpy()


def prompts(*texts):
    return [Prompt(f"Q{n}/P6/p1", "p1", text, text) for n, text in enumerate(texts)]
