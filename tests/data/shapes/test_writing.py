"""The drawn data set: reproducible, true annotations, and never half-written."""

import json
import sys

import cv2
import numpy as np
import pytest
from pycocotools import mask as coco_mask

from vitbackbones.data.loading.coco_masks import to_ids
from vitbackbones.data.shapes import writing
from vitbackbones.data.shapes.__main__ import main
from vitbackbones.data.shapes.writing import KINDS, draw_scene, write
from vitbackbones.errors import InputError


def annotations(root, split='train'):
    return json.loads((root / 'annotations' / f'instances_{split}.json').read_text())


def decoded(segmentation, size=128):
    """What pycocotools makes of the polygons of an object, or of its RLE."""
    codes = coco_mask.frPyObjects(segmentation, size, size)
    return coco_mask.decode(coco_mask.merge(codes)).astype(bool)


def snapshot(root):
    """Every file below ``root`` with its content and time."""
    files = sorted(path for path in root.rglob('*') if path.is_file())
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture(scope='module')
def written(tmp_path_factory):
    return write(tmp_path_factory.mktemp('data') / 'shapes', train=12, val=6)


def test_boxes_areas_and_polygons_are_those_of_the_masks(written):
    found = annotations(written)
    by_image = {image['id']: [] for image in found['images']}
    for annotation in found['annotations']:
        by_image[annotation['image_id']].append(annotation)
    for index, image in enumerate(found['images']):
        scene = draw_scene(index)
        assert len(scene.shapes) == len(by_image[image['id']])
        for shape, annotation in zip(scene.shapes, by_image[image['id']], strict=True):
            rows, columns = np.nonzero(shape.mask)
            x, y, width, height = annotation['bbox']
            assert [x, y] == [columns.min(), rows.min()]
            assert [x + width, y + height] == [columns.max() + 1, rows.max() + 1]
            assert annotation['area'] == shape.mask.sum()
            assert annotation['iscrowd'] == 0
            assert annotation['category_id'] == shape.kind + 1
            assert np.array_equal(decoded(annotation['segmentation']), shape.mask)


def panoptic(root):
    """Yield the entry of every picture and the numbers of its pixels' segments (H, W)."""
    folder = root / 'annotations' / 'panoptic_train'
    for entry in json.loads(folder.with_suffix('.json').read_text())['annotations']:
        yield entry, to_ids(cv2.imread(str(folder / entry['file_name']))[..., ::-1])


def test_segments_are_the_instances_and_the_ground_to_the_pixel(written):
    instances = {}
    for found in annotations(written)['annotations']:
        instances.setdefault(found['image_id'], []).append(found)
    for entry, ids in panoptic(written):
        *things, ground = entry['segments_info']
        index_mask = read(written, 'train', entry['image_id'] - 1)
        assert np.array_equal(ids == ground['id'], index_mask == 1)
        assert np.array_equal(ids == 0, index_mask == 0)
        for thing, instance in zip(things, instances[entry['image_id']], strict=True):
            assert np.array_equal(ids == thing['id'], decoded(instance['segmentation']))
            same = ('category_id', 'bbox', 'area', 'iscrowd')
            assert [thing[key] for key in same] == [instance[key] for key in same]
        for segment in entry['segments_info']:
            assert segment['area'] == (ids == segment['id']).sum()


def test_things_and_stuff_are_named_in_the_order_of_mmdets_labels(tmp_path):
    from mmdet.datasets import CocoPanopticDataset

    things, stuff = ('cat', 'dog'), ('grass', 'sky')
    root = write(tmp_path / 'shapes', train=2, val=1, size=48, classes=things, stuff=stuff)
    dataset = CocoPanopticDataset(
        data_root=str(root),
        ann_file='annotations/panoptic_train.json',
        data_prefix={'img': 'images/train/', 'seg': 'annotations/panoptic_train/'},
        metainfo={'classes': things + stuff, 'thing_classes': things, 'stuff_classes': stuff},
    )
    for index, sample in enumerate(dataset):
        kinds = [shape.kind % 2 for shape in draw_scene(index, size=48).shapes]
        segments = [(each['category'], each['is_thing']) for each in sample['segments_info']]
        assert segments == [*((kind, 1) for kind in kinds), (2, 0)]


