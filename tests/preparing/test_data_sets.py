"""All data sets of a config are looked into; classes and batches without data are found."""

import json

import pytest
from mmengine.config import Config

from vitbackbones.configuration.data_paths import locate_data
from vitbackbones.data.checks.findings import Findings
from vitbackbones.errors import InputError
from vitbackbones.preparing.data_sets import (
    check_apart,
    check_batches,
    check_classes_occur,
    check_data,
    check_labels,
)

from ..shapes_configs import dataset, make_config


def located(config=None):
    return locate_data(config or make_config(), None, ('train', 'val'))


def test_data_to_evaluate_on_are_known_by_their_loader(annotations):
    path = annotations / 'instances_val.json'
    path.write_text(path.read_text().replace('"iscrowd": 0', '"iscrowd": null'))
    config = located(make_config(val=dataset('val')))
    with pytest.raises(InputError, match="have no 'iscrowd' of 0 or 1"):
        check_data(config, ('train', 'val'))


def test_classes_are_looked_for(annotations):
    path = annotations / 'instances_train.json'
    content = json.loads(path.read_text())
    first = content['categories'][0]
    kept = [each for each in content['annotations'] if each['category_id'] != first['id']]
    path.write_text(json.dumps({**content, 'annotations': kept}))
    config = located()
    warnings = check_data(config, ('train',))
    assert f"no usable box of the classes '{first['name']}'" in warnings[-1]


def test_batches_are_compared_with_the_data(annotations):
    config = located()
    config.train_dataloader.update(batch_size=7, drop_last=True)
    with pytest.raises(InputError, match='batch_size is 7 .* only 6 images, so no batch is left'):
        check_data(config, ('train',))


def test_unusable_annotations_stop(annotations, monkeypatch):
    (annotations / 'instances_train.json').write_text('{')
    config = located()
    with pytest.raises(InputError, match=r'instances_train\.json'):
        check_data(config, ('train',))
    monkeypatch.setenv('LOCAL_RANK', '1')  # the first process of the machine has looked
    assert check_data(config, ('train',)) == []


ONE = {'type': 'CustomDataset'}
PATH = 'train_dataloader.dataset'


def training_on(dataset=ONE, scope='mmdet', **loader):
    return Config({'default_scope': scope, 'train_dataloader': {'dataset': dataset, **loader}})


def test_classes_that_do_not_occur_are_named_in_a_sample_that_is_said_to_be_one():
    found = {PATH: Findings(occurs={'cat': 3, 'dog': 0, 'cow': 0})}
    (warning,) = check_classes_occur(training_on(), found)
    assert warning == (
        "train_dataloader: no usable box of the classes 'dog', 'cow'; the model cannot learn them"
    )
    found = {PATH: Findings(occurs={'sky': 3, 'sea': 0, 'sun': 2}, sampled='200 of 900 masks')}
    (warning,) = check_classes_occur(training_on(scope='mmseg'), found)
    assert "no pixel of the classes 'sea' in 200 of 900 masks (vitbackbones check reads" in warning


@pytest.mark.parametrize(('scope', 'unit'), [('mmseg', 'pixel'), ('mmpretrain', 'image')])
def test_a_single_class_is_refused(scope, unit):
    found = {PATH: Findings(occurs={'sky': 0, 'sea': 9, 'sun': 0})}
    with pytest.raises(
        InputError, match=f"every {unit} .* class 'sea', and there is no {unit} of 'sky'"
    ):
        check_classes_occur(training_on(scope=scope), found)
    assert check_classes_occur(training_on(), found)  # boxes have a background
    found[PATH].sampled = '200 of 900 masks'
    assert check_classes_occur(training_on(scope=scope), found)


def batches(samples=10, dataset=ONE, **loader):
    config = training_on(dataset, **{'batch_size': 11, 'drop_last': True, **loader})
    inner = PATH if dataset is ONE else f'{PATH}.dataset'
    check_batches(config, {inner: Findings(samples=samples)}, ('train',))


def test_images_are_shared_among_processes(monkeypatch):
    batches(batch_size=5)
    monkeypatch.setenv('WORLD_SIZE', '3')
    batches(batch_size=4)
    with pytest.raises(InputError, match='there are only 10 images for 3 processes'):
        batches(batch_size=5)


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


def test_more_classes_than_the_head_has():
    config = training_on(scope='mmpretrain')
    found = {PATH: Findings(occurs={'a': 1, 'b': 1, 'c': 1})}
    check_labels(config, found)
    config.model = {'head': {'num_classes': 3}}
    check_labels(config, found)
    config.model = {'head': {'num_classes': 2}}
    with pytest.raises(InputError, match=f'{PATH}: has 3 classes, but model.head.num_classes is 2'):
        check_labels(config, found)


@pytest.mark.parametrize('linked', [False, True])
def test_pictures_for_training_and_for_measuring_are_counted(tmp_path, linked):
    for folder in ('a', 'b'):
        (tmp_path / folder).mkdir()
    for i in range(4):
        (tmp_path / f'a/{i}.jpg').touch()
        (tmp_path / f'b/{i}.jpg').symlink_to(tmp_path / f'a/{i}.jpg')
    files = [str(tmp_path / f'a/{i}.jpg') for i in range(4)]
    other = [file.replace('/a/', '/b/') if linked else file for file in files[2:]]
    train, val = Findings(files=files[:3]), Findings(files=other)
    found = {'train_dataloader.dataset': train, 'val_dataloader.dataset': val}
    (text,) = check_apart(found | {'test_dataloader.dataset': val})
    assert text.startswith("val_dataloader.dataset: 1 of its 2 images ('2.jpg') are also in train_")
    assert check_apart(found | {'train_dataloader.dataset': Findings(files=files[:2])}) == []
