"""Other forms of annotations, from the import to training, as a user goes."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vitbackbones.commands.data import import_dataset
from vitbackbones.commands.data.import_dataset import RECORD, SHOWN

from ...importing.forms import picture, voc, voc_object, yolo
from ..conftest import TINY


@pytest.fixture
def pets(tmp_path):
    """Ten pictures with a cat on each, in Pascal VOC's form."""
    root = tmp_path / 'pets'
    for i in range(10):
        picture(root / f'{i}.png', (64, 48))
        voc(root / f'{i}.xml', voc_object('cat', 11, 6, 40, 30), size=(64, 48))
    return root


def content(out, name='instances'):
    return json.loads((out / 'annotations' / f'{name}.json').read_text())


def listed(root):
    return sorted(str(path.relative_to(root)) for path in root.rglob('*') if not path.is_dir())


@pytest.mark.threads
def test_voc_files_train_a_detector_without_a_config_for_them(command, pets, tmp_path):
    before = listed(pets)
    result = command('import', 'voc', 'pets', 'out')
    assert '1 class: cat; 10 objects on 10 images, 0 of them without objects' in result.out
    assert f'quick_detector --data-root {tmp_path}/out' in result.out
    (box,) = {tuple(entry['bbox']) for entry in content(tmp_path / 'out')['annotations']}
    assert box == (10, 5, 30, 25)
    result = command('check', TINY, '--data-root', 'out', '--workers', 1)
    assert '10 files, all readable' in result.out
    short = ('--cfg-options', 'train_cfg.max_epochs=1', 'train_cfg.val_interval=1')
    result = command('train', TINY, '--data-root', 'out', '--scratch', *short)
    assert '1 class: cat; ' in result.out
    command('test', TINY, 'work_dirs/tiny_detr', '--data-root', 'out')
    # the config that the run left knows the classes, and so does the checkpoint
    own = ('--cfg-options', 'own_data=True')
    for config, options in (('work_dirs/tiny_detr/tiny_detr.py', ()), (TINY, own)):
        given = (pets / '0.png', '--out', 'found', '--overwrite', '--device', 'cpu', *options)
        command('predict', config, 'work_dirs/tiny_detr', *given)
        images = json.loads((tmp_path / 'found' / 'images.json').read_text())
        assert [entry['name'] for entry in images['categories']] == ['cat']
    assert listed(pets) == before


def test_splits_folders_and_copies(run, tmp_path):
    root = yolo(tmp_path / 'in', {'a': '0 0.5 0.5 0.5 0.5'})
    yolo(root, {'a': '1 0.5 0.5 0.25 0.5', 'b': ''}, split='val')
    (root / 'images' / 'train').rename(root / 'images' / 'more')
    (root / 'labels' / 'train').rename(root / 'labels' / 'more')
    (root / 'data.yaml').write_text('names: [cat, dog]\n')
    result = run('import', 'yolo', 'in', 'out', '--copy')
    assert 'images without a split, used for training: 1' in result.out
    out = tmp_path / 'out'
    assert [entry['file_name'] for entry in content(out, 'instances_val')['images']] == [
        'val/a.png',
        'val/b.png',
    ]
    assert [entry['id'] for entry in content(out, 'instances_train')['annotations']] == [1]
    assert not any(path.is_symlink() for path in out.rglob('*'))
    assert '2 objects on 3 images, 1 of them without objects; train 1, val 2, in' in result.out


def test_many_problems_of_one_kind_are_counted(tool, pets):
    for name in range(100, 130):
        picture(pets / f'{name}.png', (64, 48))
        (pets / f'{name}.xml').write_text('<html/>')
    picture(pets / 'other.png', (64, 48))
    (pets / 'other.xml').write_text('<annotation')
    lines = tool('import', 'voc', 'pets', 'out').out.splitlines()
    assert sum('.xml: its root is <html>' in line for line in lines) == SHOWN
    assert sum(line.startswith('20 more files with this problem: its root') for line in lines) == 1
    assert sum('other.xml: ' in line for line in lines) == 1
    result = tool('import', 'voc', 'pets', 'out', '--skip-faulty')
    assert len(json.loads(Path('out', RECORD).read_text())['faults']) == 31
    assert result.status == 0


