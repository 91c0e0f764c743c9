"""Packages that only some tools need."""

from importlib import import_module
from types import ModuleType

from ..errors import InputError


def import_optional(module: str, package: str) -> ModuleType:
    """Return a module.

    Args:
        module: its name.
        package: the name of the package that pip installs it by.

    Raises:
        InputError: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise InputError(f'{error}; install it: pip install {package}') from error
