"""The drawn data set: reproducible, true annotations, and never half-written."""

import json
import subprocess
import sys
from collections import Counter

import cv2
import numpy as np
import pytest
from pycocotools import mask as coco_mask
from pycocotools.coco import COCO

from vitbackbones.data import shapes
from vitbackbones.data.checks.coco import check_coco
from vitbackbones.data.loading.panoptic import to_ids
from vitbackbones.data.shapes.scene import SUBPIXEL
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


# ---------------------------------------------------------------------------- the COCO files


def test_boxes_areas_and_polygons_are_those_of_the_masks(written):
    found = annotations(written)
    by_image = {image['id']: [] for image in found['images']}
    for annotation in found['annotations']:
        by_image[annotation['image_id']].append(annotation)
    for index, image in enumerate(found['images']):
        scene = draw_scene(index)
        assert len(scene.shapes) == len(by_image[image['id']])
        for shape, annotation in zip(scene.shapes, by_image[image['id']], strict=True):
            x, y, width, height = annotation['bbox']
            outside = shape.mask.copy()
            outside[y : y + height, x : x + width] = False
            assert not outside.any()
            assert shape.mask[y].any()
            assert shape.mask[y + height - 1].any()
            assert shape.mask[:, x].any()
            assert shape.mask[:, x + width - 1].any()
            assert annotation['area'] == shape.mask.sum()
            assert annotation['iscrowd'] == 0
            assert annotation['category_id'] == shape.kind + 1
            assert np.array_equal(decoded(annotation['segmentation']), shape.mask)


def test_pycocotools_finds_boxes_and_areas_in_the_polygons(written, capsys):
    coco = COCO(str(written / 'annotations' / 'instances_train.json'))
    capsys.readouterr()
    for annotation in coco.anns.values():
        code = coco.annToRLE(annotation)
        assert coco_mask.area(code) == annotation['area']
        assert coco_mask.toBbox(code).tolist() == annotation['bbox']


def test_files_are_the_pictures_of_the_scenes(written):
    for split, count in (('train', 12), ('val', 6)):
        found = annotations(written, split)
        assert len(found['images']) == count
        for index, image in enumerate(found['images']):
            read = cv2.imread(str(written / 'images' / split / image['file_name'])).astype(int)
            assert read.shape == (image['height'], image['width'], 3) == (128, 128, 3)
            assert np.abs(read - draw_scene(index, split).image).mean() < 10  # JPEG of noise
            assert np.abs(read - draw_scene(index + 1, split).image).mean() > 25


@pytest.mark.parametrize('split', ['train', 'val'])
def test_the_files_pass_our_check_and_load_in_pycocotools(written, split, capsys):
    ann_file = written / 'annotations' / f'instances_{split}.json'
    found = check_coco(str(ann_file), str(written / 'images' / split), KINDS, evaluated=True)
    assert found.warnings == []
    coco = COCO(str(ann_file))
    capsys.readouterr()
    assert [category['name'] for category in coco.loadCats(coco.getCatIds())] == list(KINDS)
    assert all(coco.getAnnIds(imgIds=image) for image in coco.getImgIds())


def test_a_smaller_data_set_is_the_beginning_of_a_larger_one(written, tmp_path):
    small = write(tmp_path / 'small', train=3, val=1)
    for name in ('000000.jpg', '000002.jpg'):
        path = f'images/train/{name}'
        assert (small / path).read_bytes() == (written / path).read_bytes()


@pytest.mark.parametrize('count', [1, 2, 80])
def test_any_list_of_classes_will_do(tmp_path, count):
    classes = [f'class {i}' for i in range(count)]
    root = write(tmp_path / 'shapes', train=6, val=1, size=48, classes=classes)
    found = annotations(root)
    assert [c['name'] for c in found['categories']] == classes
    assert [c['id'] for c in found['categories']] == list(range(1, count + 1))
    kinds = [shape.kind for index in range(6) for shape in draw_scene(index, size=48).shapes]
    assert [a['category_id'] for a in found['annotations']] == [k % count + 1 for k in kinds]


# ---------------------------------------------------------------------------- the panoptic files


def panoptic(root, split='train'):
    """Yield the entry of every picture and the numbers of its pixels' segments (H, W)."""
    folder = root / 'annotations' / f'panoptic_{split}'
    for entry in json.loads(folder.with_suffix('.json').read_text())['annotations']:
        yield entry, to_ids(cv2.imread(str(folder / entry['file_name']))[..., ::-1])


