"""The model of ``predict`` that torch computes: a config and its weights."""

import zlib
from argparse import Namespace
from functools import partial
from pathlib import Path

from mmengine.config import Config

from ..configuration.checks.explain import explained
from ..configuration.checks.own_data import take_classes_of
from ..configuration.names import config_name
from ..inference.predictor import Predictor, choose_device
from ..inference.sources import SUFFIXES
from ..tasks import find_task
from ..training.cores import share_cores
from ..training.find_checkpoint import checkpoint_in, choose_checkpoint
from ..utils.process_settings import keep_freed_memory
from ..weights.trained import trained_weights
from .model_config import read_model_config, weights_along

ANSWERED_BY = ('default_scope', 'model', 'data_preprocessor', 'test_dataloader')  # of a config


class EagerModel:
    """A config and its weights, checked and found, but not built.

    Attributes:
        inputs: what the command line names to be predicted.
        writer: of the task.

    Raises:
        InputError: something is wrong with the config or the device, or there are no weights.
    """

    def __init__(self, options: Namespace) -> None:
        config = read_model_config(options.config, options.cfg_options)
        self.options = options
        self.device = choose_device(options.device)
        self.checkpoint, self.inputs = _find_weights(config, options)
        self.config = take_classes_of(config, self.checkpoint)
        self.writer = find_task(config).writer

    def open(self) -> Predictor:
        """Build the model and fill it."""
        share_cores(Config())  # nothing else wants them
        keep_freed_memory()
        options = self.options
        how = self.device, options.amp, options.fused, options.compile
        with explained(self.config):
            return Predictor(self.config, self.checkpoint, *how)

    def settings(self) -> dict:
        """Return what the answers depend on, by the names that a user knows."""
        parts = repr([self.config.get(key) for key in ANSWERED_BY]).encode()
        weights = 0
        # no mmap: Python crashes if the file is cut short
        with open(self.checkpoint, 'rb') as file:
            for part in iter(partial(file.read, 2**20), b''):
                weights = zlib.crc32(part, weights)
        return {
            'CONFIG': f'{Path(self.config.filename).name} ({zlib.crc32(parts):08x})',
            'CHECKPOINT': f'{self.checkpoint.name} ({weights:08x})',
            '--amp': self.options.amp,
            '--fused': self.options.fused,
            '--compile': self.options.compile,
        }


def _find_weights(config: Config, options: Namespace) -> tuple[Path, list[str]]:
    """Return the checkpoint and the inputs; without one, weights that come with the package.

    Raises:
        InputError: there is no such checkpoint, or none is given and none comes along.
    """
    first, *others = options.checkpoint, *options.inputs
    has_weights = config_name(config.filename) in trained_weights()
    if others and not _is_input(Path(first), has_weights):
        return choose_checkpoint(first, 'CHECKPOINT'), others
    otherwise = (
        'Give CHECKPOINT before the inputs: the work dir of a training, a file, or the name of a '
        'published detector.'
    )
    return weights_along(config, otherwise), [first, *others]


def _is_input(path: Path, has_weights: bool) -> bool:
    """Return whether a path before other inputs is one: a picture, a video or a folder of them.

    Args:
        path: as given.
        has_weights: whether weights come with the package, so that none need be given.
    """
    if path.suffix.lower() in SUFFIXES:
        return True
    if not has_weights or not path.is_dir() or checkpoint_in(path):
        return False
    return any(file.suffix.lower() in SUFFIXES for file in path.iterdir())
