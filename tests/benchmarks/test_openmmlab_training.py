"""Configs are drawn in a fixed order, and the page has the tables of what is measured."""

from pathlib import Path

import pytest
import torch
from mmengine.config import Config

from benchmarks import openmmlab_training as measured
from benchmarks.openmmlab_configs import MARK, rows, write
from benchmarks.openmmlab_training import compare, drawn, page, two_lengths

pytestmark = pytest.mark.compat
DOCS = Path(__file__).parents[2] / 'docs' / 'lab'


def test_configs_are_drawn_of_each_toolbox_in_turn(tmp_path):
    row = {'result': 'built', 'reason': '', 'ran': ''}
    made = [
        row | {'toolbox': toolbox, 'config': f'{number}.py', 'parameters': size}
        for toolbox in ('mmdet', 'mmseg')
        for number, size in enumerate(('1', '2', '3', '900000000'))
    ]
    write(tmp_path / 'table.csv', made)
    found = drawn(tmp_path / 'table.csv', 2)
    assert [each['toolbox'] for each in found] == ['mmdet', 'mmseg', 'mmdet', 'mmseg']
    assert found == drawn(tmp_path / 'table.csv', 5)[:4]
    assert all(each['config'] != '3.py' for each in drawn(tmp_path / 'table.csv', 5))


@pytest.mark.parametrize(
    ('key', 'other'), [('max_epochs', 'max_iters'), ('max_iters', 'max_epochs')]
)
def test_two_steps_are_saved_and_nothing_is_evaluated(key, other):
    hooks = {'checkpoint': {'type': 'CheckpointHook', 'save_best': 'auto'}}
    config = Config({'train_cfg': {key: 90}, 'default_hooks': hooks, 'val_cfg': {}})
    short = two_lengths(config)
    assert short.train_cfg == {key: 2}
    assert other not in short.train_cfg
    assert short.default_hooks.checkpoint.interval == 1
    assert short.default_hooks.checkpoint.save_best is None
    assert short.val_cfg is None


def test_a_tensor_that_differs_after_resuming_is_named(tmp_path, monkeypatch):
    (tmp_path / 'iter_1.pth').touch()
    states = [{'model.a': torch.ones(2), 'model.b': torch.ones(2)} for _ in range(2)]
    seen = []
    monkeypatch.setattr(measured, 'two_lengths', lambda config: config)
    monkeypatch.setattr(
        measured, 'trained', lambda config: seen.append(config) or states[len(seen) % 2]
    )
    config = Config({'work_dir': str(tmp_path)})
    assert compare(config) == ''
    assert seen[1].load_from == str(tmp_path / 'iter_1.pth')
    assert seen[1].resume
    states[1]['model.b'] = torch.zeros(2)
    assert compare(config) == 'model.b'


def test_the_page_of_the_docs_is_of_its_rows():
    text = (DOCS / 'openmmlab_training.md').read_text()
    assert text.partition(MARK)[2].strip() == '\n'.join(page(rows(DOCS / 'openmmlab_training.csv')))
