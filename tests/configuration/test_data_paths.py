"""Where data are looked for, and what is said when they are not there."""

from pathlib import Path

import pytest
from mmengine.config import Config

from vitbackbones.configuration.data_paths import (
    _moved,
    datasets,
    evaluators,
    first_dataset,
    layout_found,
    locate_data,
    require_folder,
    use_files,
)
from vitbackbones.data import shapes
from vitbackbones.errors import InputError

from ..data.shard_files import with_index
from ..shapes_configs import dataset, make_config, make_mask_config


@pytest.fixture
def written(tmp_path, monkeypatch):
    """The current directory, with the data in ``data``."""
    monkeypatch.chdir(tmp_path)
    shapes.write(tmp_path / 'data', train=2, val=2, size=32)
    return tmp_path


def test_roots_and_evaluators_become_absolute(written):
    before = make_config()
    config = locate_data(before, None, ('train', 'val'))
    assert before.train_dataloader.dataset.data_root == 'data/'  # a copy is changed
    roots = [Path(part['data_root']) for _, part in datasets(config)]
    assert roots == [written / 'data'] * 2
    annotations = written / 'data' / 'annotations' / 'instances_val.json'
    assert Path(config.val_evaluator.ann_file) == annotations
    assert Path(config.test_evaluator[0].ann_file) == annotations


def test_a_given_root_replaces_that_of_the_config(written, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp('elsewhere'))
    config = locate_data(make_config(), str(written / 'data'), ('train', 'val'))
    assert config.train_dataloader.dataset.data_root == str(written / 'data')
    assert config.val_evaluator.ann_file.startswith(str(written))
    locate_data(make_config(val=dataset('none')), str(written / 'data'), ('train',))


def test_a_missing_file_is_named_with_both_places_and_the_ways_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        locate_data(make_config(), None, ('train',))
    text = str(error.value)
    assert text.startswith('data/annotations/instances_train.json: the ann_file of train_data')
    assert f'looked for {tmp_path}/data/annotations/instances_train.json and ' in text
    assert '--data-root' in text
    assert '--smoke' in text


def test_missing_shapes_name_the_command_that_writes_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = make_config(dataset('train', data_root='data/shapes/'))
    command = 'Write the Shapes data with "python -m vitbackbones.data.shapes data/shapes"'
    with pytest.raises(InputError, match=command):
        locate_data(config, None, ('train',))
    config = make_config(dataset('train', data_root='data/shapes_folders/'))
    with pytest.raises(InputError, match='data/shapes_folders --layout folders --size 64"'):
        locate_data(config, None, ('train',))


WHOLE = {key: value for key, value in dataset('train').items() if key != 'data_root'}
MASKS = {'img_path': 'images/train', 'seg_map_path': 'masks'}


@pytest.mark.parametrize(
    ('config', 'root', 'message'),
    [
        (make_config(dataset('train', data_prefix={'img': 'a/'})), None, 'data/a: the img of tra'),
        (make_mask_config(data_prefix=MASKS), None, 'data/masks: the seg_map_path of train_datalo'),
        (make_config(), 'none', '^--data-root none: no such folder$'),
        (make_config(), 'dataa', "^--data-root dataa: no such folder; did you mean 'data'\\?$"),
        (make_config(val=dataset('val', data_root='other/')), 'data', 'the datasets of this'),
        (make_config(WHOLE, WHOLE), 'data', '--data-root: no dataset of this config has a data_'),
    ],
)
def test_what_is_missing_is_named(written, config, root, message):
    with pytest.raises(InputError, match=message):
        locate_data(config, root, ('train',))


def test_a_data_set_with_other_files_is_read_as_before():
    given = {'type': 'A', 'data_root': 'a/', 'img_suffix': '.tif', 'indices': 8, 'test_mode': True}
    given['pipeline'] = ['load']
    use_files(given, {'type': 'B', 'data_root': 'b/'})
    assert given == {'type': 'B', 'data_root': 'b/', 'test_mode': True, 'pipeline': ['load']}


