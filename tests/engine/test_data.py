"""Where data are looked for, and what is said when they are not there."""

import json
from pathlib import Path

import pytest
from mmengine.config import Config

from vitbackbones.datasets import shapes
from vitbackbones.engine.data import check_data, datasets, prepare_data
from vitbackbones.errors import InputError


def dataset(split, **changes):
    return {
        'type': 'CocoDataset',
        'data_root': 'data/',
        'ann_file': f'annotations/instances_{split}.json',
        'data_prefix': {'img': f'images/{split}/'},
        'metainfo': {'classes': shapes.KINDS},
        **changes,
    }


def make_config(train=None, val=None):
    evaluator = {'type': 'CocoMetric', 'ann_file': 'data/annotations/instances_val.json'}
    return Config(
        {
            'default_scope': 'mmdet',
            'train_dataloader': {'dataset': train or dataset('train')},
            'val_dataloader': {'dataset': val or dataset('val', test_mode=True)},
            'val_evaluator': evaluator,
            'test_evaluator': [evaluator],
        }
    )


@pytest.fixture
def written(tmp_path, monkeypatch):
    """The current directory, with the data in ``data``."""
    monkeypatch.chdir(tmp_path)
    shapes.write(tmp_path / 'data', train=2, val=2, size=32)
    return tmp_path


def test_roots_and_evaluators_become_absolute(written):
    config = make_config()
    prepare_data(config, None, ('train', 'val'))
    roots = [Path(part['data_root']) for _, part in datasets(config)]
    assert roots == [written / 'data'] * 2
    annotations = written / 'data' / 'annotations' / 'instances_val.json'
    assert Path(config.val_evaluator.ann_file) == annotations
    assert Path(config.test_evaluator[0].ann_file) == annotations


def test_a_given_root_replaces_that_of_the_config(written, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp('elsewhere'))
    config = make_config()
    prepare_data(config, str(written / 'data'), ('train', 'val'))
    assert config.train_dataloader.dataset.data_root == str(written / 'data')
    assert config.val_evaluator.ann_file.startswith(str(written))


def test_wrapped_data_sets(written):
    wrapped = {'type': 'RepeatDataset', 'times': 2, 'dataset': dataset('train')}
    joined = {'type': 'ConcatDataset', 'datasets': [dataset('val'), dataset('train')]}
    config = make_config(wrapped, joined)
    prepare_data(config, None, ('train', 'val'))
    paths = {path: Path(part['data_root']) for path, part in datasets(config)}
    assert paths == {
        'train_dataloader.dataset.dataset': written / 'data',
        'val_dataloader.dataset.0': written / 'data',
        'val_dataloader.dataset.1': written / 'data',
    }


def test_a_missing_file_is_named_with_both_places_and_the_ways_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        prepare_data(make_config(), None, ('train',))
    text = str(error.value)
    assert text.startswith('data/annotations/instances_train.json: the ann_file of train_data')
    assert f'looked for {tmp_path}/data/annotations/instances_train.json and ' in text
    assert '--data-root' in text
    assert '--smoke' in text


def test_missing_shapes_name_the_command_that_writes_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = make_config(dataset('train', data_root='data/shapes/'))
    command = 'Write the Shapes data with "python -m vitbackbones.datasets.shapes data/shapes"'
    with pytest.raises(InputError, match=command):
        prepare_data(config, None, ('train',))


def test_missing_images(written):
    config = make_config(dataset('train', data_prefix={'img': 'pictures/'}))
    with pytest.raises(InputError, match='data/pictures: the img of train_dataloader.dataset is'):
        prepare_data(config, None, ('train',))


def test_a_given_root_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match=r'none/annotations/instances_train\.json: the ann_file'):
        prepare_data(make_config(), str(tmp_path / 'none'), ('train',))


def test_one_root_for_several_folders_is_refused(written):
    config = make_config(val=dataset('val', data_root='other/'))
    with pytest.raises(InputError, match='--data-root: the data sets of this config lie in'):
        prepare_data(config, 'data', ('train',))


def test_a_given_root_that_no_data_set_has_a_place_for_is_refused(written):
    whole = {key: value for key, value in dataset('train').items() if key != 'data_root'}
    config = make_config(whole, whole)
    with pytest.raises(InputError, match='--data-root: no data set of this config has a data_root'):
        prepare_data(config, 'data', ('train',))


def test_splits_that_are_not_used_may_be_missing(written):
    prepare_data(make_config(val=dataset('none')), None, ('train',))


def test_annotations_are_looked_into(written):
    path = written / 'data' / 'annotations' / 'instances_train.json'
    content = json.loads(path.read_text())
    content['annotations'][0]['bbox'] = [1, 1, 0, 0]
    path.write_text(json.dumps(content))
    config = make_config()
    prepare_data(config, None, ('train', 'val'))
    warnings = check_data(config, ('train', 'val'))
    assert len(warnings) == 1
    assert str(path) in warnings[0]


def masks(**changes):
    return {
        'type': 'BaseSegDataset',
        'data_root': 'data/',
        'data_prefix': {'img_path': 'images/train', 'seg_map_path': 'annotations/train'},
        'metainfo': {'classes': (shapes.GROUND, *shapes.KINDS)},
        'reduce_zero_label': True,
        **changes,
    }


def make_mask_config(**changes):
    data = {'train_dataloader': {'dataset': masks(**changes)}}
    return Config({'default_scope': 'mmseg', **data})


def test_masks_are_looked_into(written):
    config = make_mask_config()
    prepare_data(config, None, ('train',))
    assert check_data(config, ('train',)) == []
    path = written / 'data' / 'annotations' / 'train' / '000001.png'
    path.write_bytes(b'')
    with pytest.raises(InputError, match=str(path)):
        check_data(config, ('train',))


def test_missing_masks(written):
    prefix = {'img_path': 'images/train', 'seg_map_path': 'masks'}
    with pytest.raises(InputError, match='data/masks: the seg_map_path of train_dataloader.datas'):
        prepare_data(make_mask_config(data_prefix=prefix), None, ('train',))


def test_unusable_annotations_stop(written, monkeypatch):
    (written / 'data' / 'annotations' / 'instances_train.json').write_text('{')
    config = make_config()
    prepare_data(config, None, ('train',))
    with pytest.raises(InputError, match=r'instances_train\.json'):
        check_data(config, ('train',))
    monkeypatch.setenv('LOCAL_RANK', '1')  # the first process of the machine has looked
    assert check_data(config, ('train',)) == []
