"""All data sets of a config are looked into, each by the check of its task."""

import json

import pytest

from vitbackbones.config.data import prepare_data
from vitbackbones.errors import InputError
from vitbackbones.preflight.data_checks import check_data

from ..training.shapes_configs import dataset, make_config, make_mask_config


def spoil(path):
    content = json.loads(path.read_text())
    content['annotations'][0]['bbox'] = [1, 1, 0, 0]
    path.write_text(json.dumps(content))


def test_annotations_are_looked_into(annotations):
    path = annotations / 'instances_train.json'
    config = make_config()
    prepare_data(config, None, ('train', 'val'))
    assert check_data(config, ('train', 'val')) == []
    spoil(path)
    (warning,) = check_data(config, ('train', 'val'))
    assert str(path) in warning


@pytest.mark.parametrize(
    'wrap',
    [
        lambda inner: {'type': 'RepeatDataset', 'times': 3, 'dataset': inner},
        lambda inner: {'type': 'ConcatDataset', 'datasets': [inner]},
        lambda inner: {'type': 'RepeatDataset', 'dataset': {'type': 'X', 'datasets': [inner]}},
    ],
)
def test_wrappers_are_looked_into(annotations, wrap):
    spoil(annotations / 'instances_train.json')
    config = make_config(wrap(dataset('train')))
    prepare_data(config, None, ('train',))
    (warning,) = check_data(config, ('train',))
    assert 'left out in training: 1' in warning


def test_data_to_evaluate_on_are_known_by_their_loader(annotations):
    path = annotations / 'instances_val.json'
    path.write_text(path.read_text().replace('"iscrowd": 0', '"iscrowd": null'))
    config = make_config(val=dataset('val'))
    prepare_data(config, None, ('train', 'val'))
    with pytest.raises(InputError, match="have no 'iscrowd' of 0 or 1"):
        check_data(config, ('train', 'val'))


def test_classes_are_looked_for(annotations):
    path = annotations / 'instances_train.json'
    content = json.loads(path.read_text())
    first = content['categories'][0]
    kept = [each for each in content['annotations'] if each['category_id'] != first['id']]
    path.write_text(json.dumps({**content, 'annotations': kept}))
    config = make_config()
    prepare_data(config, None, ('train',))
    warnings = check_data(config, ('train',))
    assert f"no usable box of the classes '{first['name']}'" in warnings[-1]


def test_batches_are_compared_with_the_data(annotations):
    config = make_config()
    config.train_dataloader.update(batch_size=7, drop_last=True)
    prepare_data(config, None, ('train',))
    with pytest.raises(InputError, match='but there are 6 images: no batch is left'):
        check_data(config, ('train',))


def test_masks_are_looked_into(annotations):
    config = make_mask_config()
    prepare_data(config, None, ('train',))
    assert check_data(config, ('train',)) == []
    path = annotations / 'train' / '000001.png'
    path.write_bytes(b'')
    with pytest.raises(InputError, match=str(path)):
        check_data(config, ('train',))


def test_unusable_annotations_stop(annotations, monkeypatch):
    (annotations / 'instances_train.json').write_text('{')
    config = make_config()
    prepare_data(config, None, ('train',))
    with pytest.raises(InputError, match=r'instances_train\.json'):
        check_data(config, ('train',))
    monkeypatch.setenv('LOCAL_RANK', '1')  # the first process of the machine has looked
    assert check_data(config, ('train',)) == []
