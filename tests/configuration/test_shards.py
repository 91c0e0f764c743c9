"""A config for class folders reads shards where a folder holds those."""

import pytest
from mmengine.config import Config

from tests.datasets.shard_files import with_index
from vitbackbones.configuration.data import locate_data
from vitbackbones.errors import InputError


def make_config(kind='ImageNet', **changes):
    loaders = {}
    for split in ('train', 'val'):
        dataset = {'type': kind, 'data_root': 'data/imagenet/', 'data_prefix': split, **changes}
        loaders[f'{split}_dataloader'] = {'dataset': {**dataset, 'pipeline': []}}
    return Config(loaders | {'test_dataloader': loaders['val_dataloader']})


def located(root, *arguments, **changes):
    config = locate_data(make_config(*arguments, **changes), str(root), ('train', 'val'))
    return config.train_dataloader.dataset, config.val_dataloader.dataset


def test_shards_take_the_place_of_folders(tmp_path, capsys):
    for split in ('train', 'val'):
        with_index(tmp_path, split)
    train, val = located(tmp_path, split='train')
    shards = {'type': 'vitbackbones.ImageNetShards', 'data_root': str(tmp_path), 'pipeline': []}
    assert train == shards | {'shards': 'train'}
    assert val == shards | {'shards': 'val'}
    said = [f'{tmp_path}/{split}.index.json: shards are read' for split in ('train', 'val')]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(' in place')[0] for line in lines] == said  # test and val are the same


def test_folders_that_are_there_stay(tmp_path):
    for split in ('train', 'val'):
        with_index(tmp_path, split)
        (tmp_path / split).mkdir()
    assert {dataset.type for dataset in located(tmp_path)} == {'ImageNet'}


def test_one_split_in_shards(tmp_path):
    with_index(tmp_path)
    (tmp_path / 'val').mkdir()
    train, val = located(tmp_path, 'mmpretrain.CustomDataset')
    assert (train.type, val.type) == ('vitbackbones.ImageNetShards', 'mmpretrain.CustomDataset')


def test_other_data_sets_stay(tmp_path):
    for split in ('train', 'val'):
        with_index(tmp_path, split)
        (tmp_path / split).mkdir()
    assert {dataset.type for dataset in located(tmp_path, 'CIFAR10')} == {'CIFAR10'}


def test_shards_without_an_index_get_the_command_that_writes_one(tmp_path):
    with_index(tmp_path).joinpath('train.index.json').unlink()
    with pytest.raises(InputError) as caught:
        located(tmp_path)
    assert str(caught.value) == (
        f'{tmp_path}/train*.tar: these shards have no index, and there are no class folders. Write '
        f"it with vitbackbones shards '{tmp_path}/train*.tar'."
    )
    with pytest.raises(InputError, match='the data_prefix of train_dataloader.dataset is not the'):
        located(tmp_path, 'CIFAR10')
