"""Classes that do not occur, and batches that no data can fill, are found before a run."""

import pytest
from mmengine.config import Config

from vitbackbones.datasets.checks.findings import Findings
from vitbackbones.errors import InputError
from vitbackbones.preflight.enough import check_batches, check_classes_occur

ONE = {'type': 'CustomDataset'}
PATH = 'train_dataloader.dataset'


def make_config(dataset=ONE, scope='mmdet', **loader):
    return Config({'default_scope': scope, 'train_dataloader': {'dataset': dataset, **loader}})


def test_classes_that_do_not_occur_are_named():
    found = {PATH: Findings(occurs={'cat': 3, 'dog': 0, 'cow': 0})}
    (warning,) = check_classes_occur(make_config(), found)
    assert warning == (
        "train_dataloader: no usable box of the classes 'dog', 'cow'; none is learned"
    )


def test_one_of_several_data_sets_may_have_them():
    config = make_config({'type': 'ConcatDataset', 'datasets': [ONE, ONE]})
    found = {f'{PATH}.0': Findings(occurs={'cat': 3, 'dog': 0})}
    assert check_classes_occur(config, found)
    found[f'{PATH}.1'] = Findings(occurs={'cat': 0, 'dog': 1})
    assert check_classes_occur(config, found) == []
    found[f'{PATH}.1'] = Findings()  # not looked at
    assert check_classes_occur(config, found) == []


def test_a_sample_is_said_to_be_one():
    found = {PATH: Findings(occurs={'sky': 3, 'sea': 0, 'sun': 2}, sampled='200 of 900 masks')}
    (warning,) = check_classes_occur(make_config(scope='mmseg'), found)
    assert "no pixel of the classes 'sea' in 200 of 900 masks (tools/check_dataset.py" in warning


@pytest.mark.parametrize(('scope', 'unit'), [('mmseg', 'pixel'), ('mmpretrain', 'image')])
def test_a_single_class_is_refused(scope, unit):
    found = {PATH: Findings(occurs={'sky': 0, 'sea': 9, 'sun': 0})}
    with pytest.raises(InputError, match=f"every {unit} .* class 'sea'; there is none of 'sky'"):
        check_classes_occur(make_config(scope=scope), found)
    assert check_classes_occur(make_config(), found)  # boxes have a background
    found[PATH].sampled = '200 of 900 masks'
    assert check_classes_occur(make_config(scope=scope), found)


def test_only_training_must_have_all():
    config = make_config()
    config.val_dataloader = config.train_dataloader
    found = {'val_dataloader.dataset': Findings(occurs={'cat': 3, 'dog': 0})}
    assert check_classes_occur(config, found) == []


def batches(samples=10, dataset=ONE, **loader):
    config = make_config(dataset, **{'batch_size': 11, 'drop_last': True, **loader})
    inner = PATH if dataset is ONE or 'indices' in dataset else f'{PATH}.dataset'
    check_batches(config, {inner: Findings(samples=samples)}, ('train',))


def test_a_batch_that_is_never_full():
    with pytest.raises(InputError) as caught:
        batches()
    assert str(caught.value) == (
        'train_dataloader: batch_size is 11 and incomplete batches are dropped, but there are 10 '
        'images: no batch is left. Lower train_dataloader.batch_size, or set '
        'train_dataloader.drop_last=False.'
    )


def test_images_are_shared_among_processes(monkeypatch):
    batches(batch_size=5)
    monkeypatch.setenv('WORLD_SIZE', '3')
    batches(batch_size=4)
    with pytest.raises(InputError, match='there are 10 images for 3 processes'):
        batches(batch_size=5)


def test_a_part_of_a_data_set():
    batches(samples=20, dataset={**ONE, 'indices': 11})
    with pytest.raises(InputError, match='there are 3 images'):
        batches(samples=20, dataset={**ONE, 'indices': [4, 5, 6]})


def test_repeated_data():
    repeated = {'type': 'RepeatDataset', 'times': 2, 'dataset': ONE}
    batches(dataset=repeated, batch_size=20)
    with pytest.raises(InputError, match='there are 20 images'):
        batches(dataset=repeated, batch_size=21)


@pytest.mark.parametrize(
    'loader',
    [
        {'drop_last': False},
        {'sampler': {'type': 'InfiniteSampler'}},
        {'batch_sampler': {'type': 'AspectRatioBatchSampler'}},
        {'samples': None},
        {'dataset': {'type': 'ClassBalancedDataset', 'dataset': ONE}},
    ],
)
def test_what_can_work_is_left_alone(loader):
    batches(**loader)
