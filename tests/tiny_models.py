"""Random language models of a few thousand weights, built on the spot: real code paths, no download."""

import torch
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


def prompts(*texts):
    return [Prompt(f"Q{n}/P6/p1", "p1", text, text) for n, text in enumerate(texts)]