def read(root, split, index):
    path = root / 'annotations' / split / f'{index:06d}.png'
    return cv2.imread(str(path), cv2.IMREAD_UNCHANGED)


def test_the_same_recipe_is_reused_and_another_one_replaces_it(tmp_path, monkeypatch):
    root = write(tmp_path / 'shapes', train=3, val=2, size=48)
    before = snapshot(root)
    with monkeypatch.context() as patched:
        patched.setattr(writing, 'draw_scene', None)  # drawing would fail
        assert write(root, train=3, val=2, size=48) == root
    assert snapshot(root) == before
    write(root, train=2, val=2, size=48)
    assert len(list((root / 'images' / 'train').iterdir())) == 2
    assert list(tmp_path.iterdir()) == [root]


def test_what_another_process_wrote_meanwhile_is_kept(tmp_path, monkeypatch):
    root, before = tmp_path / 'shapes', {}

    def overtaken(*args):
        monkeypatch.undo()
        write(root, train=1, val=1, size=48)
        before.update(snapshot(root))
        return draw_scene(*args)

    monkeypatch.setattr(writing, 'draw_scene', overtaken)
    write(root, train=1, val=1, size=48)
    assert snapshot(tmp_path) == before


def test_an_interrupted_write_leaves_what_was_there(tmp_path, monkeypatch):
    root = write(tmp_path / 'shapes', train=2, val=2, size=48)
    before = snapshot(tmp_path)

    def interrupted(index, *args):
        if index == 2:
            raise KeyboardInterrupt
        return draw_scene(index, *args)

    monkeypatch.setattr(writing, 'draw_scene', interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(root, train=5, val=2, size=48)
    assert snapshot(tmp_path) == before
    assert list(tmp_path.iterdir()) == [root]


def test_places_that_cannot_be_written_to(tmp_path):
    (tmp_path / 'thesis.tex').write_text('do not delete')
    with pytest.raises(InputError, match='is not a Shapes dataset'):
        write(tmp_path, train=1, val=1)
    assert (tmp_path / 'thesis.tex').read_text() == 'do not delete'
    with pytest.raises(InputError, match=r'cannot be written to .*shapes: .*File exists'):
        write(tmp_path / 'thesis.tex' / 'shapes', train=1, val=1)


def test_wrong_options_are_refused(tmp_path):
    with pytest.raises(InputError, match='at least 1 image'):
        write(tmp_path / 'shapes', train=0)
    with pytest.raises(InputError, match='one or more different names'):
        write(tmp_path / 'shapes', classes=('a', 'a'))
    assert not (tmp_path / 'shapes').exists()


def test_command_line(tmp_path, monkeypatch, capsys):
    root = str(tmp_path / 'shapes')
    options = ['--train', '2', '--val', '1', '--size', '48', '--classes', 'a', 'b']
    monkeypatch.setattr(sys, 'argv', ['shapes', root, *options])
    main()
    assert capsys.readouterr() == (f'2 + 1 images of 48 pixels in {root}\n', '')
    assert [c['name'] for c in annotations(tmp_path / 'shapes')['categories']] == ['a', 'b']
    monkeypatch.setattr(sys, 'argv', ['shapes', '--help'])
    with pytest.raises(SystemExit, match='0'):
        main()
    usage = 'usage: python -m vitbackbones.data.shapes ['
    assert capsys.readouterr().out.startswith(usage)
    monkeypatch.setattr(sys, 'argv', ['shapes', root, '--size', '8'])
    with pytest.raises(SystemExit, match='2'):
        main()
    assert (
        capsys.readouterr().err == 'error: Shapes: size is 8, but it must be at least 32 pixels.\n'
    )


def test_folders_hold_one_shape_of_their_class_per_picture(tmp_path):
    root = write(tmp_path / 'shapes', train=7, val=3, size=48, layout='folders')
    for split, count in (('train', 7), ('val', 3)):
        files = sorted((root / split).glob('*/*.jpg'), key=lambda path: path.name)
        assert [path.parent.name for path in files] == [KINDS[i % 3] for i in range(count)]
        for index, path in enumerate(files):
            scene = draw_scene(index, split, size=48, kind=index % 3)
            assert [shape.kind for shape in scene.shapes] == [index % 3]
            assert np.abs(cv2.imread(str(path)).astype(int) - scene.image).mean() < 10
