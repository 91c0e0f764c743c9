"""Registries of the scope ``vitbackbones``, and where each name in them lives.

A config that says ``type='vitbackbones.AugViT'`` makes mmengine import this module by itself, from
whatever toolbox it runs in. The object behind a name is imported when the name is asked for, so a
run of one toolbox never imports another. Nothing that can fail is imported here: mmengine would
hide the error.
"""

from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import Any

from mmengine.registry import Registry, root

from .errors import InputError

SCOPE = 'vitbackbones'
PLUGINS = f'{SCOPE}.plugins'  # a group of entry points
# what builds the optimizer of every config that names no constructor
GROUPED = f'{SCOPE}.GroupedOptimWrapperConstructor'


def bare_name(kind: object) -> str:
    """Return what a config gives as ``type``, without its scope.

    >>> bare_name('mmdet.CocoDataset')
    'CocoDataset'
    """
    return str(kind).rpartition('.')[2]


# First parts of paths that configs, and dumps of them, have in place of names: rooms of today and
# of earlier releases.
ROOMS = (
    *('backbones', 'checkpoint', 'data', 'datasets', 'engine', 'export', 'heads'),
    *('inference', 'models', 'necks', 'openmmlab', 'tasks', 'tracking', 'training'),
)


class _Objects(MutableMapping):
    """What a registry holds by name: what was registered, and what is imported on demand.

    A path inside this package stands for its last part, wherever that lives by now:
    ``engine.amp.Bf16OptimWrapper``, which ``--amp`` once wrote.

    Args:
        table: the objects of each module, ``{'data.shards.dataset': 'ImageNetShards'}``.
        hosts: a module whose ``HOSTS`` are held, too; it is imported for the first name.
    """

    def __init__(self, table: Mapping[str, str], hosts: str) -> None:
        self.registered: dict[str, Any] = {}
        self.table = table
        self.hosts = hosts

    @cached_property
    def homes(self) -> dict[str, str]:
        """The module of each name that is imported on demand."""
        hosts = import_module(f'{SCOPE}.{self.hosts}').HOSTS if self.hosts else ()
        named = {key: module for module, keys in self.table.items() for key in keys.split()}
        return named | {host.__name__: self.hosts for host in hosts}

    def __getitem__(self, key: str) -> Any:
        path = key.removeprefix(f'{SCOPE}.')
        name = bare_name(path) if path.partition('.')[0] in ROOMS else path
        if name in self.registered:
            return self.registered[name]
        return resolve_name(f'{SCOPE}.{self.homes[name]}:{name}')

    def __setitem__(self, name: str, registered: Any) -> None:
        self.registered[name] = registered

    def __delitem__(self, name: str) -> None:
        del self.registered[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.homes, **self.registered})

    def __len__(self) -> int:
        return len({**self.homes, **self.registered})


class LazyRegistry(Registry):
    """A child of one of mmengine's registries that imports what it holds when asked.

    Args:
        parent: mmengine's registry of the same kind of objects.
        table, hosts: what it holds, see :class:`_Objects`.
    """

    def __init__(self, parent: Registry, table: Mapping[str, str], hosts: str = '') -> None:
        super().__init__(parent.name, parent=parent, scope=SCOPE)
        self._module_dict = _Objects(table, hosts)

    def __repr__(self) -> str:
        # mmengine's table shows the objects, and would import every toolbox for them
        return f'Registry of {self.name} in {SCOPE}: {", ".join(sorted(self._module_dict))}'

    def get(self, key: str) -> Any:
        """Return the object of a name or a path, of this registry or its ancestors."""
        return self._module_dict.get(key) or super().get(key)

    def import_from_location(self) -> None:
        """Import the plug-ins: mmengine asks for a name that it did not find so far."""
        import_plugins()


@cache
def import_plugins() -> None:
    """Import the modules that installed packages name as entry points of :data:`PLUGINS`, once.

    They register what they have, by ``@vitbackbones.registry.MODELS.register_module()``.

    Raises:
        InputError: one cannot be imported.
    """
    for entry in entry_points(group=PLUGINS):
        try:
            entry.load()
        except Exception as error:  # of any kind, as the code is another's
            package = f'{entry.dist.name} {entry.dist.version}' if entry.dist else 'a package'
            raise InputError(
                f'the plug-in {entry.value} of {package} cannot be imported '
                f'({type(error).__name__}: {error}); repair it, or uninstall the package'
            ) from error


