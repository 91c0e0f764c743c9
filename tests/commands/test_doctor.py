"""``doctor`` in environments of stub packages: nothing heavy is imported, nothing stops it."""

import os
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from vitbackbones.commands.doctor import doctor
from vitbackbones.errors import InputError

from ..configuration.test_doctor import install

RUN = """
from argparse import Namespace
from vitbackbones.commands.doctor import doctor
doctor(Namespace(config=None, fix=None))
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


def test_everything_that_is_broken_is_named_and_the_status_says_so(stubs):
    ended = subprocess.run(
        [sys.executable, '-S', '-c', RUN],  # without what is installed here
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(stubs), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 1, ended.stderr
    lines = ended.stdout.splitlines()
    wrong = {line.split()[1]: line for line in lines if line.startswith('problem')}
    assert wrong.keys() >= {'torch', 'torchvision', 'opencv', 'openmmlab', 'toolboxes'}
    assert 'libGL.so.1' in wrong['opencv']
    assert 'built for torch 2.11.0' in wrong['torchvision']
    assert lines[lines.index(wrong['openmmlab']) + 1].split()[:3] == ['type:', 'pip', 'uninstall']


def test_a_config_to_write_has_to_be_given():
    with pytest.raises(InputError, match='--fix: give the config, too'):
        doctor(Namespace(config=None, fix='out.py'))
