"""``--size``: images of another size, and whatever depends on that in a config.

A size stands in many places of a config: in the steps that resize, crop and pad, in training,
validation and testing, in the windows of a segmentor, in what a backbone is made for. All of them
change in proportion, so random resizing keeps its range, and a crop its part of an image.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mmengine.config import Config

from ..errors import InputError
from ..registry import bare_name
from ..utils.files import read_small
from ..utils.messages import cut
from ..utils.rules import is_number
from .data_paths import loaders, separated
from .lint import dicts
from .settings import as_list

# Keys of numbers of pixels, by patterns of the places that have them in a config.
PIXELS = {
    '.*pipeline.*': 'scale scales img_scale crop_size size max_size padding border width height',
    r'model\.data_preprocessor.*': 'size random_size_range',
    r'model\..*test_cfg': 'crop_size stride',
    r'model\.(.*\.)?backbone': 'img_size',
    'model': 'student_sizes',
}
OF_TRAINING = 'trained_size'  # in the config of a run: its --size
LINE = re.compile(rf'^{OF_TRAINING} = (\d{{1,9}})$'.encode(), re.MULTILINE)
# How steps of others may name a number of pixels.
LIKE_PIXELS = re.compile(r'(^|_)(size|scale|shape|height|width|side|resolution)s?$')


class Size(NamedTuple):
    """A setting that is a number of pixels, or several, and where it stands."""

    place: str
    owner: dict
    key: str

    def __str__(self) -> str:
        name = bare_name(self.owner['type']) if 'type' in self.owner else self.place
        return f'{name}.{self.key}={cut(self.owner[self.key])}'


def with_size(config: Config, side: int | None) -> Config:
    """Return a copy of a config in which images have another size.

    Args:
        config: of any task.
        side: in pixels, of what images are resized or cropped to in testing; the shorter one of
            two. None changes nothing.

    Raises:
        InputError: no step of a pipeline has a size, or one has what may be a size.
    """
    if side is None:
        return config
    config = separated(config)
    sizes = list(_sizes(config))
    factor = side / _side_in_testing(config, sizes)
    for size in sizes:
        size.owner[size.key] = _scaled(size.owner[size.key], factor)
    return config


def size_of_training(config: Config, checkpoint: Path) -> int | None:
    """Return the ``--size`` of the training that wrote a checkpoint; None where there was none.

    The config that the training saved beside its checkpoints says it. It is read as text, because
    what lies beside a checkpoint must not run.
    """
    for file in configs_beside(config, checkpoint):
        if found := LINE.search(read_small(file)):
            return int(found[1])
    return None


def configs_beside(config: Config, checkpoint: Path) -> list[Path]:
    """Return the files beside a checkpoint in which a training or ``publish`` saved a config."""
    named = (checkpoint.with_name(name) for name in (Path(config.filename).name, 'config.py'))
    return [file for file in named if file.is_file() and file != Path(config.filename).absolute()]


def size_line(config: Config, side: int, is_given: bool = True) -> str:
    """Return a line on what ``--size`` has made of a config."""
    source = '' if is_given else ', as in the training'
    shown = (str(size) for size in _sizes(config) if not size.place.startswith('tta_'))
    return f'--size {side}{source}: {", ".join(dict.fromkeys(shown))}'


def _sizes(config: Config) -> Iterator[Size]:
    nodes = {id(node): (place, node) for place, node in dicts(config)}  # in several places at once
    for place, node in nodes.values():
        known = ' '.join(PIXELS[pattern] for pattern in PIXELS if re.fullmatch(pattern, place))
        for key in [key for key, value in node.items() if _is_pixels(value)]:
            if key in known.split():
                yield Size(place, node, key)
            elif 'pipeline' in place and LIKE_PIXELS.search(key):
                raise InputError(
                    f'--size: {place}.{key} is {cut(node[key])}, which may be a size, but is not '
                    'known; remove --size, and set this and all other sizes with --cfg-options'
                )


def _is_pixels(value: Any) -> bool:
    """Return whether this is a number of pixels, or a list of them; parts of an image are none."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_is_pixels, value))
    return is_number(value) and not 0 < value <= 1


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(_scaled(each, factor) for each in value)
    return round(value * factor)


def _side_in_testing(config: Config, sizes: list[Size]) -> int:
    """Return what the last step of testing that has a size makes of images."""
    found: list[Size] = []
    for name, _ in loaders(config):  # the last of which tests
        found = [size for size in sizes if size.place.startswith(name)]
        if not found:
            break
    if not found:
        raise InputError(
            f'--size: no step in a pipeline of {config.filename} resizes or crops to a size; '
            f'remove --size, or set the pipeline with --cfg-options {name}.dataset.pipeline=...'
        )
    return min(as_list(found[-1].owner[found[-1].key]))
