"""The model of a config with its weights, checked before anything is built."""

import re
import zlib
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch
from mmengine.config import Config

from ..configuration.image_size import configs_beside, size_line, size_of_training, with_size
from ..configuration.names import config_name, resolve
from ..configuration.read import files_of, read_config
from ..data.loading.image_file import is_picture
from ..data.sources import SUFFIXES
from ..errors import InputError
from ..export.writing import Original
from ..preparing.explain import explained
from ..preparing.own_data import take_classes_of
from ..preparing.settings import check_settings, use_options
from ..runtime.cache import Graphs, foreign_code, key_of, remember, versions
from ..runtime.card import ENDING, digest, read_threshold
from ..runtime.runtimes import BY_SUFFIX
from ..tasks import TASKS, find_task
from ..tasks.predictor import Predictor
from ..training.cores import share_cores
from ..training.distributed import choose_device
from ..training.find_checkpoint import checkpoint_in, choose_checkpoint
from ..utils import started
from ..utils.messages import in_one_line
from ..utils.run_files import POINTER
from ..weights.trained import trained_weights
from .graphs import GraphModel
from .open import FoundModel
from .request import AUTO, RUNTIMES, ModelRequest
from .run import Model

# What a config that is no matter of its files alone has, such as {{$SIDE:256}}
ELSEWHERE = re.compile(rb'\$|\b(import|open|environ|getenv)\b')
ANSWERED_BY = ('default_scope', 'model', 'data_preprocessor', 'test_dataloader')  # of a config


def read_model_config(name: str, changes: Mapping[str, Any], size: int | None = None) -> Config:
    """Return a checked config of a known task; nothing is built.

    Args:
        name: of a config, or a file.
        changes: ``--cfg-options``.
        size: side of images, None for that of the config.

    Raises:
        InputError: something is wrong with the config.
    """
    config = with_size(read_config(name), size)
    config = use_options(config, changes, 'model', 'test_dataloader')
    if find_task(config) is None:
        raise InputError(f'{config.filename}: default_scope must be one of {", ".join(TASKS)}')
    return check_settings(config, changes)


def weights_along(config: Config, otherwise: str) -> Path:
    """Return the weights of a config that the package includes.

    Args:
        config: as it was read.
        otherwise: what to do where there are none, the end of the message.

    Raises:
        InputError: there are none.
    """
    name = config_name(config.filename)
    trained = trained_weights()
    if name not in trained:
        raise InputError(
            f'{name}: the package includes no trained weights for this config, only for '
            f'{", ".join(trained)}. {otherwise}'
        )
    return trained[name]


class Weights(NamedTuple):
    """The checkpoint of a request, and its inputs."""

    checkpoint: Path
    inputs: tuple[str, ...]


class Configured(NamedTuple):
    """The config of a request for images of a size, its checkpoint, and its inputs."""

    config: Config
    size: int | None
    checkpoint: Path
    inputs: tuple[str, ...]


def _read(request: ModelRequest) -> Configured:
    config = read_model_config(request.config, request.cfg_options, request.size)
    weights = _find_weights(config, request)
    size = request.size or size_of_training(config, weights.checkpoint)
    if size != request.size:
        config = read_model_config(request.config, request.cfg_options, size)
    return Configured(config, size, *weights)


