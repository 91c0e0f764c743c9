"""What is fixed in OpenMMLab's inference functions.

A script that calls ``mmseg.apis.inference_model`` knows nothing of this package, which is imported
only when the config is read or the model is built. The caller then already holds the functions,
so they stay as they are; replaced is what they look up when they are called: names in their
modules and methods of classes. :mod:`~vitbackbones.openmmlab.patches` says which, and why.
"""

import copy
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
from mmengine.registry import DefaultScope
from PIL import Image

from ..backbones import Backbone
from ..configuration.classes import config_meta
from ..data.loading.image_file import pixels_of
from ..errors import InputError
from ..utils.messages import cut, named_errors
from ..weights import PUBLISHED
from ..weights.filling import load_pretrained
from ..weights.read.class_names import checkpoint_meta, require_same_count
from .named_configs import CLASSIFICATION

PACKAGE = 'vitbackbones'

# ------------------------------------------------------------------------ checkpoints


def _require_same_classes(model, names) -> None:
    if any(type(module).__module__.startswith(f'{PACKAGE}.') for module in model.modules()):
        require_same_count(names, model, 'the checkpoint')


def check_classes(load: Callable, model, *arguments, **options):
    """Compare the classes after ``load_checkpoint`` or ``_load_checkpoint_to_model``."""
    checkpoint = load(model, *arguments, **options)
    _require_same_classes(model, checkpoint_meta(checkpoint).get('classes'))
    checkpoint.setdefault('meta', {})
    return checkpoint


def fill_published(load: Callable, model, filename, *arguments, **options):
    """Fill a classifier of ours from published weights by their name.

    They have other keys than the model, and its images are then normalized as theirs were.
    """
    published = PUBLISHED.get(str(filename))
    ours = isinstance(getattr(model, 'backbone', None), Backbone)
    if not (published and ours) or Path(filename).exists():
        return load(model, filename, *arguments, **options)
    load_pretrained(model, filename)
    for key in ('mean', 'std'):
        levels = getattr(model.data_preprocessor, key)  # (3, 1, 1), of 0 to 255
        levels.copy_(255 * levels.new_tensor(getattr(published, key)).view_as(levels))
    return {}


def require_config(initialize: Callable, self, config, weights, *arguments, **options):
    """Ask for the config of an inferencer's weights."""
    if not config:
        raise InputError(
            f'{weights}: {type(self).__name__} requires the config of these weights; give '
            'it as model=CONFIG. A config inside a checkpoint is never used, because it is '
            'Python code and would run.'
        )
    return initialize(self, config, weights, *arguments, **options)


def name_classes_by_config(load: Callable, self, model, checkpoint, config):
    """Take the classes of weights that name none from the config."""
    if checkpoint is not None and not checkpoint.get('meta'):
        state = checkpoint.get('state_dict', checkpoint)
        checkpoint = {'state_dict': state, 'meta': {'dataset_meta': config_meta(config)}}
    return load(self, model, checkpoint, config)


# ------------------------------------------------------------------------ images and pipelines


def prepare_in_mmseg(prepare: Callable, images, model):
    """Look the pipeline up in mmseg, and leave the model's config as it is."""
    is_list = isinstance(images, list | tuple)
    images = [_picture(each) for each in images] if is_list else _picture(images)
    if is_list and not images:
        raise InputError('inference_model: the list of images is empty')
    own = SimpleNamespace(test_pipeline=copy.deepcopy(model.cfg.test_pipeline))
    with DefaultScope.overwrite_default_scope('mmseg'):
        return prepare(images, SimpleNamespace(cfg=own))


def _picture(given) -> str | np.ndarray:
    """Return a picture as OpenMMLab's functions take it: a file, or pixels (H, W, 3) in BGR.

    Raises:
        InputError: it is of another kind, or Pillow cannot read it.
    """
    if isinstance(given, str | Path):
        return str(given)
    if isinstance(given, Image.Image):
        with named_errors('a Pillow image cannot be read'):  # Pillow reads a file only now
            return pixels_of(given)
    shape = np.shape(given) if isinstance(given, np.ndarray) else ()
    if len(shape) == 2 or shape[2:] == (1,):
        return cv2.cvtColor(given, cv2.COLOR_GRAY2BGR)
    if shape[2:] != (3,):
        kind = f'an array of {shape}' if shape else f'{type(given).__name__} {cut(given)}'
        raise InputError(
            f'an image must be a file, a Pillow image or an array (H, W, 3) in BGR, not {kind}'
        )
    return given


class NamingCompose:
    """A pipeline that names pictures which OpenCV cannot resize, and refuses what is no picture."""

    def __init__(self, pipeline: Callable) -> None:
        self.pipeline = pipeline

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pipeline, name)

    def __call__(self, data):
        keys = [key for key in ('img', 'img_path') if isinstance(data, dict) and key in data]
        given = data[keys[0]] if keys else data
        if isinstance(given, list):  # of frames
            return self.pipeline(data)
        picture = _picture(given)
        if keys == ['img_path'] and not isinstance(picture, str):
            raise InputError(
                'a Pillow image is not supported here; give its file, or an array (H, W, 3) in BGR'
            )
        try:
            return self.pipeline(data | {keys[0]: picture} if keys else picture)
        except cv2.error as error:
            name = picture if isinstance(picture, str) else f'an array of {picture.shape}'
            raise InputError(
                f'{name}: cannot be resized, because one side would become 0 pixels'
            ) from error


def name_pictures(compose: Callable) -> Callable:
    """Name pictures that a pipeline cannot resize."""
    return lambda transforms: NamingCompose(compose(transforms))


def compose_in_mmdet(compose: Callable, transforms):
    """Look the steps of a pipeline up in mmdet, and name pictures that it cannot resize."""
    with DefaultScope.overwrite_default_scope('mmdet'):
        return NamingCompose(compose(transforms))


def copy_result(find: Callable) -> Callable:
    """Return a copy that the caller may change."""
    return lambda config: copy.deepcopy(find(config))


def list_pictures(list_inputs: Callable, self, inputs):
    """Sort the files of a folder, and take paths and images of Pillow."""
    inputs = str(inputs) if isinstance(inputs, Path) else inputs
    found = list_inputs(self, inputs)
    found = sorted(found) if isinstance(inputs, str) else found
    return [_picture(each) for each in found]


def run_each_size(step: Callable, self, data):
    """Run a segmentor on images of several sizes one by one."""
    if len({image.shape for image in data['inputs']}) == 1:
        return step(self, data)
    pairs = zip(data['inputs'], data['data_samples'], strict=True)
    singles = ({'inputs': [image], 'data_samples': [sample]} for image, sample in pairs)
    return [result for single in singles for result in step(self, single)]


# ------------------------------------------------------------------------ mmpretrain


def start_in_mmpretrain(initialize: Callable, self, *arguments, **options) -> None:
    """Look names up in mmpretrain, and compare the classes."""
    with DefaultScope.overwrite_default_scope('mmpretrain'):
        initialize(self, *arguments, **options)
    _require_same_classes(self.model, self.classes)


def know_classifiers(classifier: type) -> None:
    """Let a classifier without an entry in the model zoo say that it classifies."""

    def get(self):
        return self.__dict__.get('_metainfo') or CLASSIFICATION

    def put(self, entry) -> None:
        self.__dict__['_metainfo'] = entry

    classifier._metainfo = property(get, put)
