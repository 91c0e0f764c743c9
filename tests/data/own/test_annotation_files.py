"""Which of several annotation files is read, and what is said of the others."""

import pytest

from vitbackbones.data.own.annotation_files import find_files
from vitbackbones.errors import InputError

from .folders import coco, write

ONE, TWO = coco(['0.jpg', '1.jpg']), coco(['2.jpg', '3.jpg'])


def found(root, named=()):
    files = find_files(root, named)
    return {split: file.relative_to(root).as_posix() for split, (file, _) in files.items()}


@pytest.mark.parametrize(
    ('files', 'said'),
    [
        ({'train/a.json': TWO, 'runs/train/predictions.json': ONE}, ''),
        ({'train/a.json': TWO, 'work_dirs/x/own_data/y/train.json': ONE}, ''),
        ({'train/a.json': TWO, 'train/predictions.json': '[{"image_id": 1}]'}, ''),
        ({'train/a.json': TWO, 'train/.ipynb_checkpoints/a.json': ONE}, ''),
        ({'train/a.json': TWO, 'train/a (1).json': ONE}, 'not from train/a (1).json'),
        ({'train/a.json': TWO, 'train/a - Copy.json': ONE}, 'not from train/a - Copy.json'),
        ({'train/a.json': TWO, 'backup/train/a.json': ONE}, 'not from backup/train/a.json'),
        ({'train/a.json': TWO, 'train/a_old.json': ONE}, 'not from train/a_old.json'),
        ({'train/a.json': TWO, 'train/b.json': TWO}, 'not from train/b.json'),  # equal
        ({'train/a.json': TWO, 'train/b.json': TWO | {'info': {'year': 1}}}, 'train/b.json'),
        ({'train/a.json': TWO, 'train/b.json': TWO | {'annotations': []}}, 'train/b.json'),
        ({'train/a.json': TWO, 'train/b.json': TWO | {'annotations': [None, 1.5]}}, 'train/b.json'),
        ({'train/a.json': TWO, 'train/b.json': coco(['2.jpg'], score=0.5)}, 'train/b.json'),
        ({'train/a.json': TWO, 'train/b.json': '{"images'}, 'malformed JSON'),
        ({'train/a.json': TWO, 'all.json': ONE}, 'all.json was not read'),
    ],
)
def test_what_work_has_left_is_not_taken_for_annotations(tmp_path, capsys, files, said):
    assert found(write(tmp_path, files)) == {'train': 'train/a.json'}
    text = capsys.readouterr().err
    assert said in text
    assert bool(text) == bool(said)


def test_a_copy_alone_is_read(tmp_path):
    write(tmp_path, {'train/_annotations.coco (1).json': ONE, 'valid/old.json': TWO})
    assert found(tmp_path) == {'train': 'train/_annotations.coco (1).json', 'val': 'valid/old.json'}


def test_a_split_of_predictions_alone_leaves_the_file_without_split(tmp_path):
    write(tmp_path, {'result.json': ONE, 'eval/train/found.json': '[]'})
    assert found(tmp_path) == {'train': 'result.json'}


EXPORTS = {'train/a.json': ONE, 'test/a.json': ONE, 'new/test.json': TWO, 'all.json': TWO}


@pytest.mark.parametrize(
    ('named', 'read'),
    [
        (['new/test.json'], {'train': 'train/a.json', 'test': 'new/test.json'}),
        (['*/a.json'], {'train': 'train/a.json', 'test': 'test/a.json'}),
        (['train/a.json', 'new/*'], {'train': 'train/a.json', 'test': 'new/test.json'}),
        (['all.json'], {'train': 'all.json'}),
    ],
)
def test_options_name_the_file_that_is_meant(tmp_path, named, read):
    assert found(write(tmp_path, EXPORTS), named) == read
    assert found(tmp_path, [str(tmp_path / read['train']), *named])['train'] == read['train']


def test_two_readings_are_refused_with_the_option(tmp_path):
    message = r'several annotation files for test: new/test\.json, test/a\.json\. .* --annotations'
    with pytest.raises(InputError, match=message):
        find_files(write(tmp_path, EXPORTS))
    with pytest.raises(InputError, match=r'--annotations b\.json: no such file .* all\.json'):
        find_files(tmp_path, ['b.json'])


def test_a_damaged_file_alone_is_refused(tmp_path):
    with pytest.raises(InputError, match='malformed JSON'):
        find_files(write(tmp_path, {'train.json': ONE, 'val.json': '{"images'}))


def test_a_damaged_file_beside_those_of_splits_is_skipped(tmp_path, capsys):
    """Such as the log of a run whose work dir is the folder."""
    parts = {'train.json': ONE, 'val.json': TWO}
    logs = {'20260101_000000/vis_data/scalars.json': '{}\n{}', 'notes.json': '{"a'}
    read = found(write(tmp_path, parts | logs))
    assert read == {'train': 'train.json', 'val': 'val.json'}
    said = capsys.readouterr().err
    assert 'notes.json: malformed JSON' in said
    assert 'scalars.json' not in said