def test_nothing_is_written_over_and_nothing_half_is_left(run, tool, pets, tmp_path):
    (tmp_path / 'other').mkdir()
    (tmp_path / 'other' / 'mine.txt').write_text('')
    for out, text in (('other', 'other files'), ('pets', 'neither in'), ('pets/x', 'neither')):
        result = tool('import', 'voc', 'pets', out, '--overwrite')
        assert (result.status, text in result.err) == (2, True)
    run('import', 'voc', 'pets', 'out')
    assert 'contains an import' in tool('import', 'voc', 'pets', 'out').err
    before = listed(tmp_path / 'out')
    (pets / '0.xml').write_text('<html/>')
    result = tool('import', 'voc', 'pets', 'out', '--overwrite')
    assert (result.status, '0.xml: its root is <html>' in result.out) == (2, True)
    assert 'error: 1 problem, see above; no file was written' in result.err
    assert listed(tmp_path / 'out') == before
    result = run('import', 'voc', 'pets', 'out', '--overwrite', '--skip-faulty')
    assert len(content(tmp_path / 'out')['images']) == 9
    (tmp_path / 'link').symlink_to('out')
    run('import', 'voc', 'pets', 'link', '--overwrite', '--skip-faulty')
    (tmp_path / 'out' / 'work_dirs').mkdir()
    result = tool('import', 'voc', 'pets', 'out', '--overwrite')
    assert (result.status, "contains 'work_dirs' in addition to an import" in result.err) == (
        2,
        True,
    )
    assert sorted(os.listdir(tmp_path)) == ['link', 'other', 'out', 'pets']


@pytest.mark.parametrize('form', ['voc', 'cvat', 'labelme'])
def test_another_form_is_refused_with_the_files_that_are_there(tool, tmp_path, form):
    yolo(tmp_path / 'in', {'a': '0 0.5 0.5 0.5 0.5', 'b': ''})
    result = tool('import', form, 'in', 'out')
    assert result.status == 2
    assert 'there is no usable object in 0 images. The folder has 0 .xml files' in result.err
    assert '2 .txt files (yolo)' in result.err
    assert 'left out: 2 (' in result.out  # the reason


def test_a_data_set_goes_by_its_yaml_file(run, tool, tmp_path):
    yolo(tmp_path / 'in', {'a': '0 0.5 0.5 0.5 0.5'})
    result = run('import', 'yolo', 'in/data.yaml', 'out')
    assert '2 classes: cat, dog; 1 object on 1 image' in result.out
    result = run('convert', 'in/data.yaml', 'there', '--from', 'yolo', '--to', 'voc')
    assert '1 object on 1 image' in result.out
    (tmp_path / 'in.zip').write_bytes(b'PK')
    for form, file in (('voc', 'in/data.yaml'), ('yolo', 'in.zip')):
        result = tool('import', form, file, 'other')
        assert (result.status, f'{file}: is a file; give a folder' in result.err) == (2, True)
    result = tool('import', 'yolo', 'elsewhere', 'other')
    assert (result.status, 'elsewhere: no such folder' in result.err) == (2, True)


def test_names_of_classes_are_given_in_their_order(run, tool, tmp_path):
    root = yolo(tmp_path / 'in', {'a': '1 0.5 0.5 0.5 0.5'})
    result = run('import', 'yolo', 'in', 'out', '--names', 'bird', 'fish')
    assert '2 classes: bird, fish; 1 object' in result.out
    (root / 'data.yaml').unlink()
    result = run('import', 'yolo', 'in', 'numbers')
    assert '1 class: 1; 1 object' in result.out
    assert 'their numbers are used as names (to set names: --names cat dog): 1 (' in result.out
    assert 'class names look like numbers, coordinates or dates' in result.err
    for form, names in (('voc', ('a', 'b')), ('yolo', ('a', 'a'))):
        result = tool('import', form, 'in', 'other', '--names', *names)
        assert (result.status, '--names is only for yolo' in result.err) == (2, True)


@pytest.mark.parametrize('form', ['yolo', 'voc'])
def test_an_import_and_its_pictures_may_be_moved_together(run, tmp_path, form):
    (tmp_path / 'work').mkdir()
    yolo(tmp_path / 'work' / 'in', {'a': '0 0.5 0.5 0.5 0.5'})
    run('import', 'yolo', 'work/in', 'work/out')
    run('convert', 'work/out', 'work/deep/er', '--to', form)
    (tmp_path / 'work').rename(tmp_path / 'moved')
    for out in ('out', 'deep/er'):
        (link,) = (tmp_path / 'moved' / out).rglob('*.png')
        assert link.is_symlink()
        assert link.resolve() == tmp_path / 'moved/in/images/train/a.png'


