"""Why a training learns nothing: 40 broken links, each named; none in sound sets."""

import re
import tracemalloc

import numpy as np
import pytest
from mmengine.config import Config
from PIL import Image

from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.preparing.data_sets import check_data
from vitbackbones.preparing.links import (
    LEAST_STEPS,
    _boxes,
    _classes,
    _frozen,
    _normalization,
    _rate,
    _schedule,
    broken_links,
)
from vitbackbones.preparing.own_data import use_own_data

from .faults import FAULTS, SIZE, SOUND, content, write

pytestmark = pytest.mark.compat
# One image alone has objects: that is the reason which is given.
REFUSED_OTHERWISE = [40]


def masks(root, values):
    for folder in ('images', 'masks'):
        (root / folder).mkdir(parents=True)
    (root / 'classes.txt').write_text('sky\nroad\ncar\n')
    for i in range(10):
        Image.new('RGB', SIZE).save(root / 'images' / f'{i}.png')
        mask = np.resize(np.array(values, np.uint8), SIZE[::-1])
        Image.fromarray(mask).save(root / 'masks' / f'{i}.png')


def said_of(root, case):
    """What is said of a set before a training, by the checks of every run or of this room."""
    name = 'quick_segmentor' if 'values' in case else 'quick_detector'
    config = read_config(name, {})
    config.model.backbone.init_cfg = None  # --scratch
    config.load_from = None
    if 'values' in case:
        masks(root, case['values'])
    else:
        found = content(case.get('seed', 0), **case.get('set', {}))
        case.get('change', lambda found: None)(found)
        write(root, found, case.get('size', SIZE), case.get('light', (0, 256)))
    if 'scale' in case:
        config.test_dataloader.dataset.pipeline[1].scale = case['scale']
    if case.get('options', {}).get('train_cfg'):
        config.pop('train_cfg')
    config.merge_from_dict(case.get('options', {}))
    if 'param_scheduler' in case.get('options', {}):
        config.param_scheduler = case['options']['param_scheduler']
    try:
        config = use_own_data(config, str(root), str(root.parent / 'run'))
        check_data(config, ('train',))
        return broken_links(config)
    except InputError as error:
        return [f'refused: {error}']


def test_forty_broken_links_are_named_or_refused(tmp_path):
    assert len(FAULTS) >= 40
    wrong = []
    for number, case in enumerate(FAULTS):
        said = said_of(tmp_path / str(number) / 'own', case)
        start = 'refused: ' if 'says' in case else case['link']
        if not said or not said[0].startswith(start) or case.get('says', '') not in said[0]:
            wrong.append((number, case['link'], said))
    assert [number for number, *_ in wrong] == REFUSED_OTHERWISE, wrong
    assert all(said[0].startswith('refused: ') for *_, said in wrong)


@pytest.mark.parametrize('case', SOUND)
def test_nothing_is_said_of_sound_sets(tmp_path, case):
    assert said_of(tmp_path / 'own', case) == []


def table(*boxes, side=100, images=None, crowds=()):
    """Tables of pictures of a size, each with as many of the boxes as there are pictures."""
    count = images or len(boxes)
    pictures = {'id': [*range(count)], 'width': [side] * count, 'height': [side] * count}
    pictures['file_name'] = [f'{i}.png' for i in range(count)]
    marks = [int(i in crowds) for i in range(len(boxes))]
    return pictures, {
        **{'image_id': [i % count for i in range(len(boxes))], 'bbox': [*boxes]},
        **{'iscrowd': marks, 'category_id': [1] * len(boxes)},
    }


BANDS = Config({'model': {'backbone': {'in_channels': 4}}})  # so that no picture is opened
BANDS.test_dataloader = {'dataset': {'type': 'X', 'pipeline': []}}
GOOD = (10, 10, 30, 30)


