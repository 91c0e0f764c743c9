"""Data sets in shards, looked at before a run and by tools/check_dataset.py."""

import json

import pytest

from vitbackbones.datasets.checks.shards import check_dataset, check_same_classes, shard_checks
from vitbackbones.datasets.shards_index import index_file
from vitbackbones.errors import InputError

from ..shard_files import CLASSES, GOOD, with_index, write_tar


def settings(root, **changes):
    return {'type': 'vitbackbones.ImageNetShards', 'data_root': str(root), **changes}


def test_good_shards(tmp_path):
    with_index(tmp_path)
    with_index(tmp_path, 'val')
    both = [settings(tmp_path), settings(tmp_path, shards='val')]
    findings = check_dataset(both[0])
    assert (findings.samples, findings.occurs) == (2, {'cat': 1, 'dog': 1})
    check_same_classes(both)
    named = check_dataset(settings(tmp_path, metainfo={'classes': ['a', 'b']}))
    assert named.occurs == {'a': 1, 'b': 1}


def test_a_shard_that_is_cut_short_or_missing(tmp_path):
    path = with_index(tmp_path) / 'train-000000.tar'
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(InputError, match=f'shard {path}: cut short, 3000 bytes in place of'):
        check_dataset(settings(tmp_path))
    path.unlink()
    with pytest.raises(InputError, match=f'shard {path}: No such file'):
        check_dataset(settings(tmp_path))


def test_names_of_the_config_must_be_as_many(tmp_path):
    with pytest.raises(InputError, match='has 2 classes, but metainfo.classes names 1'):
        check_dataset(settings(with_index(tmp_path), metainfo={'classes': ['a']}))


def test_splits_with_other_classes(tmp_path):
    with_index(tmp_path)
    with_index(tmp_path, 'val', classes=['cat', 'cow', 'dog'])
    both = [settings(tmp_path), settings(tmp_path, shards='val')]
    with pytest.raises(InputError, match=r"val\.index\.json: the classes differ \('cow'\)"):
        check_same_classes(both)


def test_the_long_check_compares_shards_with_the_index(tmp_path):
    with_index(tmp_path)
    path = tmp_path / 'train-000000.tar'
    ((name, look),) = shard_checks(settings(tmp_path)).items()
    assert (name, look().fault) == (str(path), '')
    write_tar(path, [*GOOD[:3], ('dog/2.cls', b'0')])  # another label
    fault = look().fault
    assert fault.startswith(f'shard {path}: {index_file(tmp_path, "train")} does not fit it.')
    assert f"vitbackbones shards '{tmp_path}/train*.tar'" in fault
    write_tar(path, GOOD[:3])
    assert "'dog/2' is a picture without a label" in look().fault


def test_other_data_sets_are_left_alone(tmp_path):
    assert shard_checks({'type': 'CustomDataset', 'data_root': str(tmp_path)}) == {}
    check_same_classes([{'type': 'CustomDataset', 'data_root': str(tmp_path)}])


def test_a_label_beyond_the_classes(tmp_path):
    file = index_file(with_index(tmp_path), 'train')
    content = json.loads(file.read_text()) | {'classes': CLASSES[:1]}
    file.write_text(json.dumps(content))
    with pytest.raises(InputError, match="the label 1 of 'dog/2.JPG' in train-000000.tar has no"):
        check_dataset(settings(tmp_path))
