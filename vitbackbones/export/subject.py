"""The subject of an export: a network with named outputs, and the facts for its metadata file.

It comes from a config and a checkpoint, or is a model by name. Weights are read as for a
prediction: by the same words, with the same checks.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from mmengine.config import Config
from torch import nn

from ..backbones.by_name import create_model
from ..configuration.classes import agreed_meta
from ..configuration.names import config_name, resolve
from ..configuration.settings import model_settings
from ..errors import InputError
from ..runtime.card import digest, read_threshold
from ..tasks import TASKS
from ..tasks.predictor import Predictor
from ..training.find_checkpoint import BEST, find_checkpoint
from ..weights import fetch
from ..weights.table import license_of
from ..weights.trained import LICENSE, trained_weights
from .formats import silenced
from .models import ExportableClassifier, FromRGB, exportable
from .pipeline import Size, native_size, steps_of, steps_of_data


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is exported.

    Attributes:
        name: of the config or model.
        task: a folder of ``tasks``.
        network: maps images (N, 3, H, W), normalized, to a tuple; see :func:`.models.exportable`.
        size: height and width that images have by default, None where nothing says them.
        mean, std: of the three channels in RGB, 0 to 255.
        classes: their names.
        palette: their colors, or None.
        steps: returns how a picture becomes an image, for a size or for None, any size.
        checkpoint: ``{'file': name, 'sha256': ..., 'license': SPDX identifier or None}``; None for
            initial weights.
        threshold: of the weights, None where none was chosen.
    """

    name: str
    task: str
    network: nn.Module
    size: Size | None
    mean: list[float]
    std: list[float]
    classes: list[str]
    palette: list | None
    steps: Callable[[Size | None], list[dict]]
    checkpoint: dict | None
    threshold: dict | None = None


def of_model(name: str, checkpoint: str | Path | None, trained: bool = True) -> Subject:
    """Return a model by name.

    Args:
        name: one of :func:`~vitbackbones.list_models`.
        checkpoint: a file, a work dir, ``WORK_DIR/best``, a name or an address, None for the
            published weights.
        trained: False to leave the weights as they are initialized.

    Raises:
        OptionError: an unknown name.
        InputError: the weights are not to be had, or do not fill the model.
    """
    source = ''
    if not trained:
        file = None
    elif checkpoint and (resolve(checkpoint).exists() or Path(checkpoint).name == BEST):
        file = find_checkpoint(str(checkpoint), 'CHECKPOINT')
    else:
        source = str(checkpoint or name)
        file = fetch(source)
    model = create_model(name, checkpoint=file).eval()
    data = model.data_config
    if model.backbone.in_channels != 3:
        raise InputError(
            f'{name}: images must have 3 channels to be exported, not {model.backbone.in_channels}'
        )
    return Subject(
        name=name,
        task='classification',
        network=ExportableClassifier(model),
        size=tuple(data['input_size'][1:]),
        mean=[255 * value for value in data['mean']],
        std=[255 * value for value in data['std']],
        classes=[str(i) for i in range(model.num_classes)],
        palette=None,
        steps=lambda size: steps_of_data(data, size),
        checkpoint=_named(file, source),
    )


def of_config(
    config: Config, output: str = 'logits', predictor: Predictor | None = None
) -> Subject:
    """Return the model of a config.

    Args:
        config: of a detector, a segmentor or a classifier, checked. ``load_from`` is the file with
            its weights; None leaves them as they are initialized.
        output: of a segmentor: ``'logits'``, or ``'mask'`` for the best class of each pixel.
        predictor: the model with its weights, where it was built before.

    Raises:
        InputError: the checkpoint is of another model, or the model or its test pipeline cannot be
            expressed; the message says which part.
    """
    checkpoint = Path(config.load_from) if config.get('load_from') else None
    if predictor is None:
        predictor = Predictor(config, checkpoint, torch.device('cpu'))
    if checkpoint is None:
        with silenced():  # mmengine logs every parameter
            predictor.model.init_weights()  # until then some are what the memory held
    meta = predictor.meta or agreed_meta(config, {}, predictor.model, config.filename)
    settings = model_settings(config).get('data_preprocessor') or {}
    task = TASKS[config.default_scope]
    threshold = read_threshold(checkpoint) if checkpoint else None
    network = exportable(predictor.model, task, output)
    mean = _of_channels(settings.get('mean'), 0)
    std = _of_channels(settings.get('std'), 1)
    if not (settings.get('bgr_to_rgb') or settings.get('to_rgb')):
        network = FromRGB(network)
        mean.reverse()
        std.reverse()
    return Subject(
        name=config_name(config.filename),
        task=task,
        network=network.eval(),
        size=native_size(steps_of(config)),
        mean=mean,
        std=std,
        classes=list(meta['classes']),
        palette=meta.get('palette'),
        steps=lambda size: steps_of(config, size),
        checkpoint=_named(checkpoint),
        threshold=asdict(threshold) if threshold else None,
    )


def _of_channels(given: Sequence[float] | float | None, otherwise: float) -> list[float]:
    """Return a number for each of three channels."""
    return np.broadcast_to(otherwise if given is None else given, 3).astype(float).tolist()


def _named(file: Path | None, source: str = '') -> dict | None:
    """Return what a card says of the weights in a file, which were fetched from ``source``."""
    if file is None:
        return None
    sha256 = digest(file)
    license = LICENSE if file in trained_weights().values() else license_of(source, sha256)
    return {'file': file.name, 'sha256': sha256, 'license': license}