def find_configured(request: ModelRequest) -> FoundModel:
    """Find a model of a config; see :func:`.open.find_model`."""
    config, size, checkpoint, inputs = _read(request)
    device = choose_device(request.device)
    if size and started.is_command():
        print(size_line(config, size, is_given=request.size is not None))
    config = take_classes_of(config, checkpoint)
    share_cores(Config())  # nothing else wants them
    settings = {
        'CONFIG': f'{Path(config.filename).name} ({zlib.crc32(_parts(config).encode()):08x})',
        'CHECKPOINT': f'{checkpoint.name} ({_checksum(checkpoint):08x})',
        '--runtime': request.runtime,
        '--amp': request.amp,
        '--fused': request.fused,
        '--compile': request.compile,
    }

    def load_in_torch(reason: str) -> Predictor:
        with explained(config):
            model = Predictor(
                config, checkpoint, device, request.amp, request.fused, request.compile
            )
        model.runtime += reason
        return model

    along = config_name(config.filename) if checkpoint in trained_weights().values() else None

    def load() -> Model:
        reason = _why_torch(request, device)
        if reason is not None:
            return load_in_torch(reason)
        try:
            graphs = _graphs_of(request, config, checkpoint)
            original = _original(request, config, checkpoint)
            model = GraphModel(graphs, lambda: original, request.precision, request.streams)
        except Exception as error:  # of many kinds, as of what exports
            if request.precision not in (AUTO, 'f32'):
                raise
            if request.runtime != AUTO:
                raise InputError(f'--runtime {request.runtime}: {in_one_line(error)}') from error
            return load_in_torch(f', as {in_one_line(error)}')
        if graphs.names():
            _remember(request, config, checkpoint, graphs, found)
        return model

    found = FoundModel(
        load=load,
        settings=settings,
        inputs=[*inputs],
        task=TASKS[config.default_scope],
        weights=f'{checkpoint.name}, included in the package' if along else str(checkpoint),
        along=along,
        threshold=read_threshold(checkpoint),
    )
    return found


def graph_of(request: ModelRequest) -> Path | None:
    """Return the graph that ``test`` measures in the place of a checkpoint; say what runs and why.

    None where torch does: ``--runtime torch``, or ``auto`` where a graph cannot be had.

    Raises:
        InputError: there is no graph for another ``--runtime``.
    """
    config = read_model_config(request.config, request.cfg_options, request.size)
    reason = _why_torch(request, choose_device(request.device))
    if request.runtime == 'torch' or reason is not None:
        return None
    checkpoint = choose_checkpoint(str(request.checkpoint), 'CHECKPOINT')
    config = take_classes_of(config, checkpoint)
    graphs = _graphs_of(request, config, checkpoint)
    original = _original(request, config, checkpoint)
    try:
        if original.first is None:
            raise InputError(
                'an exported graph of this model accepts one fixed image size, but these '
                'images have several'
            )
        wanted = 'f32' if request.precision == 'f32' else AUTO  # bf16 is measured by the test
        runtime = GraphModel(graphs, lambda: original, wanted).runtime
    except Exception as error:  # of many kinds, as of what exports
        if request.runtime != AUTO:
            raise InputError(f'--runtime {request.runtime}: {in_one_line(error)}') from error
        print(f'runtime: torch, because {in_one_line(error)}')
        return None
    print(f'runtime: {runtime}')
    return graphs.file(original.first)


def original_of(request: ModelRequest) -> Original:
    """Return the model in torch of a request whose graphs are in the cache."""
    config, _, checkpoint, _ = _read(request)
    config = take_classes_of(config, checkpoint)
    share_cores(Config())
    return _original(request, config, checkpoint)


def _why_torch(request: ModelRequest, device: torch.device) -> str | None:
    """Return why torch computes, as the end of a sentence; None if graphs do.

    Raises:
        InputError: a runtime is asked for that does not go with another option.
    """
    given = request.for_torch()
    if request.precision not in (AUTO, 'f32'):
        if request.runtime in ('torch', 'onnxruntime') or given or device.type != 'cpu':
            raise InputError(
                f'--precision {request.precision}: requires OpenVINO on a CPU; in torch, use --amp '
                'or --fused bfloat16'
            )
        if request.precision == 'int8':
            raise InputError(
                "--precision int8: is for exported files; write one with 'export --to openvino "
                "--precision int8'"
            )
    if request.runtime not in (AUTO, 'torch') and (given or device.type != 'cpu'):
        what = given[0] if given else f'{device.type}; use --device cpu'
        raise InputError(f'--runtime {request.runtime} runs only on the CPU, and not with {what}')
    if request.runtime == 'torch':
        return ''
    if given:
        return f', because {given[0]} requires torch'
    if device.type != 'cpu':
        return ''
    if request.runtime == AUTO and not find_spec('openvino'):
        return "; OpenVINO would be faster: pip install 'vitbackbones[export]'"
    return None