@pytest.mark.parametrize(
    ('boxes', 'options', 'link'),
    [
        ([GOOD] * 20, {}, None),
        ([(0.1, 0.1, 1, 1)] * 11 + [GOOD] * 9, {}, 'boxes normalized'),
        ([(0.1, 0.1, 1, 1)] * 10 + [GOOD] * 10, {}, None),
        ([(10, 10, 90, 90)] * 20, {}, None),
        ([(10, 10, 91, 91)] * 20, {}, None),  # a pixel over the edge
        ([(10, 10, 92, 30)] * 20, {}, 'boxes as corners'),
        ([(50, 10, 101, 30)] * 20, {}, 'boxes as corners'),
        ([(50, 10, 102, 30)] * 20, {}, 'annotations of another image size'),
        ([(10, 10, 92, 9)] * 20, {}, 'annotations of another image size'),
        ([GOOD] * 19 + [(10, 10, 92, 30)], {}, None),  # a twentieth
        ([GOOD] * 18 + [(10, 10, 92, 9)] * 2, {}, 'annotations of another image size'),
        ([GOOD] * 30, {}, 'annotations of another image size'),
        ([GOOD] * 29, {}, None),
        ([(10, 10, 50, 50)] * 30, {}, None),  # up to 0.6 of the picture
        ([(10, 10, 49, 49)] * 30, {}, 'annotations of another image size'),
        ([GOOD] * 10, {'images': 20}, None),
        ([GOOD] * 9, {'images': 20}, 'empty targets'),
        ([GOOD] * 10, {'images': 10, 'crowds': range(6)}, 'empty targets'),
        ([GOOD] * 10, {'images': 10, 'crowds': range(5)}, None),
        ([(10, 10, 0.9, 9)] * 6 + [GOOD] * 4, {}, 'empty targets'),
    ],
)
def test_what_boxes_tell(boxes, options, link):
    found = [*_boxes(BANDS, None, *table(*boxes, **options))]
    assert [name for name, _ in found] == [link] * (link is not None)


@pytest.mark.parametrize(('side', 'small'), [(8, False), (7.9, True)])
def test_objects_that_are_smaller_than_a_cell(side, small):
    config = Config({'model': {'backbone': {'in_channels': 4}, 'neck': {'out_strides': [8]}}})
    config.test_dataloader = {'dataset': {'type': 'X', 'pipeline': []}}
    boxes = [(10, 10, side, side)] * 16 + [(60, 60, 30, 30)] * 4
    found = [name for name, _ in _boxes(config, None, *table(*boxes))]
    assert found == ['objects too small for the finest level'] * small


@pytest.mark.parametrize(
    ('name', 'used', 'count'), [('Background', 1, 1), ('cat', 1, 0), ('bg', 2, 0)]
)
def test_annotations_of_the_background(name, used, count):
    found = [*_classes({'category_id': [used]}, {'id': [1, 2], 'name': [name, 'dog']})]
    assert len(found) == count


@pytest.mark.parametrize(
    ('kind', 'rate', 'word'),
    [
        ('SGD', 1e-5, ''),
        ('SGD', 0.5, ''),
        ('SGD', 0.51, 'high'),
        ('SGD', 9e-6, 'low'),
        ('AdamW', 5e-3, ''),
        ('AdamW', 1e-6, ''),
        ('mmengine.AdamW', 6e-3, 'high'),
        ('LAMB', 0.06, 'high'),
        ('SGD', None, ''),
    ],
)
def test_rates_of_optimizers(kind, rate, word):
    optimizer = {'type': kind, 'lr': rate}
    found = [text for _, text in _rate(Config({'optim_wrapper': {'optimizer': optimizer}}))]
    assert len(found) == bool(word)
    assert all(f'is too {word} for' in text for text in found)
    assert [*_rate(Config({}))] == []


FROZEN = {'custom_keys': {'backbone': {'lr_mult': 0}}}


@pytest.mark.parametrize(
    ('changes', 'backbone', 'count'),
    [
        ({}, {}, 0),
        ({'frozen': 'backbone'}, {}, 1),
        ({'lora': 4}, {}, 1),
        ({'lora': 4}, {'init_cfg': {'type': 'Pretrained'}}, 0),
        ({'lora': 4, 'load_from': 'a.pth'}, {}, 0),
        ({}, {'frozen_stages': 1}, 1),
        ({}, {'frozen_stages': 0}, 0),
        ({'optim_wrapper': {'paramwise_cfg': FROZEN}}, {}, 1),
        ({'optim_wrapper': {'paramwise_cfg': {'custom_keys': {'x.head': {'lr_mult': 0}}}}}, {}, 1),
        ({'optim_wrapper': {'paramwise_cfg': {'custom_keys': {'head': {'lr_mult': 1}}}}}, {}, 0),
    ],
)
def test_frozen_parts(changes, backbone, count):
    config = Config({'model': {'backbone': backbone}, **changes})
    assert [name for name, _ in _frozen(config)] == ['frozen too much'] * count