def test_what_is_odd_is_said_and_all_of_it_is_in_a_file(tool, pets, tmp_path):
    voc(pets / '1.xml', voc_object('Cat', 11, 6, 40, 30), size=(64, 48))
    for name in '5678':
        (pets / f'{name}.xml').unlink()
    (pets / '9.xml').write_text('<html/>')
    result = tool('import', 'voc', 'pets', 'my out')
    assert '9.xml: its root is <html>' in result.out
    assert 'usable XML file, left out: 5 (' in result.out  # also where nothing is written
    result = tool('import', 'voc', 'pets', 'my out', '--skip-faulty')
    assert f"quick_detector --data-root '{tmp_path}/my out'" in result.out
    assert "classes with different names look alike: 'Cat' and 'cat'" in result.err
    assert 'usable XML file, left out: 5 (' in result.out
    record = json.loads((tmp_path / 'my out' / 'import.json').read_text())
    (left_out,) = record['changes'].values()
    assert left_out == [str(pets / f'{name}.png') for name in '56789']
    assert '9.xml' in record['faults'][0]


def test_an_import_follows_no_link_out_of_the_folder(tool, pets, tmp_path):
    (pets / '9.png').rename(tmp_path / '9.png')
    (pets / '9.png').symlink_to(tmp_path / '9.png')
    result = tool('import', 'voc', 'pets', 'out')
    assert result.status == 2
    assert '9.png: is a link to' in result.err


def test_what_training_would_refuse_is_said_by_the_import(run, tmp_path):
    root = yolo(tmp_path / 'in', {str(i): '0 0.5 0.5 0.5 0.5' for i in range(5)})
    yolo(root, {'a': '', 'b': ''}, split='val')
    result = run('import', 'yolo', 'in', 'out')
    assert 'next:' not in result.out
    assert 'not yet ready for training: ' in result.out
    assert 'no image for val has an object that counts' in result.out
    run('convert', 'out', 'voc', '--to', 'voc')  # which needs no objects for validation


def test_coco_needs_no_import(run, capsys):
    with pytest.raises(SystemExit):
        run('import', 'coco', 'in', 'out')
    assert 'COCO format requires no import; give its folder to check' in capsys.readouterr().err


@pytest.mark.parametrize(
    ('form', 'reader', 'arguments'),
    [('masks', 'import_masks', []), ('corrections', 'import_corrections', ['faults.json'])],
)
def test_what_went_in_is_said(run, tmp_path, monkeypatch, form, reader, arguments):
    picture(tmp_path / 'pets' / '0.png')
    (tmp_path / 'faults.json').write_text('{}')

    def fill(source, *given):
        (out,) = (each for each in given if hasattr(each, 'name') and each.name != 'faults.json')
        (out / 'images').mkdir()
        return f'{len(source.pictures)} image of {form}'

    monkeypatch.setattr(import_dataset, reader, fill)
    result = run('import', form, *arguments, 'pets', 'out')
    assert f'1 image of {form}' in result.out
    assert 'quick_segmentor --data-root' in result.out


def test_masks_of_objects_are_for_the_model_with_masks(run, tmp_path):
    picture(tmp_path / 'in' / 'images' / 'a.jpg')
    ids = np.zeros((30, 40), np.uint8)
    ids[5:15, 5:15] = 7
    (tmp_path / 'in' / 'masks').mkdir()
    Image.fromarray(ids).save(tmp_path / 'in' / 'masks' / 'a.png')
    result = run('import', 'masks', '--instances', 'in', 'out', '--names', 'cell')
    assert '1 class: cell; 1 object on 1 image' in result.out
    (ann,) = content(tmp_path / 'out')['annotations']
    assert (ann['bbox'], ann['area'], ann['category_id']) == ([5, 5, 10, 10], 100, 1)


@pytest.mark.parametrize(('polygons', 'model'), [(2, 'quick_instance'), (1, 'quick_detector')])
def test_what_is_next_follows_from_the_masks(run, tmp_path, polygons, model):
    """A polygon and a box in one folder, as YOLO tools write, have no mask for each object."""
    lines = ['0 .1 .1 .5 .1 .5 .5 .1 .5', '0 .7 .7 .2 .2', '0 .5 .6 .9 .6 .9 .9']
    for name in ('train/a', 'val/b'):
        picture(tmp_path / 'in' / 'images' / f'{name}.png')
        file = tmp_path / 'in' / 'labels' / f'{name}.txt'
        file.parent.mkdir(parents=True)
        file.write_text('\n'.join(lines if polygons == 1 else lines[::2]))
    result = run('import', 'yolo', 'in', 'out')
    assert f' train {model} --data-root' in result.out


def test_instances_are_only_of_masks(tool, pets):
    result = tool('import', 'voc', 'pets', 'out', '--instances')
    assert (result.status, '--instances is only for masks' in result.err) == (2, True)
