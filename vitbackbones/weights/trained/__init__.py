"""Small trained models that the package includes, each under the name of its config.

``NAME.safetensors`` has the weights and the names of the classes, ``NAME.md`` is its card. Both
were written by ``publish`` from a run of the config. ``backbones`` has what other models start
from, in half precision: backbones (``publish --backbone``), and a detector (``publish --half``).
"""

from pathlib import Path

FOLDER = Path(__file__).parent
LICENSE = 'Apache-2.0'  # of these weights, as an SPDX identifier


def trained_weights() -> dict[str, Path]:
    """Return the files of weights by the names of their configs, sorted."""
    return {file.stem: file for file in sorted(FOLDER.glob('*.safetensors'))}


def trained_backbones() -> dict[str, Path]:
    """Return the files of weights that other models start from by name, sorted."""
    return {file.stem: file for file in sorted((FOLDER / 'backbones').glob('*.safetensors'))}


def included() -> dict[str, Path]:
    """Return all files of weights in the package by name."""
    return trained_weights() | trained_backbones()
