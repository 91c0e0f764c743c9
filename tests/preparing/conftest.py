"""Data that several tests of this folder look into."""

import pytest

from vitbackbones.data import shapes


@pytest.fixture
def annotations(tmp_path, monkeypatch):
    """The folder of the annotations, with the data in ``data`` of the current directory."""
    monkeypatch.chdir(tmp_path)
    shapes.write(tmp_path / 'data', train=6, val=4, size=48)
    return tmp_path / 'data' / 'annotations'
