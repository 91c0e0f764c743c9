"""What is wrong with the data sets of a config, each by itself and together."""

from collections.abc import Callable

from mmengine.config import Config

from ..config.data import datasets
from ..datasets.checks import coco as coco_check
from ..datasets.checks import folders as class_check
from ..datasets.checks import masks as mask_check
from ..datasets.checks.findings import Findings
from ..processes import leads_machine
from .enough import check_batches, check_classes_occur
from .evaluators import check_evaluators

# What looks into a data set, by the default scope of the configs of a task: it is given the
# config of the data set and whether it is evaluated on.
CHECKS: dict[str, Callable[[dict, bool], Findings]] = {
    'mmdet': coco_check.check_dataset,
    'mmseg': mask_check.check_dataset,
    'mmpretrain': lambda dataset, _: class_check.check_dataset(dataset),
}


def check_data(config: Config, splits: tuple[str, ...]) -> list[str]:
    """Look into the annotations of ``splits`` and return what deserves a warning.

    The first process of a machine does; the files are large.

    Raises:
        InputError: a data set cannot be used, or data sets, evaluators and loaders do not fit
            each other.
    """
    check = CHECKS.get(config.get('default_scope'))
    if check is None or not leads_machine():
        return []
    looked_at = dict(datasets(config, splits))
    class_check.check_same_folders(looked_at.values())  # none but those of classification has any
    found = {path: check(each, not path.startswith('train')) for path, each in looked_at.items()}
    check_evaluators(config, found)
    check_batches(config, found, splits)
    warnings = [warning for findings in found.values() for warning in findings.warnings]
    return list(dict.fromkeys(warnings + check_classes_occur(config, found)))
