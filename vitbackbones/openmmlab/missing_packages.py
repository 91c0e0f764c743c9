"""What toolboxes import although no model of this package needs it."""

from importlib.metadata import PackageNotFoundError, version
from types import ModuleType


class MissingOperators(ModuleType):
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


def without_new_transformers(with_multimodal: bool) -> bool:
    """Leave mmpretrain's multimodal models out where transformers is too new for them."""
    try:
        return with_multimodal and int(version('transformers').partition('.')[0]) < 5
    except PackageNotFoundError:
        return with_multimodal
