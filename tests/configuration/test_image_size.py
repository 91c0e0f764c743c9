"""``--size``: every number of pixels in a config, before and after."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.image_size import size_line, size_of_training, with_size
from vitbackbones.configuration.names import config_files
from vitbackbones.configuration.read import read_config
from vitbackbones.configuration.settings import value_at
from vitbackbones.errors import InputError

pytestmark = pytest.mark.compat
TRAIN = 'train_dataloader.dataset.pipeline'
TEST = 'test_dataloader.dataset.pipeline'


def numbers(config, *places):
    return [value_at(config, place) for place in places]


def test_a_detector_of_own_data():
    before = read_config('quick_detector')
    config = with_size(before, 640)  # of 320
    places = (f'{TRAIN}.2.scale', f'{TRAIN}.3.crop_size', f'{TEST}.1.scale', 'model.backbone')
    assert numbers(config, *places[:3]) == [(640, 640)] * 3
    assert value_at(config, f'{TRAIN}.2.ratio_range') == (0.8, 1.25)  # parts of it
    assert config.val_dataloader.dataset.pipeline == config.test_dataloader.dataset.pipeline
    assert config.model.backbone.img_size == 640
    assert config.model.data_preprocessor == before.model.data_preprocessor
    assert numbers(before, *places[:3]) == [(320, 320)] * 3
    assert size_line(config, 640) == (
        '--size 640: SReT.img_size=640, RandomResize.scale=(640, 640), '
        'RandomCrop.crop_size=(640, 640), Resize.scale=(640, 640)'
    )


def test_a_segmentor_of_crops_keeps_their_part_of_an_image():
    config = with_size(read_config('quick_segmentor'), 480)  # of 240
    places = (f'{TRAIN}.2.scale', f'{TRAIN}.3.crop_size', 'model.data_preprocessor.size')
    assert numbers(config, *places) == [(480, 480), (320, 320), (320, 320)]


def test_windows_and_views_of_a_segmentor():
    config = with_size(read_config('setr_mla_deit_s_ade20k'), 640)  # shorter side, of 512
    places = (f'{TEST}.1.scale', 'model.test_cfg.crop_size', 'model.test_cfg.stride')
    assert numbers(config, *places) == [(2560, 640), (640, 640), (426, 426)]
    assert config.model.backbone.img_size == 640
    views = [view.scale for view in config.tta_pipeline[1].transforms[0]]
    assert views == [(2560 * n // 4, 640 * n // 4) for n in (2, 3, 4, 5, 6, 7)]
    assert 'tta' not in size_line(config, 640)
    assert size_line(config, 640).count('Resize.scale') == 2  # RandomResize, and Resize once


def test_nested_steps_and_a_size_that_stands_twice():
    config = with_size(read_config('deformable_detr_pvt_s_coco'), 400)  # of (1333, 800)
    assert config.test_dataloader.dataset.pipeline[1].scale == (666, 400)  # Python rounds 666.5
    steps = config.train_dataloader.dataset.pipeline
    (first, second) = next(step.transforms for step in steps if 'transforms' in step)
    assert first[0].scales[-1] == (400, 666)
    assert [step.get('crop_size') for step in second] == [None, (192, 300), None]
    assert second[2].scales[-1] == first[0].scales[-1]


def test_a_classifier():
    config = with_size(read_config('cls_deit_b_384_imagenet'), 480)  # of 384
    steps = config.test_dataloader.dataset.pipeline
    assert [step.scale for step in steps if 'scale' in step] == [548]  # of 438
    assert [step.crop_size for step in steps if 'crop_size' in step] == [480]
    assert config.model.backbone.img_size == 480


@pytest.mark.parametrize('name', [*config_files()][3::25])
def test_a_shipped_config_can_have_another_size(name):
    with_size(read_config(name), 777)


def test_pipelines_whose_images_the_model_enlarges_are_refused():
    with pytest.raises(InputError, match='resizes or crops to a size; remove --size'):
        with_size(read_config('sret_quick_pretrain'), 777)


def own(*steps, **model):
    loader = {'dataset': {'pipeline': [*map(dict, steps)]}}
    return Config({'model': {'type': 'X', **model}, 'test_dataloader': loader})


@pytest.mark.parametrize(
    ('step', 'said'),
    [
        ({'type': 'MyTiles', 'tile_size': 512}, r'pipeline\.1\.tile_size is 512, which may be'),
        ({'type': 'Albu', 'transforms': [{'type': 'Crop', 'max_height': 9}]}, 'max_height is 9'),
        ({'type': 'CutOut', 'cutout_shape': [(8, 8)]}, r'cutout_shape is \[\(8, 8\)\], which'),
    ],
)
def test_a_step_that_may_have_a_size_is_refused_with_its_key(step, said):
    config = own({'type': 'Resize', 'scale': (64, 64)}, step)
    with pytest.raises(InputError, match=f'^--size: test_dataloader.dataset.*{said}'):
        with_size(config, 128)


@pytest.mark.parametrize(
    'steps', [[], [{'type': 'Resize', 'scale_factor': 2.0}], [{'type': 'RandomResizedCrop'}]]
)
def test_a_pipeline_without_a_size_is_refused(steps):
    with pytest.raises(InputError, match=r'no step in a pipeline of .*test_dataloader\.dataset'):
        with_size(own(*steps), 128)


def test_what_is_no_number_of_pixels_stays():
    steps = [
        {'type': 'RandomCrop', 'crop_size': (0.5, 0.5), 'crop_type': 'relative'},
        {'type': 'RandomFlip', 'prob': 0.5},
        {'type': 'Resize', 'scale': 100, 'keep_ratio': True},
        {'type': 'Pad', 'size_divisor': 32},
    ]
    config = with_size(own(*steps, backbone={'img_size': None}, neck={'size': 7}), 150)
    expected = [steps[0], steps[1], {**steps[2], 'scale': 150}, steps[3]]
    assert config.test_dataloader.dataset.pipeline == expected
    assert config.model.neck.size == 7


def test_no_size_changes_nothing():
    config = read_config('quick_detector')
    assert with_size(config, None) is config


@pytest.mark.parametrize(
    ('name', 'text', 'size'),
    [
        ('quick_detector.py', 'model = 1\ntrained_size = 640\nb = 2\n', 640),
        ('config.py', 'trained_size = 640\n', 640),  # of publish
        ('other.py', 'trained_size = 640\n', None),
        ('quick_detector.py', "text = 'x trained_size = 640'\n  trained_size = 640\n", None),
        ('quick_detector.py', 'raise SystemExit', None),  # which never runs
    ],
)
def test_the_config_beside_a_checkpoint_says_its_size_and_is_not_run(tmp_path, name, text, size):
    (tmp_path / name).write_text(text)
    config = read_config('quick_detector')
    assert size_of_training(config, tmp_path / 'iter_1.pth') == size


def test_a_config_beside_its_own_checkpoint_has_its_size(tmp_path):
    file = tmp_path / 'quick_detector.py'
    file.write_text('trained_size = 640\n')
    assert size_of_training(read_config(str(file)), tmp_path / 'iter_1.pth') is None
