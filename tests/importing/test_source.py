"""The files of a data set of unknown origin."""

import json
import os

import pytest

from vitbackbones.errors import InputError
from vitbackbones.importing import labelme, source, xml_files, yolo
from vitbackbones.importing.source import Source

from .forms import picture, voc_object
from .forms import voc as write_voc


@pytest.fixture
def root(tmp_path):
    picture(tmp_path / 'in' / 'images' / '0.png')
    return tmp_path / 'in'


def test_all_files_that_are_not_hidden_are_found_at_any_depth(root):
    deep = picture(root / 'a' / 'b' / 'c' / 'd' / 'e' / 'f' / '1.JPG')
    picture(root / '.thumbs' / '2.png')
    picture(root / '.3.png')
    os.mkfifo(root / '4.png')
    assert Source(root).pictures == [deep, root / 'images' / '0.png']


def test_a_folder_without_pictures_is_refused(tmp_path):
    with pytest.raises(InputError, match='no images'):
        Source(tmp_path)


@pytest.mark.parametrize('target', ['../../outside', '../../outside/x.png'])
def test_links_out_of_the_folder_and_to_folders_are_refused(root, target):
    picture(root.parent / 'outside' / 'x.png')
    (root / 'images' / 'link').symlink_to(target)
    with pytest.raises(InputError, match='in/images/link: is a link to /.*Only links to files in'):
        Source(root)


@pytest.mark.parametrize(
    'name',
    [
        'node_modules/x/1.png',
        '__MACOSX/1.png',
        'my_env/lib/1.png',
        'runs/detect/train/val_batch0_pred.jpg',
        'runs/train/exp2/results.png',
        'first try/train_batch0.jpg',
    ],
)
def test_pictures_of_tools_and_of_their_runs_are_left_out_and_named(root, name):
    file = picture(root / name)
    if 'env' in name:
        (root / 'my_env' / 'pyvenv.cfg').write_text('')
    if 'try' in name:
        (file.parent / 'weights').mkdir()
        (file.parent / 'args.yaml').write_text('')
    source = Source(root)
    assert source.pictures == [root / 'images' / '0.png']
    ((what, (folder,)),) = source.changes.items()
    assert what == 'folders of tools and their runs, left out'
    assert file.is_relative_to(folder)


def test_folders_of_data_with_names_like_those_of_tools_are_read(root):
    files = [picture(root / name) for name in ('runs/3/1.png', 'weights/1.png', 'train/1.png')]
    assert {*files} < {*Source(root).pictures}


def test_pictures_of_a_form_that_is_not_read_are_named(root):
    (root / '1.CR3').write_bytes(b'x')
    assert Source(root).changes == {
        'images in unsupported formats, left out; convert them': [str(root / '1.CR3')]
    }
    (root / 'images' / '0.png').unlink()
    (root / 'data.yaml').write_text('path: /elsewhere')
    message = r'no images \(.jpg.*unsupported formats.*1\.CR3.*data\.yaml leads to images, give it'
    with pytest.raises(InputError, match=message):
        Source(root)


def test_pictures_of_phones_are_named_with_the_package_that_reads_them(root, monkeypatch):
    (root / '1.HEIC').write_bytes(b'x')
    monkeypatch.setattr(source, 'IMAGES', tuple({*source.IMAGES} - {*source.HEIC}))
    ((what, places),) = Source(root).changes.items()
    assert what.startswith('HEIC images, left out; install pillow-heif (pip install pillow-heif)')
    assert places == [str(root / '1.HEIC')]
    monkeypatch.undo()
    pytest.importorskip('pillow_heif')
    assert root / '1.HEIC' in Source(root).pictures


def test_an_object_that_a_reader_loses_stops_the_import(root):
    source = Source(root)
    with source.accounting('a.txt', 2):
        source.taken += 1
        source.leave_out('too thin', 'a.txt, line 2')
    message = r'a\.txt: has 3 objects, and 1 are accounted for'
    with pytest.raises(RuntimeError, match=message), source.accounting('a.txt', 3):
        source.taken += 1
    source.require_all(2)
    with pytest.raises(RuntimeError, match='2 objects went in, 1 are there'):
        source.require_all(1)


@pytest.mark.parametrize(
    ('reader', 'form'),
    [(yolo, 'yolo'), (xml_files, 'voc'), (labelme, 'labelme'), (xml_files, 'cvat')],
)
def test_every_reader_is_held_to_its_books(root, monkeypatch, reader, form):
    box = '<box label="a" xtl="1" ytl="1" xbr="9" ybr="9"/>'
    shape = {'label': 'a', 'shape_type': 'rectangle', 'points': [[1, 1], [9, 9]]}
    write_voc(root / '0.xml', voc_object('a', 1, 1, 9, 9))
    (root / 'cvat.xml').write_text(f'<annotations><image name="0.png">{box}</image></annotations>')
    (root / '0.json').write_text(json.dumps({'shapes': [shape]}))
    (root / '0.txt').write_text('0 0.5 0.5 0.2 0.2')
    read = getattr(reader, f'read_{form}')
    pictures, _ = read(Source(root))
    assert sum(len(picture.objects) for picture in pictures) == 1
    monkeypatch.setattr(reader, 'add_object', lambda *args: None)
    with pytest.raises(RuntimeError, match='has 1 objects, and 0 are accounted for'):
        read(Source(root))


def test_nothing_of_a_file_with_a_fault_counts(root):
    source = Source(root)
    with source.listing_faults(), source.accounting('a.txt', 3):
        source.taken += 1
        source.leave_out('too thin', 'a.txt, line 2')
        raise InputError('a.txt, line 3: odd')
    assert (source.taken, source.left_out, source.faults) == (0, 0, ['a.txt, line 3: odd'])
    assert source.changes == {'too thin': ['a.txt, line 2']}


def test_links_may_lead_out_of_a_folder_of_ones_own(root):
    outside = picture(root.parent / 'outside' / 'x.png')
    (root / 'images' / 'x.png').symlink_to(outside)
    assert root / 'images' / 'x.png' in Source(root, follow=True).pictures


def test_a_link_to_what_is_gone_is_named(root):
    (root / 'images' / 'link.png').symlink_to('nothing')
    with pytest.raises(InputError, match='nothing, which no longer exists. Remove it, or import'):
        Source(root)


def test_links_alone_whose_pictures_are_gone_are_named(tmp_path):
    (tmp_path / '0.png').symlink_to('moved.png')
    with pytest.raises(InputError, match=r'no images .* Links point to .*/moved\.png, which no'):
        Source(tmp_path, follow=True)
