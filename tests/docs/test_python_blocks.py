"""Every Python block on a page runs, and every config on a page passes the checks of a run."""

import logging
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tools.studies.study import read_study
from vitbackbones.backbones import by_name as create
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.read import read_config
from vitbackbones.preparing.trial import try_model
from vitbackbones.registry import MODELS
from vitbackbones.weights.table import name_of as known_weights

from .pages import PAGES, blocks, name_of

# Pages that another test runs, with what has to be there for them.
ELSEWHERE = {
    'docs/adding_a_backbone.md': 'tests/backbones/test_adding_a_backbone.py',
    'docs/timm_users.md': 'tests/test_timm_users.py',
    'docs/tutorials/export.md': 'tests/docs/test_tutorials.py',
    'docs/tutorials/first_detector.md': 'tests/docs/test_tutorials.py',
    'docs/inference.md': 'tests/docs/test_tutorials.py',
}
WITH_PYTHON = [
    page
    for page in PAGES
    if name_of(page) not in ELSEWHERE and any(each.language == 'python' for each in blocks(page))
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty current directory whose modules can be imported, and no downloads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(create, 'fetch', str)
    monkeypatch.setattr(create, 'load_pretrained', require_known)
    monkeypatch.setattr(MODELS._module_dict, 'registered', {})
    monkeypatch.setattr(logging.getLogger('vitbackbones.openmmlab'), 'handlers', [])
    monkeypatch.setattr(logging.getLogger('vitbackbones.openmmlab'), 'level', logging.NOTSET)
    yield tmp_path
    for file in tmp_path.glob('*.py'):
        sys.modules.pop(file.stem, None)


def require_known(model, checkpoint, allow_missing, stored_size):
    """Stand in for filling a model: only look whether the file is one that can be had."""
    is_file = Path(checkpoint).suffix in ('.pth', '.safetensors')
    assert is_file or checkpoint.startswith('hf-hub:') or known_weights(checkpoint)
    return SimpleNamespace(format='', images={})


@pytest.mark.parametrize('page', WITH_PYTHON, ids=name_of)
def test_python_of_a_page_runs(page, folder):
    names, faults = {}, []
    for each in blocks(page):
        if each.language != 'python' or each.mark == 'not run':
            continue
        try:
            run(each, folder, names)
        except Exception as error:
            faults.append(f'{each.place}: {type(error).__name__}: {error}')
    assert not faults, '\n'.join(faults)


def run(block, folder, names):
    """Do with a block what the page says: save it, read it as a config or a study, or run it."""
    file = folder / (block.file or 'config.py')
    bases = [f'vitbackbones::{name}' for name in block.note.split()]
    file.write_text(f'_base_ = {bases}\n{block.text}' if bases else block.text)
    if block.mark == 'config' or block.text.startswith('_base_'):
        config = read_config(file)
        lint(config)
        try_model(config)
    elif block.text.startswith('base ='):
        read_study(file)
    elif not block.file:
        exec(block.text, names)