def classification(kind='ImageNet', **changes):
    loaders = {}
    for split in ('train', 'val'):
        dataset = {'type': kind, 'data_root': 'data/imagenet/', 'data_prefix': split, **changes}
        loaders[f'{split}_dataloader'] = {'dataset': {**dataset, 'pipeline': []}}
    return Config(loaders | {'test_dataloader': loaders['val_dataloader']})


def located(root, *arguments, **changes):
    config = locate_data(classification(*arguments, **changes), str(root), ('train', 'val'))
    return config.train_dataloader.dataset, config.val_dataloader.dataset


def test_shards_take_the_place_of_folders(tmp_path, capsys):
    for split in ('train', 'val'):
        with_index(tmp_path, split)
    train, val = located(tmp_path, split='train')
    shards = {'type': 'vitbackbones.ImageNetShards', 'data_root': str(tmp_path), 'pipeline': []}
    assert train == shards | {'shards': 'train'}
    assert val == shards | {'shards': 'val'}
    said = [f'{tmp_path}/{split}.index.json: using shards' for split in ('train', 'val')]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(' instead')[0] for line in lines] == said  # test and val are the same


@pytest.mark.parametrize('kind', ['ImageNet', 'CIFAR10'])
def test_folders_that_are_there_stay(tmp_path, kind):
    for split in ('train', 'val'):
        with_index(tmp_path, split)
        (tmp_path / split).mkdir()
    assert {dataset.type for dataset in located(tmp_path, kind)} == {kind}


@pytest.mark.parametrize(
    ('value', 'moved'),
    [
        ('data/set', '/new'),
        ('data/set/', '/new'),
        ('data/set/a.json', '/new/a.json'),
        ('data/settings', 'data/settings'),
        ('other', 'other'),
        (['data/set/a', ('data/set', 3)], ['/new/a', ['/new', 3]]),
        ({'a': {'b': 'data/set/x'}, 'c': None}, {'a': {'b': '/new/x'}, 'c': None}),
    ],
)
def test_paths_below_a_folder_are_moved(value, moved):
    assert _moved(value, 'data/set', Path('/new')) == moved
    assert _moved('data/set/a', 'data/set/', Path('/new')) == '/new/a'


def test_metrics_and_data_sets_of_a_split():
    one, other = {'type': 'A'}, {'type': 'B'}
    inner = {'type': 'ConcatDataset', 'datasets': [{'type': 'C'}, {'type': 'D'}]}
    config = Config(
        {
            'val_evaluator': one,
            'test_evaluator': [one, other],
            'train_dataloader': {'dataset': inner},
        }
    )
    assert [key for key, _ in evaluators(config)] == [
        *('val_evaluator', 'test_evaluator.0', 'test_evaluator.1'),
    ]
    config.val_evaluator = {'type': 'Evaluator', 'metrics': [other]}
    assert [*evaluators(config, ('val',))] == [('val_evaluator.metrics.0', other)]
    assert [*evaluators(Config({}))] == []
    assert first_dataset(config, 'train') == {'type': 'C'}


def test_a_file_is_no_folder_of_data(tmp_path):
    file = tmp_path / 'annotations' / 'a.json'
    file.parent.mkdir()
    file.touch()
    for given in (None, '', str(tmp_path), 's3://bucket/x'):
        require_folder(given)
    with pytest.raises(InputError, match='no such folder'):
        require_folder(str(tmp_path / 'nowhere'))
    with pytest.raises(InputError, match=f'{tmp_path}$'):
        require_folder(str(file))
    (tmp_path / 'b.json').touch()
    with pytest.raises(InputError, match=f'{tmp_path}$'):
        require_folder(str(tmp_path / 'b.json'))


def test_which_files_of_a_config_a_folder_has(tmp_path):
    (tmp_path / 'a.json').touch()
    dataset = {'type': 'CocoDataset', 'ann_file': 'a.json', 'data_prefix': {'img': 'images/'}}
    config = Config({'train_dataloader': {'dataset': dataset}})
    assert layout_found(config, tmp_path) == [True, False]
    config.train_dataloader.dataset = {'type': 'X'}  # its files have fixed names
    assert layout_found(config, tmp_path) == [True]
    assert layout_found(config, tmp_path / 'nowhere') == [False]
