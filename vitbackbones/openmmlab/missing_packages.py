"""What toolboxes import although no model of this package needs it."""

from importlib.metadata import PackageNotFoundError, version
from types import ModuleType

from ..errors import InputError


class ImgAug(ModuleType):
    """Stands in for ``imgaug`` and its modules alike. What is used of it says what is missing."""

    __path__ = ()  # it has modules

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)

        def missing(*args, **kwargs):
            raise InputError(f'{self.__name__}.{name} is not installed: pip install imaug')

        return missing


def without_new_transformers(with_multimodal: bool) -> bool:
    """Leave mmpretrain's multimodal models out where transformers is too new for them."""
    try:
        return with_multimodal and int(version('transformers').partition('.')[0]) < 5
    except PackageNotFoundError:
        return with_multimodal
