"""The one place that knows how OpenMMLab releases differ and where they fail.

Called once by ``import vitbackbones``; silent. What it mends:

* ``mmdet.models`` and parts of mmseg import ``mmcv.ops``, which needs mmcv's compiled extension.
  Nothing here uses one of its operators, so where the extension is missing a stand-in is put in
  its place that raises only when an operator is really called.
* Checkpoints: some releases fall back to full unpickling, which runs code that a file brings
  along, others cannot read their own checkpoints under torch >= 2.6. All loading through mmengine
  is done by :mod:`vitbackbones.checkpoint` instead.
* ``mmpretrain.models`` does not import beside transformers 5, although only its multimodal
  models, unused here, need transformers.
* onedl's mmdet warns that "metrics will not be computed" without faster-coco-eval. Only its own
  ``FasterCocoMetric`` needs that; the COCO metric of the configs does not.
* Inference functions fail with two toolboxes in one process, and in other ways:
  :mod:`vitbackbones.compat_apis`.
"""

import importlib.util
import sys
import warnings
from importlib.machinery import ModuleSpec
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

import mmengine.runner.checkpoint as mmengine_checkpoint
from mmengine.runner.checkpoint import CheckpointLoader

from .checkpoint import load_model_file, load_url, read_safely
from .compat_apis import mend_inference


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
    """Route all of mmengine's loading through the safe loader."""

    def load_local(filename: str, map_location=None):
        return load_model_file(filename, map_location)

    def load_fetched(file, map_location=None, weights_only=None):
        name = file if isinstance(file, str) else 'the fetched checkpoint'
        return read_safely(file, name, map_location)

    CheckpointLoader.register_scheme(prefixes='', loader=load_local, force=True)
    # http(s)://, torchvision:// and open-mmlab:// all end in this function
    mmengine_checkpoint.load_url = load_url
    if hasattr(mmengine_checkpoint, '_safe_torch_load'):  # s3://, petrel://, pavi:// and caches
        mmengine_checkpoint._safe_torch_load = load_fetched


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
    """Ignore the warning about faster-coco-eval."""
    warnings.filterwarnings('ignore', message='faster_coco_eval is not installed')


def prepare() -> None:
    """Do all of the above; safe to call more than once."""
    stub_missing_ops()
    load_checkpoints_safely()
    skip_multimodal_models()
    silence_false_alarms()
    mend_inference()
