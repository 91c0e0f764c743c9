"""The ways to add a backbone and to run a model, done exactly as the pages say."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import torch
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope
from PIL import Image

ROOT = Path(__file__).parents[2]
FILES = re.compile(r'Save as `([^`]+)`[^\n]*:\n\n```python\n(.*?)```', re.DOTALL)


def test_the_example_backbone_trains(tmp_path):
    files = dict(FILES.findall((ROOT / 'docs/tutorials/own_backbone.md').read_text()))
    assert set(files) == {'my_backbone.py', 'detr_my_backbone.py'}
    assert len(files['detr_my_backbone.py'].strip().splitlines()) <= 10
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, ROOT / 'tools/train.py', 'detr_my_backbone.py', '--smoke']
    assert 'smoke test passed' in run(command, tmp_path)


def run(command, folder):
    """Run a command in ``folder``, with what lies there importable, and return its output."""
    result = subprocess.run(
        command,
        cwd=folder,
        env={'PYTHONPATH': f'{folder}:{ROOT}', 'OMP_NUM_THREADS': '1', 'PATH': ''},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_example_of_inference_runs(tmp_path):
    page = (ROOT / 'docs/inference.md').read_text()
    (example,) = re.findall(r'```python\n(.*?)```', page, re.DOTALL)
    assert 'vitbackbones' not in example
    name, checkpoint = re.search(r"config, checkpoint = '(.*)', '(.*)'", example).groups()
    shutil.copytree(ROOT / 'configs', tmp_path / 'configs')
    config = Config.fromfile(tmp_path / name)
    with DefaultScope.overwrite_default_scope(config.default_scope):
        state = MODELS.build(config.model).state_dict()
    (tmp_path / checkpoint).parent.mkdir(parents=True)
    torch.save({'state_dict': state, 'meta': {}}, tmp_path / checkpoint)
    Image.new('RGB', (200, 150)).save(tmp_path / 'photo.jpg')
    assert 'tensor([[' in run([sys.executable, '-c', example], tmp_path)
