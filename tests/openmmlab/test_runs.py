"""A detector that finds nothing is measured, too.

The text of a config is laid out once, whoever asks for it, and is the same as before.
"""

import pytest
from mmdet.datasets.api_wrappers import COCO, COCOeval
from mmengine.config import Config
from yapf.yapflib import yapf_api

import vitbackbones  # noqa: F401  patches yapf
from vitbackbones.openmmlab.runs import lay_out_once

pytestmark = pytest.mark.compat


@pytest.fixture
def truth():
    box = {'bbox': [1, 1, 4, 4], 'area': 16, 'iscrowd': 0}
    truth = COCO()
    truth.dataset = {
        'images': [{'id': 1, 'height': 8, 'width': 8}],
        'categories': [{'id': 1, 'name': 'cup'}],
        'annotations': [{'id': 1, 'image_id': 1, 'category_id': 1, **box}],
    }
    truth.createIndex()
    return truth


def precision(truth, results):
    found = COCOeval(truth, truth.loadRes(results), 'bbox')
    found.evaluate()
    found.accumulate()
    found.summarize()
    return found.stats[0]


def test_no_detection_is_a_precision_of_0(truth):
    assert precision(truth, []) == 0
    assert len(truth.anns) == 1


def test_detections_are_loaded_as_ever(truth):
    right = [{'image_id': 1, 'category_id': 1, 'bbox': [1, 1, 4, 4], 'score': 0.9}]
    assert precision(truth, right) == pytest.approx(1)


pytestmark = pytest.mark.compat


@pytest.fixture
def laid_out():
    """The texts that a stand-in for yapf was given; it writes them in capitals."""
    texts = []

    def write(text, style_config, **options):
        texts.append(text)
        return f'{text.upper()} {style_config} {options}', True

    return texts, lay_out_once(write)


def test_a_text_is_laid_out_once_in_each_style(laid_out):
    texts, write = laid_out
    first = write('a', style_config={'width': 1})
    assert write('a', style_config={'width': 1}) is first
    assert first == ("A {'width': 1} {}", True)
    assert write('a', style_config={'width': 2})[0] == "A {'width': 2} {}"
    assert (
        write('a', style_config={'width': 1}, verify=True)[0] == "A {'width': 1} {'verify': True}"
    )
    assert write('b', style_config={'width': 1})[0] == "B {'width': 1} {}"
    assert texts == ['a', 'a', 'a', 'b']


def test_a_style_by_name_is_handed_on(laid_out):
    texts, write = laid_out
    assert write('a', style_config='pep8') == write('a', style_config='pep8')
    assert texts == ['a', 'a']


def test_mmengine_asks_for_one_layout_of_one_config(monkeypatch):
    trees = []
    lay_out = yapf_api.FormatTree
    monkeypatch.setattr(yapf_api, 'FormatTree', lambda *a, **k: trees.append(a) or lay_out(*a, **k))
    config = Config({'laid_out_once': {'numbers': [*range(40)]}})
    text = config.pretty_text
    config.numbers_changed = False
    assert text == Config({'laid_out_once': {'numbers': [*range(40)]}}).pretty_text
    assert 'numbers_changed = False' in config.pretty_text
    assert len(trees) == 2
