"""What :mod:`vitbackbones.openmmlab.compat` mends of OpenMMLab's inference functions.

A script that calls ``mmseg.apis.inference_model`` knows nothing of this package, which is imported
only when the config is read or the model is built. The caller then already holds the functions,
so they stay as they are; replaced is what they look up when they are called: names in their
modules and methods of classes.

* Pipelines are built when inference begins, and the bare names in them (``PackSegInputs``) are
  looked up in the global default scope, that of the toolbox used last. With two toolboxes in one
  process ``inference_model``, ``inference_detector`` and ``ImageClassificationInferencer`` end in
  ``KeyError: PackSegInputs is not in the mmdet::transform registry``, depending on the order.
  Here each looks in its own toolbox.
* mmseg and mmdet write "the image is an array" into the model's config and read no file after it.
  Here they get a copy.
* ``mmpretrain.inference_model`` knows the task of models of its own zoo only, not of one built
  from a config. Here a classifier is known to classify.
* mmseg asserts that all images of a list have one size. Here others are taken one by one.
* ``ImageClassificationInferencer`` turns scores into numpy, which knows no bfloat16: it fails under
  autocast. Here they are turned into float32 first.
* Inferencers take the files of a folder in the order of the file system, and answer without names.
  Here the files are sorted.
* For a file that holds weights alone ``mmseg.apis.init_model`` ends in ``KeyError: 'meta'``, and
  the inferencers name and draw the classes of Cityscapes or COCO, whatever the config's are.
* Given weights without a config, the inferencers execute the text of a config that the file brings
  along. Here they ask for the config.
* A checkpoint of other classes than the config's loads with a log line, and its last layer stays
  random. For models with a backbone of this package that is an ``InputError``.
"""

import copy
import functools
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType, SimpleNamespace

from mmengine.config import Config
from mmengine.registry import DefaultScope

from ..checkpoints.class_names import checkpoint_meta, require_same_count
from ..config.metainfo import config_meta
from ..errors import InputError

PACKAGE = 'vitbackbones'

# ------------------------------------------------------------------------ what is mended


def _require_same_classes(model, names) -> None:
    if any(type(module).__module__.startswith(f'{PACKAGE}.') for module in model.modules()):
        require_same_count(names, model, 'the checkpoint')


def _checking_classes(load: Callable) -> Callable:
    """``load_checkpoint`` or ``_load_checkpoint_to_model`` that compares the classes."""

    @functools.wraps(load)
    def load_and_compare(model, *arguments, **options):
        checkpoint = load(model, *arguments, **options)
        _require_same_classes(model, checkpoint_meta(checkpoint).get('classes'))
        checkpoint.setdefault('meta', {})
        return checkpoint

    return load_and_compare


def _mend_segmentation(api: ModuleType) -> None:
    prepare = api._preprare_data

    @functools.wraps(prepare)
    def prepare_in_scope(images, model):
        own = SimpleNamespace(test_pipeline=copy.deepcopy(model.cfg.test_pipeline))
        with DefaultScope.overwrite_default_scope('mmseg'):
            return prepare(images, SimpleNamespace(cfg=own))

    api._preprare_data = prepare_in_scope
    api.load_checkpoint = _checking_classes(api.load_checkpoint)


def _mend_segmentor(module: ModuleType) -> None:
    step = module.BaseSegmentor.test_step

    @functools.wraps(step)
    def test_step(self, data):
        if len({image.shape for image in data['inputs']}) == 1:
            return step(self, data)
        pairs = zip(data['inputs'], data['data_samples'], strict=True)
        singles = ({'inputs': [image], 'data_samples': [sample]} for image, sample in pairs)
        return [result for single in singles for result in step(self, single)]

    module.BaseSegmentor.test_step = test_step


def _mend_detection(api: ModuleType) -> None:
    find, compose = api.get_test_pipeline_cfg, api.Compose

    def compose_in_scope(transforms):
        with DefaultScope.overwrite_default_scope('mmdet'):
            return compose(transforms)

    api.get_test_pipeline_cfg = lambda config: copy.deepcopy(find(config))
    api.Compose = compose_in_scope
    api.load_checkpoint = _checking_classes(api.load_checkpoint)


def _sort_folders(inferencer: type) -> None:
    listed = inferencer._inputs_to_list

    @functools.wraps(listed)
    def inputs_to_list(self, inputs):
        found = listed(self, inputs)
        return sorted(found) if isinstance(inputs, str) else found

    inferencer._inputs_to_list = inputs_to_list


