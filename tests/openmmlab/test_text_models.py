"""Text models have their published sizes, and nothing of them is fetched."""

import sys
from contextlib import ExitStack
from types import ModuleType
from unittest.mock import patch

import pytest

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.text_models import SIZES, NoVocabulary, stand_ins


class FromHub:
    """A class of transformers: whatever is asked of it would be fetched."""

    @classmethod
    def from_pretrained(cls, name, **options):
        raise OSError(f'{name} would be fetched')


class Config(FromHub):
    def __init__(self, hidden_size=768):
        self.hidden_size = hidden_size

    @classmethod
    def get_config_dict(cls, name, **options):
        raise OSError(f'{name} would be fetched')

    @classmethod
    def from_pretrained(cls, name, **options):
        return cls(**cls.get_config_dict(name, **options)[0])


class Model(FromHub):
    config_class = Config

    def __init__(self, config):
        self.config = config


@pytest.fixture
def transformers(monkeypatch):
    module = ModuleType('transformers')
    module.PretrainedConfig = Config
    module.PreTrainedModel = Model
    module.PreTrainedTokenizerBase = module.AutoTokenizer = type('Tokenizer', (FromHub,), {})
    monkeypatch.setitem(sys.modules, 'transformers', module)
    with ExitStack() as stack:
        for each in stand_ins():
            stack.enter_context(each)
        yield module


def test_without_transformers_there_is_nothing_to_replace():
    with patch.dict(sys.modules):
        sys.modules.pop('transformers', None)
        assert not [*stand_ins()]


def test_a_text_model_has_its_published_size(transformers):
    assert transformers.PretrainedConfig.from_pretrained('bert-base-uncased').hidden_size == 768
    assert SIZES['opt-2.7b']['hidden_size'] == 2560
    assert transformers.PreTrainedModel.from_pretrained('bert-base-uncased').config.hidden_size
    given = transformers.PreTrainedModel.from_pretrained('any', config=Config(12), pool=False)
    assert given.config.hidden_size == 12


def test_a_text_model_of_unknown_size_is_named(transformers):
    with pytest.raises(InputError, match='huggyllama/llama-7b: only the Hugging Face Hub has'):
        transformers.PreTrainedModel.from_pretrained('huggyllama/llama-7b')


def test_a_text_model_in_a_folder_has_the_size_of_its_file(transformers, tmp_path):
    named = transformers.PretrainedConfig.from_pretrained('hub/bert-base-uncased')
    assert named.hidden_size == 768
    (tmp_path / 'config.json').write_text('{"hidden_size": 312}')
    found = transformers.PretrainedConfig.from_pretrained(str(tmp_path))
    assert found.hidden_size == 312


def test_a_tokenizer_has_no_tokens(transformers):
    tokenizer = transformers.AutoTokenizer.from_pretrained('any')
    assert isinstance(tokenizer, NoVocabulary)
    assert tokenizer.pad_token_id == 0
    assert tokenizer.convert_tokens_to_ids(['[CLS]', '[SEP]']) == [0, 0]
    assert len(tokenizer('a picture of ').input_ids) == 0
    assert [*tokenizer(['yes', 'no'])['input_ids']] == []
    assert tokenizer('\n').input_ids[0] == 0