@pytest.mark.parametrize('split', ['train', 'val'])
def test_segments_are_the_instances_and_the_ground_to_the_pixel(written, split):
    instances = {}
    for found in annotations(written, split)['annotations']:
        instances.setdefault(found['image_id'], []).append(found)
    for entry, ids in panoptic(written, split):
        *things, ground = entry['segments_info']
        index_mask = read(written, split, entry['image_id'] - 1)
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


# ---------------------------------------------------------------------------- the masks


def read(root, split, index):
    path = root / 'annotations' / split / f'{index:06d}.png'
    return cv2.imread(str(path), cv2.IMREAD_UNCHANGED)


def test_masks_number_what_is_in_view(written):
    """Painted over again from behind to the front, in another way than the masks were made."""
    ignored = 0
    for index in range(12):
        mask, scene = read(written, 'train', index), draw_scene(index)
        assert mask.shape == (128, 128)
        assert mask.dtype == np.uint8
        painted = np.ones((128, 128), np.uint8)
        painted[scene.clutter] = 0
        for shape in scene.shapes:
            corners = np.round(shape.corners * 2**SUBPIXEL).astype(np.int32)
            cv2.fillPoly(painted, [corners], shape.kind + 2, cv2.LINE_8, SUBPIXEL)
        assert np.array_equal(mask, painted)
        ignored += (mask == 0).sum()
    assert ignored > 0


def test_the_box_of_a_shape_holds_its_label(written):
    for annotation in annotations(written)['annotations']:
        mask = read(written, 'train', annotation['image_id'] - 1)
        x, y, width, height = annotation['bbox']
        inside = mask[y : y + height, x : x + width] == annotation['category_id'] + 1
        assert inside.sum() >= annotation['area']


def test_every_file_of_a_split_has_a_mask(written):
    for split in ('train', 'val'):
        images = [path.stem for path in sorted((written / 'images' / split).iterdir())]
        masks = [path.stem for path in sorted((written / 'annotations' / split).iterdir())]
        assert images == masks


def test_masks_of_another_list_of_classes(tmp_path):
    root = write(tmp_path / 'shapes', train=6, val=1, size=48, classes=['thing'])
    for index in range(6):
        scene = draw_scene(index, size=48)
        assert np.array_equal(
            read(root, 'train', index) == 2, np.any([s.mask for s in scene.shapes], axis=0)
        )


# ---------------------------------------------------------------------------- in the toolboxes


def test_mmseg_loads_it(written):
    from mmseg.datasets import BaseSegDataset

    dataset = BaseSegDataset(
        data_root=str(written),
        data_prefix={'img_path': 'images/train', 'seg_map_path': 'annotations/train'},
        metainfo={'classes': (shapes.GROUND, *KINDS)},
        reduce_zero_label=True,
        pipeline=[{'type': 'mmseg.LoadAnnotations'}],
    )
    assert len(dataset) == 12
    for index, sample in enumerate(dataset):
        labels = sample['gt_seg_map']
        assert np.array_equal(labels == 255, read(written, 'train', index) == 0)
        assert set(np.unique(labels)) <= {0, 1, 2, 3, 255}


def test_mmdet_loads_it(written):
    from mmdet.datasets import CocoDataset

    dataset = CocoDataset(
        data_root=str(written),
        ann_file='annotations/instances_train.json',
        data_prefix={'img': 'images/train/'},
        metainfo={'classes': KINDS},
    )
    labels = Counter(box['bbox_label'] for item in dataset for box in item['instances'])
    assert len(dataset) == 12
    assert labels == Counter(a['category_id'] - 1 for a in annotations(written)['annotations'])


# ---------------------------------------------------------------------------- writing


def test_the_same_recipe_is_reused(tmp_path, monkeypatch):
    root = write(tmp_path / 'shapes', train=3, val=2, size=48)
    before = snapshot(root)
    monkeypatch.setattr(shapes, 'draw_scene', None)  # drawing would fail
    assert write(root, train=3, val=2, size=48) == root
    assert snapshot(root) == before


def test_another_recipe_replaces_the_data_set(tmp_path):
    root = write(tmp_path / 'shapes', train=3, val=2, size=48)
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

    monkeypatch.setattr(shapes, 'draw_scene', overtaken)
    write(root, train=1, val=1, size=48)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize('old', [False, True])