def _mend_inferencers(module: ModuleType) -> None:
    initialize = module.BaseInferencer._init_model

    @functools.wraps(initialize)
    def init_model(self, config, weights, *arguments, **options):
        if not config:
            raise InputError(
                f'{weights}: {type(self).__name__} needs the config of these weights, too: '
                'give it as model=CONFIG. A config inside a checkpoint is never used, because it '
                'is Python and would run.'
            )
        return initialize(self, config, weights, *arguments, **options)

    module.BaseInferencer._init_model = init_model


def _mend_inferencer(name: str, api: ModuleType) -> None:
    api._load_checkpoint_to_model = _checking_classes(api._load_checkpoint_to_model)
    inferencer = getattr(api, name)
    _sort_folders(inferencer)
    load = inferencer._load_weights_to_model

    @functools.wraps(load)
    def load_with_names(self, model, checkpoint, config):
        if checkpoint is not None and not checkpoint.get('meta'):
            state = checkpoint.get('state_dict', checkpoint)
            checkpoint = {'state_dict': state, 'meta': {'dataset_meta': config_meta(config)}}
        return load(self, model, checkpoint, config)

    inferencer._load_weights_to_model = load_with_names


def _mend_classification(api: ModuleType) -> None:
    cls = api.ImageClassificationInferencer
    initialize, forward = cls.__init__, cls.forward

    @functools.wraps(initialize)
    def __init__(self, *arguments, **options) -> None:
        with DefaultScope.overwrite_default_scope('mmpretrain'):
            initialize(self, *arguments, **options)
        _require_same_classes(self.model, self.classes)

    @functools.wraps(forward)
    def forward_to_float(self, *arguments, **options):
        answers = forward(self, *arguments, **options)
        return [answer.set_pred_score(answer.pred_score.float()) for answer in answers]

    cls.__init__, cls.forward = __init__, forward_to_float
    _sort_folders(cls)


CLASSIFICATION = SimpleNamespace(results=[SimpleNamespace(task='Image Classification')])


def _mend_classifier(module: ModuleType) -> None:
    """Let a classifier without an entry in the model zoo say that it classifies."""

    def get(self):
        return self.__dict__.get('_metainfo') or CLASSIFICATION

    def put(self, entry) -> None:
        self.__dict__['_metainfo'] = entry

    module.BaseClassifier._metainfo = property(get, put)


def _mend_zoo(api: ModuleType) -> None:
    """Let ``inference_model`` take a config or its path, as ``get_model`` does."""
    find = api.ModelHub.get

    def get(model):
        is_config = isinstance(model, Config) or Path(model).suffix == '.py'
        return CLASSIFICATION if is_config else find(model)

    api.ModelHub.get = staticmethod(get)


MENDS = {
    'mmengine.infer.infer': _mend_inferencers,
    'mmseg.apis.inference': _mend_segmentation,
    'mmseg.apis.mmseg_inferencer': functools.partial(_mend_inferencer, 'MMSegInferencer'),
    'mmseg.models.segmentors.base': _mend_segmentor,
    'mmdet.apis.inference': _mend_detection,
    'mmdet.apis.det_inferencer': functools.partial(_mend_inferencer, 'DetInferencer'),
    'mmpretrain.apis.image_classification': _mend_classification,
    'mmpretrain.apis.model': _mend_zoo,
    'mmpretrain.models.classifiers.base': _mend_classifier,
}

# ------------------------------------------------------------------------ when


class _AfterImport(MetaPathFinder):
    """Mends each module of ``MENDS`` as soon as it is imported; importing them here would take
    seconds and fail where a toolbox is not installed."""

    def find_spec(self, name: str, path=None, target=None):
        if name not in MENDS:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        specs = (finder.find_spec(name, path, target) for finder in others)
        spec = next(filter(None, specs), None)
        if spec is not None:
            spec.loader.exec_module = _and_then(spec.loader.exec_module, MENDS[name])
        return spec


def _and_then(execute: Callable, mend: Callable) -> Callable:
    def execute_and_mend(module: ModuleType) -> None:
        execute(module)
        mend(module)

    return execute_and_mend


def mend_inference() -> None:
    """Mend what is imported already, and the rest when it is; once in a process."""
    if any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _AfterImport())
    for name, mend in MENDS.items():
        if name in sys.modules:
            mend(sys.modules[name])
