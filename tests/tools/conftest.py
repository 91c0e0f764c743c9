"""The data of the commands."""

from ..commands.conftest import folders  # noqa: F401
