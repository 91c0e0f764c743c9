"""Text models of the toolboxes by their sizes alone: no file of theirs is fetched from a hub.

GLIP, Grounding DINO and the captioners of mmpretrain get their text models from the Hugging Face
Hub when they are built. To examine a config, sizes that are published suffice.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ..errors import InputError

# By the last part of its name, what differs from the defaults of its configuration class.
SIZES: dict[str, dict[str, int]] = {
    'bert-base-uncased': {},
    'opt-2.7b': {
        'hidden_size': 2560,
        'word_embed_proj_dim': 2560,
        'ffn_dim': 10240,
        'num_hidden_layers': 32,
        'num_attention_heads': 32,
    },
}


class NoVocabulary(list):
    """Stands in for a tokenizer and its answers. No text has tokens, and each token is number 0."""

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)
        return 0 if name.endswith('_id') else self

    def __call__(self, *arguments, **options):
        return self

    def __getitem__(self, key):
        return self if isinstance(key, str) else 0

    def convert_tokens_to_ids(self, tokens: list[str]) -> list[int]:
        """Return the number of each token."""
        return [0] * len(tokens)


def stand_ins() -> Iterator[AbstractContextManager]:
    """Yield what takes the place of fetching for a while; nothing without transformers."""
    transformers = sys.modules.get('transformers')
    if transformers is None:
        return
    for owner in (transformers.PreTrainedTokenizerBase, transformers.AutoTokenizer):
        yield patch.object(owner, 'from_pretrained', classmethod(_tokenizer))
    yield patch.object(transformers.PreTrainedModel, 'from_pretrained', classmethod(_model))
    yield patch.object(transformers.PretrainedConfig, 'get_config_dict', _sizes)


def _tokenizer(cls: type, *arguments, **options) -> NoVocabulary:
    return NoVocabulary()


def _model(cls: Any, name: str, config=None, **options):
    return cls(config or cls.config_class.from_pretrained(name))


def _sizes(name: str, **options) -> tuple[dict, dict]:
    """Return the settings of a text model, and the options that are none, as transformers does.

    Raises:
        InputError: its sizes are not known here.
    """
    file = Path(name, 'config.json')  # a folder that was fetched before
    if file.is_file():
        return json.loads(file.read_text(encoding='utf-8')), options
    known = name.rpartition('/')[2]
    if known not in SIZES:
        raise InputError(f'{name}: only the Hugging Face Hub has the sizes of this text model')
    return dict(SIZES[known]), options
