"""ReaL labels, the sets of ImageNet-V2, iNaturalist's splits, and Tiny-ImageNet."""

import gzip
import json

import cv2
import numpy as np
import pytest
import torch

from vitbackbones.errors import InputError
from vitbackbones.tasks.classification.public_sets import (
    IdxPictures,
    ImageNetV2,
    INaturalist,
    ReaLAccuracy,
    TinyImageNet,
)


def picture(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), np.zeros((8, 8, 3), np.uint8))


def test_v2_takes_the_folder_name_for_the_label(tmp_path):
    for name in ('2', '10', '999'):
        picture(tmp_path / 'set' / name / 'a.jpeg')
    dataset = ImageNetV2(data_root=str(tmp_path), data_prefix={'img_path': 'set'})
    labels = {item['img_path'].split('/')[-2]: item['gt_label'] for item in dataset}
    assert labels == {'2': 2, '10': 10, '999': 999}


def test_v2_of_another_layout(tmp_path):
    with pytest.raises(InputError, match='no images'):
        ImageNetV2(data_prefix={'img_path': str(tmp_path)})
    for name in ('n01440764', '1000'):
        picture(tmp_path / name / 'a.jpeg')
        with pytest.raises(InputError, match=f'a folder {name!r}'):
            ImageNetV2(data_prefix={'img_path': str(tmp_path)})


def real(tmp_path, labels):
    (tmp_path / 'real.json').write_text(json.dumps(labels))
    return ReaLAccuracy(str(tmp_path / 'real.json'), topk=(1, 2))


def sample(number, scores):
    path = f'val/n01440764/ILSVRC2012_val_{number:08}.JPEG'
    return {'img_path': path, 'pred_score': torch.tensor(scores)}


def test_real_is_right_if_any_label_is_among_the_best(tmp_path):
    metric = real(tmp_path, [[0], [1, 2], [], [0, 1]])
    batch = [
        sample(2, [0.1, 0.3, 0.6]),  # best 2: right
        sample(1, [0.3, 0.6, 0.1]),  # 0 comes second: right at 2
        sample(4, [0.1, 0.1, 0.8]),  # ties: one of 0 and 1 comes second
        sample(3, [0.9, 0.1, 0.0]),  # has no label
    ]
    metric.process({}, batch)
    found = metric.evaluate(size=4)
    assert found == {'real/top1': pytest.approx(100 / 3), 'real/top2': 100, 'real/images': 3}


def test_real_of_images_that_it_does_not_know(tmp_path):
    metric = real(tmp_path, [[0], [1]])
    with pytest.raises(InputError, match=r'val_00000003.JPEG: .* to 00000002, but not for this'):
        metric.process({}, [sample(3, [1.0, 0.0])])
    with pytest.raises(InputError, match='but not for this image'):
        metric.process({}, [{'img_path': 'val/x/cat.jpg', 'pred_score': torch.ones(2)}])
    (tmp_path / 'real.json').write_text('[')
    with pytest.raises(InputError, match='real.json: not ReaL labels'):
        ReaLAccuracy(str(tmp_path / 'real.json'))


def inat(tmp_path, **changes):
    content = {
        'categories': [{'id': 7, 'name': 'Quercus'}, {'id': 3, 'name': 'Bufo'}],
        'images': [{'id': 1, 'file_name': 'train_val2018/a.jpg'}, {'id': 2, 'file_name': 'b.jpg'}],
        'annotations': [{'image_id': 2, 'category_id': 3}, {'image_id': 1, 'category_id': 7}],
        **changes,
    }
    (tmp_path / 'val2018.json').write_text(json.dumps(content))
    return INaturalist(data_root=str(tmp_path), ann_file='val2018.json')


def test_inaturalist_numbers_categories_by_their_ids(tmp_path):
    dataset = inat(tmp_path)
    assert dataset.metainfo['classes'] == ('Bufo', 'Quercus')
    found = {item['img_path']: item['gt_label'] for item in dataset}
    assert found == {f'{tmp_path}/b.jpg': 0, f'{tmp_path}/train_val2018/a.jpg': 1}
    with pytest.raises(InputError, match='val2018.json: not iNaturalist annotations'):
        inat(tmp_path, annotations=[{'image_id': 5, 'category_id': 3}])


def idx(*values, shape):
    sizes = b''.join(size.to_bytes(4, 'big') for size in shape)
    return bytes((0, 0, 8, len(shape))) + sizes + bytes(values)


