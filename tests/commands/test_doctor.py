"""``doctor`` in environments of stub packages: nothing heavy is imported, nothing stops it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..configuration.doctor.test_facts import install

RUN = """
import sys
from argparse import ArgumentParser
from vitbackbones.commands.doctor import add_arguments, doctor
parser = ArgumentParser()
add_arguments(parser)
doctor(parser.parse_args())
"""
ROOT = Path(__file__).parents[2]
VISION = "raise RuntimeError('operator torchvision::nms does not exist')"
GL = "raise ImportError('libGL.so.1: cannot open shared object file')"


@pytest.fixture
def stubs(tmp_path):
    """A folder of packages that cannot be imported."""
    for name, version in (('opencv-python', '4.12.0.88'), ('mmdet', '3.3.0'), ('torch', '2.13.0')):
        install(tmp_path, name, version)
    install(tmp_path, 'torchvision', '0.26.0', ['torch==2.11.0'])
    install(tmp_path, 'onedl-mmengine', '0.10.12')
    for name in ('torch', 'numpy', 'mmcv', 'mmdet', 'mmseg', 'mmpretrain', 'pycocotools'):
        (tmp_path / f'{name}.py').write_text("raise ImportError('broken')")
    (tmp_path / 'torchvision.py').write_text(VISION)
    (tmp_path / 'cv2.py').write_text(GL)
    return tmp_path


def run(folder, *arguments):
    """Run without what is installed here, as from an empty environment."""
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, '-S', '-c', RUN, *arguments],
        env={**os.environ, 'PYTHONPATH': path},
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_everything_that_is_broken_is_named_and_the_status_says_so(stubs):
    ended = run(stubs, '--json')
    assert ended.returncode == 1, ended.stderr
    found = {each['check']: each for each in json.loads(ended.stdout)}
    wrong = {name for name, each in found.items() if each['state'] == 'problem'}
    assert {'torch', 'torchvision', 'opencv', 'openmmlab', 'toolboxes'} <= wrong
    assert 'libGL.so.1' in found['opencv']['text']
    assert 'made for torch 2.11.0' in found['torchvision']['text']
    # each check is one line, and what to type is another
    lines = run(stubs).stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if 'install the same modules' in line)
    assert lines[at].split()[:2] == ['problem', 'openmmlab']
    assert lines[at + 1].split()[:4] == ['type:', 'pip', 'uninstall', '-y']