def test_an_interrupted_write_leaves_what_was_there(tmp_path, monkeypatch, old):
    root = tmp_path / 'shapes'
    if old:
        write(root, train=2, val=2, size=48)
    before = snapshot(tmp_path)

    def interrupted(index, *args):
        if index == 2:
            raise KeyboardInterrupt
        return draw_scene(index, *args)

    monkeypatch.setattr(shapes, 'draw_scene', interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(root, train=5, val=2, size=48)
    assert snapshot(tmp_path) == before
    assert list(tmp_path.iterdir()) == ([root] if old else [])


def test_a_folder_of_something_else_is_not_touched(tmp_path):
    (tmp_path / 'thesis.tex').write_text('do not delete')
    with pytest.raises(InputError, match='is not a Shapes data set'):
        write(tmp_path, train=1, val=1)
    assert (tmp_path / 'thesis.tex').read_text() == 'do not delete'


def test_an_empty_folder_is_filled(tmp_path):
    assert len(annotations(write(tmp_path, train=1, val=1, size=48))['images']) == 1


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(InputError, match=r'cannot be written to .*shapes: .*File exists'):
        write(tmp_path / 'file' / 'shapes', train=1, val=1)


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'train': 0}, 'at least 1 picture'),
        ({'size': 16}, 'size is 16, must be at least 32'),
        ({'classes': ()}, 'one or more different names'),
        ({'classes': ('a', 'a')}, 'one or more different names'),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        write(tmp_path / 'shapes', **options)
    assert not (tmp_path / 'shapes').exists()


def test_command_line(tmp_path):
    command = [sys.executable, '-m', 'vitbackbones.data.shapes.writing', str(tmp_path / 'shapes')]
    done = subprocess.run(
        [*command, '--train', '2', '--val', '1', '--size', '48', '--classes', 'a', 'b'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f'2 + 1 pictures of 48 pixels in {tmp_path / "shapes"}\n'
    assert done.stderr == ''  # no progress bar where nobody watches
    assert [c['name'] for c in annotations(tmp_path / 'shapes')['categories']] == ['a', 'b']


def test_command_line_with_a_mistake(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, 'argv', ['shapes', str(tmp_path / 'shapes'), '--size', '8'])
    with pytest.raises(SystemExit) as stop:
        shapes.main()
    assert stop.value.code == 2
    assert capsys.readouterr().err == 'error: Shapes: size is 8, must be at least 32 pixels.\n'


@pytest.mark.parametrize('terminal', [False, True])
def test_progress_is_shown_on_a_terminal_only(tmp_path, monkeypatch, capsys, terminal):
    monkeypatch.setattr(sys.stdout, 'isatty', lambda: terminal, raising=False)
    write(tmp_path / 'shapes', train=1, val=1, size=48)
    shown = capsys.readouterr().err
    assert ('Shapes train: 100%' in shown) == ('Shapes val: 100%' in shown) == terminal


# ---------------------------------------------------------------------------- the folder view


def test_folders_hold_one_shape_of_their_class_per_picture(tmp_path):
    root = write(tmp_path / 'shapes', train=7, val=3, size=48, layout='folders')
    for split, count in (('train', 7), ('val', 3)):
        files = sorted((root / split).glob('*/*.jpg'), key=lambda path: path.name)
        assert [path.parent.name for path in files] == [KINDS[i % 3] for i in range(count)]
        for index, path in enumerate(files):
            scene = draw_scene(index, split, size=48, kind=index % 3)
            assert [shape.kind for shape in scene.shapes] == [index % 3]
            assert np.abs(cv2.imread(str(path)).astype(int) - scene.image).mean() < 10


def test_folders_of_other_classes(tmp_path):
    root = write(tmp_path / 'shapes', train=6, val=2, size=48, classes='ab', layout='folders')
    names = [path.parent.name for path in sorted(root.glob('train/*/*.jpg'), key=lambda p: p.name)]
    assert names == ['a', 'b', 'a', 'a', 'b', 'a']


def test_mmpretrain_loads_the_folders(tmp_path):
    from mmpretrain.datasets import CustomDataset

    root = write(tmp_path / 'shapes', train=6, val=3, size=48, layout='folders')
    dataset = CustomDataset(data_root=str(root), data_prefix='train')
    assert dataset.metainfo['classes'] == KINDS
    assert Counter(item['gt_label'] for item in dataset) == {0: 2, 1: 2, 2: 2}
