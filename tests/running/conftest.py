"""The commands, and their data."""

from ..commands.conftest import data, run, tool  # noqa: F401
