"""The images that value ranges are calibrated on."""

from types import SimpleNamespace

import numpy as np
import pytest
from mmengine.config import Config
from PIL import Image

from vitbackbones.errors import InputError
from vitbackbones.export import judges
from vitbackbones.export.judges import (
    ENOUGH,
    FEWEST,
    SURE,
    choose,
    pictures_of,
    require_others,
    require_seen,
)
from vitbackbones.runtime.answers import Classified, Detected, Segmented


def test_enough_files_are_spread_over_all():
    assert choose(range(FEWEST)) == [*range(FEWEST)]
    assert choose(range(ENOUGH)) == [*range(ENOUGH)]
    many = choose(range(2 * ENOUGH))
    assert len(many) == ENOUGH
    assert (many[0], many[-1]) == (0, 2 * ENOUGH - 1)
    with pytest.raises(InputError, match=f'{FEWEST - 1} images are too few'):
        choose(range(FEWEST - 1))


def test_pictures_that_judge_are_refused_also_as_copies(tmp_path):
    for name, content in (('a', b'1'), ('b', b'2'), ('copy', b'1'), ('c', b'33')):
        (tmp_path / name).write_bytes(content)
    a, b, copy, c = (tmp_path / name for name in ('a', 'b', 'copy', 'c'))
    require_others([a, c], [b])
    require_others([], [a])
    require_others([a], [])
    for judged in (a, copy):
        with pytest.raises(InputError, match=f'{a} is one of .*{judged}'):
            require_others([c, a], [b, judged])


def seeing(task, *answers):
    """An exported file that answers one picture after the other."""
    left = iter(answers)
    return SimpleNamespace(card=SimpleNamespace(task=task), predict=lambda _: next(left))


def found(score, label=1):
    return Detected(np.zeros((1, 4)), np.array([score]), np.array([label]))


CAT, DOG = Classified(np.array([0.9, 0.1])), Classified(np.array([0.4, 0.6]))


@pytest.mark.parametrize(
    ('task', 'answers', 'tells_apart'),
    [
        ('classification', [CAT, CAT, DOG], True),
        ('classification', [CAT, CAT, CAT], False),
        ('segmentation', [Segmented(np.array([[3, 3]])), Segmented(np.array([[3, 4]]))], True),
        ('segmentation', [Segmented(np.array([[3, 3]]))] * 2, False),
        ('detection', [found(SURE - 0.01), found(SURE)], True),
        ('detection', [found(SURE - 0.01), found(0.1, 2)], False),
        ('detection', [Detected(segments=np.array([[5, 6]]))], True),
        ('detection', [Detected(segments=np.array([[5, 5]]))], True),
    ],
)
def test_a_model_has_to_tell_pictures_apart(monkeypatch, task, answers, tells_apart):
    monkeypatch.setattr(judges, 'read_image', lambda file: None)
    files = [f'{i}.png' for i in range(len(answers))]
    if tells_apart:
        require_seen(seeing(task, *answers), files)
        return
    with pytest.raises(InputError, match=f'on all {len(files)} images, such as 0.png'):
        require_seen(seeing(task, *answers), files)


def test_pictures_of_a_split_in_their_order(tmp_path):
    names = ['b/1.png', 'a/2.png', 'a/0.png']
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new('RGB', (4, 4)).save(tmp_path / name)
    dataset = {'type': 'CustomDataset', 'data_prefix': str(tmp_path), 'pipeline': [{'type': 'X'}]}
    config = Config({'default_scope': 'mmpretrain', 'test_dataloader': {'dataset': dataset}})
    assert pictures_of(config, 'test') == [tmp_path / name for name in sorted(names)]
    assert pictures_of(config, 'train') == []


def test_pictures_in_shards_are_no_files(monkeypatch):
    methods = {'full_init': lambda self: None, 'get_data_info': lambda self, i: {'img': i}}
    built = type('Shards', (list,), methods)([1])
    monkeypatch.setattr(judges.DATASETS, 'build', lambda settings: built)
    dataset = {'type': 'ImageNetShards'}
    config = Config({'default_scope': 'mmpretrain', 'test_dataloader': {'dataset': dataset}})
    with pytest.raises(InputError, match='test_dataloader.dataset'):
        pictures_of(config, 'test')