def _parts(config: Config) -> str:
    """Return the parts of a config that answers depend on."""
    return repr([config.get(key) for key in ANSWERED_BY])


def _graphs_of(request: ModelRequest, config: Config, checkpoint: Path) -> Graphs:
    """Return the graphs of a model in the cache."""
    key = key_of(
        {
            'config': _parts(config),
            'weights': digest(checkpoint),
            'versions': versions(),
            'code': {str(file): digest(file) for file in foreign_code()},
        }
    )
    return Graphs(key, RUNTIMES[request.runtime])


def _original(request: ModelRequest, config: Config, checkpoint: Path) -> Original:
    """Return the model that graphs are made of."""
    return Original(config, checkpoint, BY_SUFFIX[RUNTIMES[request.runtime]].name)


def _remember(
    request: ModelRequest, config: Config, checkpoint: Path, graphs: Graphs, model: FoundModel
) -> None:
    """Note which model a request means, so that the next one like it needs no torch."""
    files = {*files_of(config)}
    if any(ELSEWHERE.search(file.read_bytes()) for file in files):
        return
    files |= {checkpoint, *configs_beside(config, checkpoint), *foreign_code()}
    given = resolve(request.first or '-')
    folders = [place for place in (given, given.parent) if place == checkpoint.parent]
    if given.is_dir():  # for its latest checkpoint, or of pictures
        folders = [given]
    files |= {folder / POINTER for folder in folders if (folder / POINTER).is_file()}
    threshold_file = Path(f'{checkpoint}{ENDING}')
    if threshold_file.is_file():
        files.add(threshold_file)
    else:  # one that comes changes the folder, such as that of downloads
        folders.append(checkpoint.parent)
    found = {
        'key': graphs.folder.name,
        'task': model.task,
        'settings': model.settings,
        'weights': model.weights,
        'along': model.along,
        'has_checkpoint': len(model.inputs) < len(request.inputs),
        'threshold': asdict(model.threshold) if model.threshold else None,
    }
    remember(request.words(), files, folders, found)


def _find_weights(config: Config, request: ModelRequest) -> Weights:
    """Find the checkpoint of a request; without one, weights that come with the package.

    Raises:
        InputError: there is no such checkpoint, or no weights come with the package.
    """
    if request.checkpoint:
        return Weights(choose_checkpoint(request.checkpoint, 'checkpoint'), request.inputs)
    come_along = config_name(config.filename) in trained_weights()
    if len(request.inputs) > 1 and not _is_input(Path(request.inputs[0]), come_along):
        return Weights(choose_checkpoint(request.inputs[0], 'CHECKPOINT'), request.inputs[1:])
    otherwise = (
        'Give CHECKPOINT before the inputs: the work dir of a training, a file, or the name of '
        'a published detector.'
    )
    return Weights(weights_along(config, otherwise), request.inputs)


def _is_input(path: Path, is_folder_possible: bool) -> bool:
    """Return whether a path before other inputs is one: a picture, a video or a folder of them."""
    if path.suffix.lower() in SUFFIXES or is_picture(path):
        return True
    if not is_folder_possible or not path.is_dir() or checkpoint_in(path):
        return False
    return any(file.suffix.lower() in SUFFIXES for file in path.iterdir())


def _checksum(file: Path) -> int:
    # no mmap: Python crashes if the file is cut short
    value = 0
    with open(file, 'rb') as opened:
        for part in iter(partial(opened.read, 2**20), b''):
            value = zlib.crc32(part, value)
    return value
