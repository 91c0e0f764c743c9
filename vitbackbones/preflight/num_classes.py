"""The model has as many classes as the data sets name.

OpenMMLab does not compare the two before a run. A label beyond the model's classes ends in an index
error (on a GPU in a failed assertion that names nothing), and a model with too many classes trains
without a word.
"""

from collections.abc import Iterator

from mmengine.config import Config

from ..config.data import datasets
from ..config.metainfo import class_names
from ..errors import InputError
from ..messages import shorten

# Parts that may have a number of their own: the unused classifier of a backbone, and proposals,
# which tell objects from background.
SEPARATE = ('backbone', 'rpn_head')
THINGS_AND_STUFF = ('num_things_classes', 'num_stuff_classes')  # of Mask2Former in mmdet


def check_classes(config: Config, splits: tuple[str, ...]) -> None:
    """Compare every ``num_classes`` of the model with the data sets of ``splits``.

    Raises:
        InputError: two differ; both keys are named.
    """
    widths = [*_widths(config.model, 'model')]
    widths += _widths(config.get('data_preprocessor') or {}, 'data_preprocessor')
    for path, dataset in datasets(config, splits):
        source, names = class_names(config, dataset)
        for key, width in widths if names else ():
            if width != len(names):
                raise InputError(
                    f'{config.filename}: {key} is {width}, but {path}.{source} names {len(names)} '
                    f'classes ({shorten(names)}). Set {key}={len(names)}, or metainfo.classes of '
                    'every data set to the names of the classes of the model.'
                )


def _widths(node, path: str) -> Iterator[tuple[str, int]]:
    """Yield key and value of every ``num_classes`` inside of ``node``, and things with stuff."""
    if isinstance(node, dict) and {*THINGS_AND_STUFF} <= node.keys():
        yield f'{path}.{" + ".join(THINGS_AND_STUFF)}', sum(node[key] for key in THINGS_AND_STUFF)
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if key == 'num_classes':
            yield f'{path}.{key}', value
        elif isinstance(value, dict | list | tuple) and key not in SEPARATE:
            yield from _widths(value, f'{path}.{key}')
