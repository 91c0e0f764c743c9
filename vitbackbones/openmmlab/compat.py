"""The one place that knows how OpenMMLab releases differ and where they fail.

Called once by ``import vitbackbones``; silent. What it mends:

* ``mmdet.models`` and parts of mmseg import ``mmcv.ops``, which needs mmcv's compiled extension.
  Nothing here uses one of its operators, so where the extension is missing a stand-in is put in
  its place that raises only when an operator is really called.
* Checkpoints: some releases fall back to full unpickling, which runs code that a file brings
  along, others cannot read their own checkpoints under torch >= 2.6. All loading through mmengine
  is done by :mod:`vitbackbones.checkpoints` instead, also that of pickled annotations. YAML files
  are read as plain data.
* ``mmpretrain.models`` does not import beside transformers 5, although only its multimodal
  models, unused here, need transformers.
* onedl's mmdet warns that "metrics will not be computed" without faster-coco-eval. Only its own
  ``FasterCocoMetric`` needs that; the COCO metric of the configs does not.
* onedl's toolboxes print "Could not import OneDL", a message for debugging, once per package:
  mmengine's ``print_log`` prints whatever it is given no logger for.
* Inference functions fail with two toolboxes in one process, and in other ways:
  :mod:`vitbackbones.openmmlab.inference`.
"""

import functools
import importlib.util
import io
import logging
import sys
import warnings
from contextlib import nullcontext
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import BinaryIO, TextIO

import mmengine.logging
import mmengine.runner.checkpoint as mmengine_checkpoint
import yaml
from mmengine.fileio import get_file_backend, register_handler
from mmengine.fileio.handlers import PickleHandler, YamlHandler
from mmengine.runner.checkpoint import CheckpointLoader

from ..checkpoints.downloads import fetching, load_local_address, load_url
from ..checkpoints.filling import load_model_file
from ..checkpoints.reading import load_file, read_data, read_safely
from ..errors import InputError
from .inference import mend_inference


class _MissingOps(ModuleType):
    """Stands in for ``mmcv._ext``: every operator exists, and says what to do when called."""

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)

        def missing(*args, **kwargs):
            raise ImportError(
                f'mmcv operator {name!r} needs the compiled mmcv extension, which is not '
                'installed. No model of vitbackbones uses it; install mmcv with its operators '
                'to run this one.'
            )

        return missing


def stub_missing_ops() -> None:
    """Let toolboxes import without mmcv's compiled operators."""
    if 'mmcv._ext' in sys.modules or importlib.util.find_spec('mmcv._ext') is not None:
        return
    stub = _MissingOps('mmcv._ext')
    stub.__spec__ = ModuleSpec('mmcv._ext', loader=None)
    sys.modules['mmcv._ext'] = stub


def load_checkpoints_safely() -> None:
    """Route all of mmengine's loading through the safe reader, which needs no ``map_location``."""
    load_any = CheckpointLoader.load_checkpoint

    @functools.wraps(load_any)
    def load_named(filename: str, map_location=None, logger='current') -> dict:
        with fetching(filename) if '://' in str(filename) else nullcontext():
            return load_any(filename, map_location, logger)

    def load_from_local(filename: str, map_location=None) -> dict:
        return load_model_file(filename)

    def load_from_address(filename: str, map_location=None) -> dict:
        return load_local_address(filename)

    def load_from_storage(filename: str, map_location=None, backend: str = 'petrel') -> dict:
        storage = get_file_backend(filename, backend_args={'backend': backend})
        return read_safely(io.BytesIO(storage.get(filename)), filename)

    def load_from_url(url: str, model_dir=None, map_location=None, progress=True) -> dict:
        return load_url(url, model_dir, progress)

    def load_fetched(file: str | BinaryIO, map_location=None, weights_only=None) -> dict:
        return load_file(file) if isinstance(file, str) else read_safely(file, 'what was fetched')

    register = functools.partial(CheckpointLoader.register_scheme, force=True)
    register(prefixes='', loader=load_from_local)
    register(prefixes='file://', loader=load_from_address)
    register(prefixes=[r'(\S+\:)?s3://', r'(\S+\:)?petrel://'], loader=load_from_storage)
    CheckpointLoader.load_checkpoint = load_named
    mmengine_checkpoint.load_url = load_from_url  # for http(s)://, torchvision:// and open-mmlab://
    if hasattr(mmengine_checkpoint, '_safe_torch_load'):  # pavi:// and caches
        mmengine_checkpoint._safe_torch_load = load_fetched


class PlainPickleHandler(PickleHandler):
    """Reads annotations in a ``.pkl`` file as data."""

    def load_from_fileobj(self, file: BinaryIO, **options):
        return read_data(file, getattr(file, 'name', 'a .pkl file that the config names'))


class PlainYamlHandler(YamlHandler):
    """Reads a ``.yaml`` file as data; mmengine's calls what ``!!python/...`` tags name.

    It is libyaml's, too, which crashes on deep lists; this one is Python's.
    """

    def load_from_fileobj(self, file: TextIO, **options):
        try:
            return yaml.load(file, **{'Loader': yaml.SafeLoader} | options)
        except (yaml.YAMLError, RecursionError) as error:
            name = getattr(file, 'name', 'a .yaml file that the config names')
            raise InputError(f'{name}: is no YAML of plain data ({error})') from error


def load_annotations_safely() -> None:
    """Keep ``mmengine.load`` from running code that a pickle or YAML file brings along."""
    register_handler(['pkl', 'pickle'])(PlainPickleHandler)
    register_handler(['yaml', 'yml'])(PlainYamlHandler)


def skip_multimodal_models() -> None:
    """Keep mmpretrain from importing its multimodal models where transformers is too new."""
    try:
        too_new = int(version('transformers').split('.')[0]) >= 5
    except PackageNotFoundError:
        return
    if too_new and importlib.util.find_spec('mmpretrain') is not None:
        from mmpretrain.utils import dependency

        dependency.WITH_MULTIMODAL = False


def silence_false_alarms() -> None:
    """Ignore warnings about what is as it should be, and what is printed for debugging."""
    warnings.filterwarnings('ignore', message='faster_coco_eval is not installed')
    # torch's, of mmdet's losses, again after every evaluation
    warnings.filterwarnings('ignore', message='To copy construct from a tensor', module='mmdet')
    warnings.filterwarnings('ignore', message='The draw is False', module='mmseg')
    print_log = mmengine.logging.print_log

    @functools.wraps(print_log)
    def print_if_meant(msg, logger=None, level: int = logging.INFO) -> None:
        if logger is not None or level > logging.DEBUG:
            print_log(msg, logger, level)

    mmengine.logging.print_log = print_if_meant


class _ToRunnersLog(logging.Handler):
    """Hands what the package logs to the log of mmengine's present runner."""

    def emit(self, record: logging.LogRecord) -> None:
        mmengine.logging.print_log(record.getMessage(), 'current', record.levelno)


def log_with_mmengine() -> None:
    """Let the package's own log be part of a run's."""
    log = logging.getLogger('vitbackbones')
    if not log.handlers:
        log.addHandler(_ToRunnersLog())
        log.setLevel(logging.INFO)
        log.propagate = False


def prepare() -> None:
    """Do all of the above; safe to call more than once."""
    stub_missing_ops()
    load_checkpoints_safely()
    load_annotations_safely()
    skip_multimodal_models()
    silence_false_alarms()
    mend_inference()
    log_with_mmengine()
