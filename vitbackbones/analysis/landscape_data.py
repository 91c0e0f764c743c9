"""The images on which a landscape's loss is measured: some of the config's own validation data.

They are spread evenly over the data set and prepared as for validation, so nothing is random. But
annotations are loaded before the image is resized, so that boxes and masks follow it. Toolboxes
load them after that for validation, whose metrics compare at the original size.
"""

import copy

import numpy as np
from mmengine.config import Config
from mmengine.registry import DATASETS, init_default_scope
from mmengine.runner import Runner
from torch.utils.data import Subset

from ..errors import InputError
from ..registry import bare_name

IMAGES, ANNOTATIONS = 'LoadImage', ('LoadAnnotations', 'LoadMask')  # starts of names


def load_batches(config: Config, samples: int) -> list[dict]:
    """Return the batches of ``samples`` images, or of all if there are fewer.

    Raises:
        InputError: the config has no ``val_dataloader``.
    """
    if not config.get('val_dataloader'):
        raise InputError(f'{config.filename}: has no val_dataloader, on which the loss is measured')
    init_default_scope(config.get('default_scope') or 'mmengine')
    loader = copy.deepcopy(config.val_dataloader)
    dataset = DATASETS.build(_with_annotations_first(loader.pop('dataset')))
    if hasattr(dataset, 'full_init'):  # mmengine's, which may load its list of files late
        dataset.full_init()
    count = min(samples, len(dataset))
    chosen = np.linspace(0, len(dataset) - 1, count).round().astype(int).tolist()
    loader.update(
        dataset=Subset(dataset, chosen),
        sampler={'type': 'DefaultSampler', 'shuffle': False},
        num_workers=0,
        persistent_workers=False,
        prefetch_factor=None,
    )
    return list(Runner.build_dataloader(loader))


def _with_annotations_first(node):
    """Return the config of a data set whose pipelines load annotations right after the image."""
    if isinstance(node, list):
        return [_with_annotations_first(part) for part in node]
    if not isinstance(node, dict):
        return node
    changed = {key: _with_annotations_first(value) for key, value in node.items()}
    if 'pipeline' in changed:
        changed['pipeline'] = sorted(changed['pipeline'], key=_turn)
    return changed


def _turn(transform: dict) -> int:
    """Return which of three turns a transform has; those of one turn stay in their order."""
    name = bare_name(transform['type'])
    return 0 if name.startswith(IMAGES) else 1 if name.startswith(ANNOTATIONS) else 2
