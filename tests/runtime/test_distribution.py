"""The distribution that runs exported files: built from this tree, alone, without torch."""

import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from .graphs import write_classifier

SETUP = Path(__file__).parents[2] / 'packaging' / 'runtime' / 'setup.py'
# what its pyproject.toml does not ask for
ALONE = """
import sys
absent = ('torch', 'torchvision', 'mmengine', 'filelock', 'safetensors', 'jinja2', 'scipy', 'yaml')
sys.modules.update(dict.fromkeys(absent))
from vitbackbones.commands.main import main
sys.exit(main())
"""


@pytest.fixture(scope='module')
def run(tmp_path_factory):
    """Run the command with the distribution alone."""
    folder = tmp_path_factory.mktemp('runtime')
    build = [sys.executable, SETUP.name, '--quiet', 'build_py', '--build-lib', str(folder / 'lib')]
    subprocess.run(build, cwd=SETUP.parent, check=True)

    def call(*arguments):
        command = [sys.executable, '-c', ALONE, *map(str, arguments)]
        environment = {'PYTHONPATH': str(folder / 'lib'), 'HOME': str(folder)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return folder, call


def test_it_predicts_with_an_exported_file(run):
    folder, call = run
    assert not (folder / 'lib/vitbackbones/backbones').exists()
    write_classifier(folder / 'model.onnx', batch=1, steps=[{'type': 'resize', 'size': [32, 32]}])
    cv2.imwrite(str(folder / 'picture.png'), np.zeros((40, 60, 3), np.uint8))
    status, printed = call('predict', 'model.onnx', 'picture.png', '--out', 'out')
    assert status == 0, printed
    assert len(json.loads((folder / 'out/predictions.json').read_text())) == 1


def test_what_it_lacks_is_one_message(run):
    _, call = run
    for arguments in (('train', 'a.py'), ('predict', 'quick_detector', 'a.png', '--out', 'b')):
        status, printed = call(*arguments)
        assert (status, printed.count('\n')) == (2, 1)
        assert 'vitbackbones-runtime only runs exported files' in printed
