"""Lists, values, and pages of the documentation in messages."""

import re
from pathlib import Path

from vitbackbones.utils import messages
from vitbackbones.utils.messages import did_you_mean, page


def test_a_misspelled_word_finds_its_neighbors():
    assert did_you_mean('trian', ['train', 'test']) == "; did you mean 'train'?"
    assert did_you_mean('trian', {'train': 'tools/train.py'}) == "; did you mean 'tools/train.py'?"
    assert did_you_mean('a', ['ab', 'ac', 'ad'], most=2).count(' or ') == 1
    assert did_you_mean('x', ['train']) == did_you_mean('trian', ['train'], cutoff=0.9) == ''


ROOT = Path(__file__).parents[2]


def test_a_wheel_names_the_file_that_it_carries(tmp_path, monkeypatch):
    monkeypatch.setattr(messages, 'INSTALLED', tmp_path)
    assert page('shards') == 'docs/shards.md'
    (tmp_path / 'shards.md').touch()
    assert page('shards') == str(tmp_path / 'shards.md')


def test_every_page_that_is_named_is_there():
    texts = [file.read_text() for file in (ROOT / 'vitbackbones').rglob('*.py')]
    named = {name for text in texts for name in re.findall(r"\bpage\(['\"](\w+)['\"]\)", text)}
    assert named >= {'install', 'own_data'}
    assert all((ROOT / page(name)).is_file() for name in named)
