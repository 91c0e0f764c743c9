"""The tutorials, and the example of inference, followed word for word in an empty folder."""

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys

import pytest
import torch
from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope
from PIL import Image

from vitbackbones.commands.main import run_verb

from ..isolation import process_of_its_own
from .pages import DOCS, ROOT, blocks
from .shell import commands

TUTORIALS = sorted({*(DOCS / 'tutorials').glob('*.md')} - {DOCS / 'tutorials' / 'index.md'})


def test_the_first_steps_lead_to_data_that_can_be_trained_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for block in blocks(DOCS / 'tutorials' / 'first_detector.md'):
        if 'vitbackbones train' in block.text:
            break
        for words in commands(block.text) if block.language == 'bash' else ():
            assert call(words, monkeypatch) == 0
    printed = capsys.readouterr().out
    assert '120 images in shapes/labeled, 20 in shapes/new' in printed
    assert '120 files, all readable' in printed


def call(words, monkeypatch):
    """Run ``vitbackbones VERB ...`` or ``python -m MODULE ...`` in this process."""
    monkeypatch.setattr(sys, 'argv', words)
    if words[0] == 'vitbackbones':
        with process_of_its_own():
            return run_verb(words[1], words[2:])
    monkeypatch.setattr(sys, 'argv', words[2:])
    runpy.run_module(words[2], run_name='__main__')
    return 0


def test_the_example_backbone_trains(tmp_path):
    saved = {b.file: b.text for b in blocks(DOCS / 'tutorials' / 'own_backbone.md') if b.file}
    assert saved.keys() == {'my_backbone.py', 'detr_my_backbone.py'}
    for name, text in saved.items():
        (tmp_path / name).write_text(text)
    command = [ROOT / 'tools/train.py', 'detr_my_backbone.py', '--smoke']
    assert 'smoke test passed' in python(command, tmp_path)


def test_the_examples_of_inference_run(tmp_path):
    ours, converting, example = (
        b.text for b in blocks(DOCS / 'inference.md') if b.language == 'python'
    )
    (tmp_path / 'docs').mkdir()
    shutil.copytree(DOCS / 'images', tmp_path / 'docs' / 'images')
    said = python(['-c', ours], tmp_path)
    python(['-c', converting], tmp_path)
    assert 'OpenVINO' in said
    assert '[[' in said
    assert 'vitbackbones' not in example
    name, checkpoint = re.search(r"config, checkpoint = '(.*)', '(.*)'", example).groups()
    shutil.copytree(ROOT / 'configs', tmp_path / 'configs')
    config = Config.fromfile(tmp_path / name)
    with DefaultScope.overwrite_default_scope(config.default_scope):
        state = MODELS.build(config.model).state_dict()
    (tmp_path / checkpoint).parent.mkdir(parents=True)
    torch.save({'state_dict': state, 'meta': {}}, tmp_path / checkpoint)
    Image.new('RGB', (200, 150)).save(tmp_path / 'photo.jpg')
    assert 'tensor([[' in python(['-c', example], tmp_path)


def python(words, folder):
    """Run Python in a folder, with what lies there importable, and return its output."""
    settings = {'PYTHONPATH': f'{folder}:{ROOT}', 'OMP_NUM_THREADS': '1', 'PATH': ''}
    settings['XDG_CACHE_HOME'] = str(folder / 'cache')
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.grid
@pytest.mark.parametrize('page', TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs_as_it_is_written(page, tmp_path):
    place = tmp_path / 'bin'
    place.mkdir()
    for name, module in {'vitbackbones': '-m vitbackbones', 'python': ''}.items():
        command = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module} "$@"\n'
        (place / name).write_text(command)
        (place / name).chmod(0o755)
    folder = tmp_path / 'empty'
    folder.mkdir()
    (folder / 'tools').symlink_to(ROOT / 'tools')  # of a clone
    environment = {**os.environ, 'PATH': f'{place}:{os.environ["PATH"]}', 'PYTHONPATH': str(ROOT)}
    for block in blocks(page):
        if block.file:
            (folder / block.file).write_text(block.text)
        elif not block.mark and block.language in ('bash', 'python'):
            shell = ['bash', '-euc'] if block.language == 'bash' else [sys.executable, '-c']
            done = subprocess.run([*shell, block.text], cwd=folder, env=environment)
            assert done.returncode == 0, f'{block.place}: {block.text}'