PICTURES = idx(*range(12), shape=(3, 2, 2))
LABELS = idx(5, 0, 9, shape=(3,))


def fashion(folder, images=PICTURES, labels=LABELS, **options):
    (folder / 'images.gz').write_bytes(gzip.compress(images))
    (folder / 'labels').write_bytes(labels)
    files = {'images': 'images.gz', 'labels': 'labels'}
    return IdxPictures(data_root=str(folder), data_prefix=files, **options)


def test_pictures_of_mnist_in_their_order(tmp_path):
    samples = [*fashion(tmp_path)]
    assert [each['gt_label'] for each in samples] == [5, 0, 9]
    assert samples[1]['img'].tolist() == [[[4], [5]], [[6], [7]]]
    assert [each['gt_label'] for each in fashion(tmp_path, indices=-1)] == [9]


@pytest.mark.parametrize(
    'files',
    [
        {'images': PICTURES[:-1]},
        {'labels': b'P5 28 28'},
        {'labels': b''},
        {'labels': idx(1, 2, shape=(2,))},
        {'labels': PICTURES},
    ],
    ids=('cut', 'another form', 'empty', 'too few', 'no labels'),
)
def test_files_that_are_not_mnists(tmp_path, files):
    with pytest.raises(InputError, match='images.gz and .*labels: not MNIST images and labels'):
        fashion(tmp_path, **files)


def test_a_packed_file_that_was_cut_short(tmp_path):
    fashion(tmp_path)
    whole = (tmp_path / 'images.gz').read_bytes()
    (tmp_path / 'images.gz').write_bytes(whole[:-9])
    files = {'images': 'images.gz', 'labels': 'labels'}
    with pytest.raises(InputError, match='images.gz and .*: not MNIST'):
        IdxPictures(data_root=str(tmp_path), data_prefix=files)


# ------------------------------------------------------------------------ Tiny-ImageNet


def tiny(root, split):
    return TinyImageNet(data_root=str(root), data_prefix={'img_path': split})


def labels(dataset):
    return {item['img_path'].split('/')[-1]: item['gt_label'] for item in dataset}


def test_tiny_imagenet_as_published(tmp_path):
    for code in ('n02', 'n01'):
        picture(tmp_path / 'train' / code / 'images' / f'{code}_0.JPEG')
        (tmp_path / 'train' / code / f'{code}_boxes.txt').write_text('n_0.JPEG\t0\t0\t7\t7\n')
    for number in (0, 1, 2):
        picture(tmp_path / 'val' / 'images' / f'val_{number}.JPEG')
    rows = ['val_0.JPEG\tn02\t0\t1\t2\t3', 'val_1.JPEG\tn01\t0\t1\t2\t3', '']
    (tmp_path / 'val' / 'val_annotations.txt').write_text('\n'.join(rows))
    train = tiny(tmp_path, 'train')
    assert labels(train) == {'n01_0.JPEG': 0, 'n02_0.JPEG': 1}
    assert train.metainfo['classes'] == ('n01', 'n02')
    val = tiny(tmp_path, 'val')
    assert labels(val) == {'val_0.JPEG': 1, 'val_1.JPEG': 0}  # val_2 is not listed
    assert val.metainfo['classes'] == ('n01', 'n02')


def test_tiny_imagenet_in_class_folders(tmp_path):
    for code in ('n02', 'n01'):
        picture(tmp_path / 'val' / code / f'{code}.JPEG')
    assert labels(tiny(tmp_path, 'val')) == {'n01.JPEG': 0, 'n02.JPEG': 1}


def test_tiny_imagenet_without_pictures(tmp_path):
    with pytest.raises(InputError, match='val: no pictures'):
        tiny(tmp_path, 'val')
    (tmp_path / 'val').mkdir()
    listed = tmp_path / 'val' / 'val_annotations.txt'
    listed.write_text('val_0.JPEG\tn02\t0\t1\t2\t3')
    with pytest.raises(InputError, match=r'val_annotations.txt: .*val_0.JPEG does not exist'):
        tiny(tmp_path, 'val')
    listed.write_text('')
    with pytest.raises(InputError, match='lists no pictures'):
        tiny(tmp_path, 'val')
    listed.unlink()
    picture(tmp_path / 'val' / 'images' / 'val_0.JPEG')
    with pytest.raises(InputError, match='val: images, but no val_annotations.txt'):
        tiny(tmp_path, 'val')
