"""The model has as many classes as the data sets name.

OpenMMLab does not compare the two before a run. A label beyond the model's classes ends in an index
error (on a GPU in a failed assertion that names nothing), and a model with too many classes trains
without a word.
"""

from mmengine.config import Config

from ...errors import InputError
from ...utils.messages import shorten
from ..class_count import class_counts
from ..data_paths import datasets
from ..metainfo import class_names


def check_classes(config: Config, splits: tuple[str, ...]) -> None:
    """Compare every ``num_classes`` of the model with the data sets of ``splits``.

    Raises:
        InputError: two differ; both keys are named.
    """
    widths = list(class_counts(config))
    for path, dataset in datasets(config, splits):
        source, names = class_names(config, dataset)
        for key, width in widths if names else ():
            if width != len(names):
                raise InputError(
                    f'{config.filename}: {key} is {width}, but {path}.{source} names {len(names)} '
                    f'classes ({shorten(names)}). Set {key}={len(names)}, or metainfo.classes of '
                    'every data set to the names of the classes of the model.'
                )