MODELS = LazyRegistry(
    root.MODELS,
    {
        'export.in_test': 'ExportedInTest',
        'backbones.foreign.huggingface': 'HuggingFace',
        'backbones.foreign.timm_models': 'Timm',
        'inference.tiles_in_test': 'TiledInTest',
        'necks': 'FPN ChannelMapper Levels Pyramid SimpleFeaturePyramid',
        'tasks.detection.detr': 'DETR DilatedResNet',
        'tasks.detection.dino': 'DINO',
        'tasks.detection.rtmdet_ins': 'RTMDetInsHead',
        'tasks.detection.eomt': 'EoMT EoMTHead',
        'tasks.segmentation.eomt': 'EoMTDecodeHead EoMTSegmentor',
        'tasks.segmentation.setr': 'MLANeck SETRAuxHead SETRMLAHead SETRNaiveHead SETRPUPHead',
        'tasks.classification.classifier': 'ImageClassifier',
        'tasks.classification.dense_distillation': 'DenselyDistilled',
        'tasks.classification.distillation': 'Distilled DistillationHead',
        'tasks.classification.erasing': 'ErasingPreprocessor',
    },
    hosts='backbones',
)
DATASETS = LazyRegistry(
    root.DATASETS,
    {
        'data.loading.mask_pairs': 'MaskPairs',
        'data.shards.dataset': 'ImageNetShards',
        'tasks.classification.public_sets': (
            'CIFAR10 CIFAR100 IdxPictures ImageNetV2 INaturalist TinyImageNet'
        ),
    },
)
METRICS = LazyRegistry(
    root.METRICS,
    {'audit.regions': 'DoubtfulRegions', 'tasks.classification.public_sets': 'ReaLAccuracy'},
)
TRANSFORMS = LazyRegistry(
    root.TRANSFORMS,
    {
        'data.loading.fast_crop': 'RandomResizedCrop',
        'data.loading.load_image': 'LoadImage',
        'data.loading.load_mask': 'LoadMask',
        'data.loading.pixels': 'InOrder RandomFlip ToPlanes',
        'data.loading.rand_augment': 'RandAugment',
        'data.loading.segmentation_steps': 'PhotoMetricDistortion RandomCrop',
    },
)
HOOKS = LazyRegistry(
    root.HOOKS,
    {
        'training.hooks': 'CoefficientsHook LogFolderHook PicturesHook ProgressHook RunPageHook',
        'training.hooks.adapters': 'AdaptersHook',
        'training.hooks.cached_maps': 'CachedMapsHook',
        'training.hooks.checkpoint': 'CheckpointHook',
        'training.hooks.compile': 'CompileHook',
        'training.hooks.curves': 'CurvesHook',
        'training.hooks.data_workers': 'DataWorkersHook',
        'training.hooks.early_stopping': 'EarlyStoppingHook',
        'training.hooks.ema': 'EMAHook',
        'training.hooks.evaluation': (
            'CorrectPicturesHook EvalModeHook FusedHook GatherHook SameStatisticsHook'
        ),
        'training.hooks.exact_resume': 'ExactResumeHook',
        'training.hooks.finite_loss': 'FiniteLossHook',
        'training.hooks.first_evaluation': 'FirstEvaluationHook',
        'training.hooks.fitting_checkpoint': 'FittingCheckpointHook',
        'training.hooks.starting_checkpoint': 'StartingCheckpointHook',
        'training.hooks.interrupt': 'InterruptHook',
        'training.hooks.unreadable_images': 'UnreadableImagesHook',
        'trackers.hook': 'TrackHook',
    },
)
OPTIM_WRAPPERS = LazyRegistry(root.OPTIM_WRAPPERS, {'training.precision': 'Bf16OptimWrapper'})
OPTIM_WRAPPER_CONSTRUCTORS = LazyRegistry(
    root.OPTIM_WRAPPER_CONSTRUCTORS,
    {
        'training.layer_decay': 'LayerDecayOptimWrapperConstructor',
        'training.param_groups': 'GroupedOptimWrapperConstructor',
    },
)
PARAM_SCHEDULERS = LazyRegistry(root.PARAM_SCHEDULERS, {'training.schedules': 'PolyLR'})
WEIGHT_INITIALIZERS = LazyRegistry(root.WEIGHT_INITIALIZERS, {'openmmlab.loading': 'Pretrained'})
