"""Child registries with the scope ``vitbackbones``.

A configuration that says ``type='vitbackbones.AugViT'`` makes mmengine import this module
by itself, from whatever toolbox it runs in, and the first lookup then imports ``locations``.
Nothing that can fail is imported here: mmengine would hide the error.
"""

from mmengine.registry import DATASETS as ROOT_DATASETS
from mmengine.registry import HOOKS as ROOT_HOOKS
from mmengine.registry import METRICS as ROOT_METRICS
from mmengine.registry import MODELS as ROOT_MODELS
from mmengine.registry import OPTIM_WRAPPER_CONSTRUCTORS as ROOT_OPTIM_WRAPPER_CONSTRUCTORS
from mmengine.registry import PARAM_SCHEDULERS as ROOT_PARAM_SCHEDULERS
from mmengine.registry import STRATEGIES as ROOT_STRATEGIES
from mmengine.registry import TRANSFORMS as ROOT_TRANSFORMS
from mmengine.registry import WEIGHT_INITIALIZERS as ROOT_WEIGHT_INITIALIZERS
from mmengine.registry import Registry


def _child(name: str, parent: Registry, *locations: str) -> Registry:
    return Registry(name, parent=parent, scope='vitbackbones', locations=list(locations))


def bare_name(kind: object) -> str:
    """What a config gives as ``type``, without its scope.

    >>> bare_name('mmdet.CocoDataset')
    'CocoDataset'
    """
    return str(kind).rpartition('.')[2]


MODELS = _child('model', ROOT_MODELS, 'vitbackbones.backbones', 'vitbackbones.heads')
HOOKS = _child('hook', ROOT_HOOKS, 'vitbackbones.engine')
OPTIM_WRAPPER_CONSTRUCTORS = _child(
    'optimizer wrapper constructor', ROOT_OPTIM_WRAPPER_CONSTRUCTORS, 'vitbackbones.engine'
)
PARAM_SCHEDULERS = _child('parameter scheduler', ROOT_PARAM_SCHEDULERS, 'vitbackbones.engine')
STRATEGIES = _child('strategy', ROOT_STRATEGIES, 'vitbackbones.engine')
DATASETS = _child('dataset', ROOT_DATASETS, 'vitbackbones.datasets')
METRICS = _child('metric', ROOT_METRICS, 'vitbackbones.datasets')
TRANSFORMS = _child('transform', ROOT_TRANSFORMS, 'vitbackbones.datasets')
WEIGHT_INITIALIZERS = _child(
    'weight initializer', ROOT_WEIGHT_INITIALIZERS, 'vitbackbones.checkpoint'
)