WARM = {'type': 'LinearLR', 'start_factor': 0.1}


@pytest.mark.parametrize(
    ('loop', 'schedules', 'count'),
    [
        ({'max_iters': LEAST_STEPS}, [], 0),
        ({'max_iters': LEAST_STEPS - 1}, [], 1),
        ({'max_epochs': 40}, [], 0),  # of three steps
        ({'max_epochs': 33}, [], 1),
        ({'max_iters': 1000}, [WARM | {'by_epoch': False, 'end': 500}], 0),
        ({'max_iters': 1000}, [WARM | {'by_epoch': False, 'end': 501}], 1),
        ({'max_epochs': 40}, WARM | {'end': 21}, 1),
        ({'max_epochs': 40}, [WARM | {'end': 20}], 0),
        ({'max_epochs': 40}, [WARM], 0),
        ({'max_epochs': 100}, [{'type': 'mmengine.PolyLR', 'end': 20}], 0),
        ({'max_epochs': 100}, [{'type': 'CosineAnnealingLR', 'T_max': 19}], 1),
        ({'max_epochs': 100}, [{'type': 'StepLR', 'end': 19}], 0),
        ({}, [WARM | {'end': 1}], 0),
    ],
)
def test_lengths_of_schedules(loop, schedules, count):
    config = Config({'train_cfg': loop, 'train_dataloader': {'batch_size': 4}})
    config.param_scheduler = schedules
    assert [name for name, _ in _schedule(config, 9)] == ['schedule'] * count
    assert [
        *_schedule(Config({'train_cfg': {'max_epochs': 9}, 'train_dataloader': {}}), None)
    ] == []


@pytest.mark.parametrize(
    ('settings', 'level', 'mean'),
    [
        ({}, 100, 100),
        ({'mean': [100.0] * 3, 'std': [1.0] * 3}, 100, 0),
        ({'mean': [100.0] * 3}, 108, 8),
        ({'std': [10.0] * 3}, 100, 10),
    ],
)
def test_pixels_of_a_few_images_as_the_model_gets_them(tmp_path, settings, level, mean):
    for i in range(3):
        Image.new('RGB', SIZE, (level,) * 3).save(tmp_path / f'{i}.png')
    config = Config({'default_scope': 'mmdet', 'model': {'data_preprocessor': settings}})
    ((_, text),) = _normalization(config, tmp_path)
    assert re.findall(r'\d+', text) == [str(mean), '0']  # and the deviation
    assert [*_normalization(config, tmp_path / 'nowhere')] == []
    config.model.backbone = {'in_channels': 4}
    assert [*_normalization(config, tmp_path)] == []


def test_the_pixels_of_large_images_are_counted_and_not_copied(tmp_path):
    draw = np.random.default_rng(0)
    images = [draw.integers(0, 200, (900, 800, 3), np.uint8) for _ in range(4)]
    for i, pixels in enumerate(images):
        Image.fromarray(pixels).save(tmp_path / f'{i}.png')
    mean, std = [10.0, 20.0, 30.0], [5.0, 4.0, 3.0]
    config = Config({'default_scope': 'mmdet', 'model': {'data_preprocessor': {}}})
    config.model.data_preprocessor = {'mean': mean, 'std': std}
    tracemalloc.start()
    try:
        ((_, text),) = _normalization(config, tmp_path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    seen = (np.array(images) - mean) / std
    assert f'a mean of {seen.mean():.3g} and' in text
    assert text.endswith(f'deviation of {seen.std():.3g}')
    assert most < 10 * images[0].nbytes  # in float64, all of them have 32 times as many
