"""Training pipelines of this project's recipes, and the same ones built of other packages.

Each is a dict of steps, so that they can be timed part by part. A sample begins as a dict that
names its image (``img_path``) and has what an annotation file says of it.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from mmengine.config import Config, ConfigDict
from mmengine.dataset import default_collate, pseudo_collate
from mmengine.registry import MODELS, TRANSFORMS, DefaultScope
from PIL import Image

from ..catalog import config as config_file
from ..packages import import_optional
from ..registry import bare_name
from .loading import Pipeline

MEAN, STD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)  # ImageNet, RGB
# Our steps by those of the toolboxes, with the options that differ
THEIRS = {
    'LoadImage': ({'type': 'LoadImageFromFile'}, ('decode',)),
    'LoadMask': ({'type': 'LoadAnnotations'}, ('num_classes', 'ignored')),
    'RandomResizedCrop': ({'backend': 'pillow'}, ()),
}
OURS_ALONE = ('InOrder', 'ToPlanes')
ERASING = {
    'type': 'RandomErasing',
    'erase_prob': 0.25,
    'mode': 'rand',
    'min_area_ratio': 0.02,
    'max_area_ratio': 1 / 3,
    'fill_color': [103.53, 116.28, 123.675],
    'fill_std': [57.375, 57.12, 58.395],
}


def of_config(name: str, scope: str, *, own: bool = True) -> Pipeline:
    """Build what a config of ours does to a training image and to a batch.

    Args:
        name: of a shipped config.
        scope: its toolbox.
        own: whether to take our steps, in place of the toolbox's own.
    """
    config = Config.fromfile(config_file(name))
    steps, model = dict(config.train_steps), config.model
    preprocessor = {'type': 'ClsDataPreprocessor', **model.data_preprocessor}
    if scope == 'mmpretrain':
        preprocessor['batch_augments'] = model.train_cfg
    if not own:
        theirs = {part: _theirs(step) for part, step in steps.items()}
        steps = {part: step for part, step in theirs.items() if step['type'] not in OURS_ALONE}
        if preprocessor.pop('erase_prob', None):  # in a pipeline there
            pack = steps.pop('pack')
            steps |= {'erase': ERASING, 'pack': pack}
            preprocessor |= {'type': 'ClsDataPreprocessor'}
            preprocessor.pop('before_mixing', None)
    with DefaultScope.overwrite_default_scope(scope):
        built = {part: TRANSFORMS.build(step) for part, step in steps.items()}
        prepare = MODELS.build(preprocessor)
    collate = default_collate if scope == 'mmpretrain' else pseudo_collate
    return Pipeline(built, collate, partial(prepare, training=True))


def _theirs(step: ConfigDict) -> dict:
    kind = bare_name(step.type)
    changes, left_out = THEIRS.get(kind, ({}, ()))
    kept = {key: value for key, value in step.items() if key not in left_out}
    return {**kept, 'type': kind, **changes}


# ---------------------------------------------------------------------------- timm


def of_timm() -> Pipeline:
    """Build timm's pipeline of DeiT's recipe as its fast loader has it, erasing on the device.

    Raises:
        InputError: timm is not installed.
    """
    timm = import_optional('timm.data', 'timm')
    steps = timm.create_transform(
        224,
        is_training=True,
        use_prefetcher=True,
        auto_augment='rand-m9-mstd0.5-inc1',
        interpolation='bicubic',
    ).transforms
    mean, std = (torch.tensor(values).view(1, 3, 1, 1) for values in (MEAN, STD))
    erase = timm.random_erasing.RandomErasing(0.25, mode='pixel', device='cpu')
    mix = timm.Mixup(0.8, 1.0, num_classes=1000)

    def on_device(batch: tuple[torch.Tensor, torch.Tensor]) -> None:
        images, labels = batch
        mix(erase((images.float() - mean) / std), labels)

    load = {'load': lambda sample: Image.open(sample['img_path']).convert('RGB')}
    steps = load | dict(zip(('crop', 'flip', 'augment', 'pack'), steps, strict=True))
    collate = timm.loader.fast_collate
    return Pipeline(steps, lambda images: collate([(image, 0) for image in images]), on_device)


# ---------------------------------------------------------------------------- torchvision


def _read(sample: dict) -> torch.Tensor:
    from torchvision.io import ImageReadMode, decode_image

    return decode_image(sample['img_path'], ImageReadMode.RGB, apply_exif_orientation=True)


def _normalize() -> Callable:
    from torchvision.transforms import v2

    mean, std = ([value / 255 for value in values] for values in (MEAN, STD))
    return v2.Compose([v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean, std)])


def of_torchvision() -> Pipeline:
    """Build torchvision's pipeline of DeiT's recipe, of its reference scripts' steps."""
    from torchvision.transforms import v2

    bicubic = v2.InterpolationMode.BICUBIC
    mix = v2.RandomChoice([v2.MixUp(alpha=0.8, num_classes=1000), v2.CutMix(num_classes=1000)])
    steps = {
        'load': _read,
        'crop': v2.RandomResizedCrop(224, interpolation=bicubic, antialias=True),
        'flip': v2.RandomHorizontalFlip(),
        'augment': v2.RandAugment(2, 9),
        'normalize': _normalize(),
        'erase': v2.RandomErasing(0.25, (0.02, 1 / 3), value='random'),
    }
    return Pipeline(
        steps, torch.stack, lambda images: mix(images, torch.zeros(len(images), dtype=torch.long))
    )


def detection_of_torchvision() -> Pipeline:
    """Build torchvision's form of the COCO recipe."""
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    def load(sample: dict) -> tuple[torch.Tensor, torch.Tensor]:
        image = tv_tensors.Image(_read(sample))
        boxes = [instance['bbox'] for instance in sample['instances']]
        boxes = tv_tensors.BoundingBoxes(
            boxes, format='XYXY', canvas_size=image.shape[1:], dtype=torch.float32
        )
        return image, boxes

    sides = [640, 672, 704, 736, 768, 800]
    steps = {
        'load': load,
        'flip': v2.RandomHorizontalFlip(),
        'resize': v2.RandomShortestSize(sides, max_size=1333, antialias=True),
        'normalize': _normalize(),
    }
    return Pipeline(steps, list, None)


def segmentation_of_torchvision() -> Pipeline:
    """Build torchvision's form of the ADE20K recipe."""
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    def load_mask(sample: tuple[torch.Tensor, str]) -> tuple[torch.Tensor, torch.Tensor]:
        image, path = sample
        return image, tv_tensors.Mask(torch.from_numpy(np.array(Image.open(path))))

    steps = {
        'load': lambda sample: (tv_tensors.Image(_read(sample)), sample['seg_map_path']),
        'load_mask': load_mask,
        'resize': v2.RandomShortestSize(range(256, 1025), max_size=4096, antialias=True),
        'crop': v2.RandomCrop(512, pad_if_needed=True),
        'flip': v2.RandomHorizontalFlip(),
        'color': v2.RandomPhotometricDistort(),
        'normalize': _normalize(),
    }
    return Pipeline(steps, list, None)
