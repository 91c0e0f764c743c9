"""The pages that messages name are there, in a clone and in a wheel."""

import re
from pathlib import Path

from vitbackbones.utils import pages
from vitbackbones.utils.pages import page

ROOT = Path(__file__).parents[2]


def test_a_wheel_names_the_file_that_it_carries(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, 'INSTALLED', tmp_path)
    assert page('shards') == 'docs/shards.md'
    (tmp_path / 'shards.md').touch()
    assert page('shards') == str(tmp_path / 'shards.md')


def test_every_page_that_is_named_is_there():
    texts = [file.read_text() for file in (ROOT / 'vitbackbones').rglob('*.py')]
    named = {name for text in texts for name in re.findall(r"\bpage\(['\"](\w+)['\"]\)", text)}
    assert named >= {'commands', 'install', 'own_data'}
    assert all((ROOT / page(name)).is_file() for name in named)
