"""Analyses of models of every task, and what is refused."""

import csv
import math
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from examples.analyze.__main__ import ANALYSES, main, read_arguments
from vitbackbones.commands.ending import run as run_to_end
from vitbackbones.configuration.read import read_config
from vitbackbones.data.sources import find_sources, read_frames
from vitbackbones.tasks.predictor import Predictor

from ...commands.test_messages import refused
from ...isolation import process_of_its_own
from ...openmmlab.conftest import write

SMALL = 'ours:tnt_ti,arch.depth=2'


@pytest.fixture
def tool(monkeypatch, capsys, tmp_path):
    """``tool(CONFIG, ...)`` runs the example in an empty directory and returns what it said."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        options = read_arguments([*map(str, arguments)])
        with process_of_its_own():
            status = run_to_end(partial(main, options))
        return SimpleNamespace(status=status, **capsys.readouterr()._asdict())

    return call


@pytest.fixture
def run(tool):
    """As ``tool``, for what must succeed."""

    def call(*arguments):
        result = tool(*arguments)
        assert result.status == 0, result.out + result.err
        return result

    return call


@pytest.fixture(scope='module')
def models(tmp_path_factory):
    """Configs and checkpoints of all tasks, and a folder of images."""
    return write(tmp_path_factory.mktemp('models'))


def table(what, out='out'):
    with open(Path(out, f'{what}.csv'), newline='') as file:
        return list(csv.DictReader(file))


def of_task(models, task):
    return models / f'tiny_{task}.py', models / f'tiny_{task}.pth'


def norms_by_hand(config, checkpoint, folder):
    """Mean norms after each block, of what a model predicts from as a user calls it."""
    predictor = Predictor(read_config(config), checkpoint, torch.device('cpu'))
    backbone, seen = predictor.model.backbone, []
    for block in backbone.blocks:
        block.register_forward_hook(lambda m, args, out: seen.append(out[0, -math.prod(args[1]) :]))
    for source in find_sources([str(folder)], Path('-')):
        predictor([predictor.prepare(next(read_frames(source)))])
    lengths = [tokens.norm(dim=1).mean().item() for tokens in seen]
    return np.reshape(lengths, (-1, len(backbone.blocks))).mean(0)


@pytest.mark.parametrize('task', ['det', 'cls'])
def test_the_model_sees_what_it_predicts_from(run, models, task):
    model = of_task(models, task)
    run(*model, 'norms', '--images', models / 'images', '--out', 'out')
    rows = table('norms')
    assert {row['model'] for row in rows} == {f'tiny_{task}'}
    found = [float(row['norm']) for row in rows[1:]]
    assert found == pytest.approx(norms_by_hand(*model, models / 'images'), rel=1e-5)


def test_models_are_named_by_their_configs_or_by_all_that_was_typed(run, tool, models):
    config, checkpoint = of_task(models, 'seg')
    arguments = ('diversity', '--images', models / 'images', '--out', 'out', '--count', 2)
    result = run(config, checkpoint, *arguments, '--versus', SMALL)
    small = SMALL.removeprefix('ours:')
    assert {row['model'] for row in table('diversity')} == {'tiny_seg', small}
    assert f'{small}: no CHECKPOINT is given, so its weights are random' in result.out
    run(config, checkpoint, *arguments, '--versus', config, '--overwrite')
    assert {row['model'] for row in table('diversity')} == {f'{config} {checkpoint}', str(config)}
    result = tool(config, *arguments, '--versus', config, '--overwrite')
    refused(result, f'{config}: is given twice')


@pytest.mark.parametrize('what', ANALYSES)
def test_every_analysis_gives_a_table_and_a_picture(run, models, what):
    options = ('--images', models / 'images', '--size', 64, '--count', 2)
    result = run(SMALL, what, *options, '--out', 'out', '--blocks', 1, 2)
    rows = table(what)
    assert rows
    assert f'{what}.csv: {len(rows)} rows' in result.out
    with Image.open(f'out/{what}.png') as picture:
        assert len(set(picture.convert('L').getdata())) > 10


def test_an_earlier_result_stays(run, tool, models):
    images = ('--images', models / 'images', '--size', 32)
    call = (SMALL, 'attention', *images, '--out', 'out')
    run(*call)
    before = Path('out/attention.csv').read_bytes()
    refused(tool(*call), 'out/attention.csv already exists', '--overwrite')
    assert Path('out/attention.csv').read_bytes() == before
    run(*call, '--overwrite')
    assert Path('out/attention.csv').read_bytes() == before  # the same call gives the same bytes


def test_what_a_model_lacks_is_named(tool, models):
    seg = of_task(models, 'seg')
    images = ('--images', models / 'images', '--out', 'out')
    refused(tool(*seg, 'attention', '--blocks', 2, *images), 'block 2: the model has')
    mixer = 'ours:mixer_b16,arch.depth=1'
    refused(tool(mixer, 'attention', *images), 'block 1 has no attention')
    swin = 'ours:swin_t,arch.depths=(1,1,1,1)'
    asked = ('attention', *images, '--query', 'class_token')
    refused(tool(swin, *asked), 'block 1: there is no class token to ask')


def test_bad_arguments_are_refused(tool, models):
    norms = (SMALL, 'norms', '--out', 'out')
    refused(tool(*norms, '--images', 'nowhere'), '--images', 'nowhere: no such file or folder')
    call = ('norms', '--images', models / 'images', '--out', 'out')
    refused(tool('ours:deit_xx', *call), "ours:deit_xx: unknown model 'deit_xx'")
    refused(tool('a.py', 'b.pth', 'c.pth', *call), 'at most CONFIG CHECKPOINT')
    refused(tool(SMALL, models / 'tiny_cls.pth', *call), 'tiny_cls.pth')
    assert not list(Path('out').glob('norms.*'))
