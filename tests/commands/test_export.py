"""``export``: what a user types, what comes out, and what is refused before any work."""

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from mmengine.config import Config

from vitbackbones.backbones.by_name import create_model
from vitbackbones.data import shapes
from vitbackbones.export import formats, lower_precision
from vitbackbones.export.judges import FEWEST
from vitbackbones.runtime.card import Card

from ..openmmlab.conftest import build, write_model
from .conftest import TINY_CLS
from .test_messages import refused

RGB = ('--cfg-options', 'model.data_preprocessor.to_rgb=True')
SIZED = ('--size', '48', *RGB)


@pytest.fixture
def run(tool):
    def call(*arguments, status=0):
        result = tool('export', *arguments)
        assert result.status == status, result.out + result.err
        return result

    return call


def test_a_config_becomes_a_file_that_predict_takes(run, tool, folders, tmp_path):
    pictures = next((folders / 'val').iterdir())
    result = run(TINY_CLS, '--untrained', '--to', 'pt2', *SIZED, '--images', pictures)
    first = 'writing tiny_cls.pt2 and comparing it with the model: about a minute, longer for'
    assert result.out.startswith(first)
    assert 'tiny_cls.pt2.json' in result.out
    assert 'largest differences' in result.out
    assert result.err == ''
    card = Card.read('tiny_cls.pt2')
    assert (card.task, card.checkpoint) == ('classification', None)
    assert card.parity['images'] > 1  # one of them drawn at random
    done = tool('predict', 'tiny_cls.pt2', pictures, '--out', 'out', '--trusted')
    assert done.status == 0, done.err
    assert json.loads(Path('out/predictions.json').read_text())


@torch.no_grad()
def test_a_model_by_name_has_the_weights_of_a_checkpoint(run, tmp_path):
    torch.manual_seed(0)
    model = create_model('deit_ti').eval()
    torch.save(model.state_dict(), tmp_path / 'mine.pth')
    run('deit_ti', 'mine.pth', '--to', 'pt2', '--size', '64', '--out', 'mine.pt2')
    card = Card.read('mine.pt2')
    assert card.checkpoint['file'] == 'mine.pth'
    assert (card.name, card.input.shape) == ('deit_ti', [1, 3, 64, 64])
    image = torch.rand(1, 3, 64, 64)
    found = torch.export.load('mine.pt2').module()(image)[0]
    torch.testing.assert_close(found, model(image))


@torch.no_grad()
def write_telling_apart(folder):
    """Write ``tiny_cls.{py,pth}`` for class folders; as drawn, one class is the largest on all."""
    write_model(TINY_CLS, Path())
    pixels = np.stack([cv2.imread(str(file))[..., ::-1] for file in sorted(folder.rglob('*.jpg'))])
    images = torch.from_numpy(pixels).permute(0, 3, 1, 2).float()  # (N, H, W, 3) -> (N, 3, H, W)
    features = build(Config.fromfile(TINY_CLS)).extract_feat((images - 128) / 64)[0].mean(0)
    checkpoint = torch.load('tiny_cls.pth')
    weights = checkpoint['state_dict']
    weights['head.fc.bias'] = -weights['head.fc.weight'] @ features
    classes = sorted(each.name for each in folder.iterdir())
    torch.save(checkpoint | {'meta': {'dataset_meta': {'classes': classes}}}, 'tiny_cls.pth')


def test_accuracy_control_says_what_it_tried_and_what_it_cost(run, tmp_path):
    pytest.importorskip('nncf')
    shapes.write(tmp_path / 'data', train=FEWEST, val=9, size=48, layout='folders')
    write_telling_apart(tmp_path / 'data/train')
    eight_bits = ('--int8', '--accuracy-control', '--max-drop', '0.5', '--data-root', 'data')
    result = run('tiny_cls.py', 'tiny_cls.pth', '--to', 'openvino', *SIZED, *eight_bits)
    proof = Card.read('tiny_cls.xml').int8
    assert (proof['metric'], proof['pictures']) == ('accuracy/top1', 9)
    tried = [line for line in result.out.splitlines() if line.startswith('tried: accuracy/top1')]
    assert tried[-1].endswith(f'{proof["int8"]:.4f}')
    assert f'in INT8, accuracy/top1 is {proof["int8"]:.4f} (' in result.out


def test_int8_of_a_config_without_training_data_asks_for_images(run, tmp_path):
    pytest.importorskip('nncf')
    shapes.write(tmp_path / 'data', train=9, val=9, size=48, layout='folders')
    write_telling_apart(tmp_path / 'data/train')
    alone = 'train_dataloader = train_cfg = optim_wrapper = param_scheduler = None'
    Path('evaluated.py').write_text(f"_base_ = 'tiny_cls.py'\n{alone}\n")
    given = ('evaluated.py', 'tiny_cls.pth', '--to', 'openvino', *SIZED, '--data-root', 'data')
    refused(run(*given, '--int8', status=2), 'has no train_dataloader; give --calibrate')


@pytest.mark.parametrize('precision', ['bf16', 'auto'])
def test_bfloat16_is_measured_and_refused_where_much_is_lost(run, tmp_path, monkeypatch, precision):
    pytest.importorskip('openvino')
    shapes.write(tmp_path / 'data', train=9, val=9, size=48, layout='folders')
    write_telling_apart(tmp_path / 'data/train')
    monkeypatch.setattr(lower_precision, 'has_bfloat16', lambda: True)
    given = ('tiny_cls.py', 'tiny_cls.pth', '--to', 'openvino', *SIZED, '--data-root', 'data')
    result = run(*given, '--precision', precision)
    proof = Card.read('tiny_cls.xml').bf16
    assert (proof['metric'], proof['pictures']) == ('accuracy/top1', 9)
    assert f'in bf16, accuracy/top1 is {proof["bf16"]:.4f} (' in result.out
    monkeypatch.setattr(lower_precision, 'MOST_DROP', -1)
    monkeypatch.setattr('vitbackbones.commands.export.MOST_DROP', -1)
    result = run(*given, '--precision', precision, '--overwrite', status=2 * (precision == 'bf16'))
    if precision == 'bf16':
        refused(result, 'bf16 lowers accuracy/top1 from', 'more than --max-drop -1 allows')
        assert Card.read('tiny_cls.xml').bf16 == proof
    else:
        assert '--precision auto: f32, because bf16 lowers accuracy/top1' in result.out
        assert Card.read('tiny_cls.xml').bf16 is None


def test_what_cannot_be_dynamic_is_named(tool, capsys):
    with pytest.raises(SystemExit):
        tool('export', 'deit_ti', '--to', 'pt2', '--dynamic', 'shape')
    assert "'shape' is not one of batch, size" in capsys.readouterr().err


@pytest.mark.parametrize(
    ('arguments', 'texts'),
    [
        (('deit_ti', '--to', 'pt2', '--out', 'model.onnx'), ['--to pt2', '.pt2']),
        (('deit_tii', '--to', 'pt2'), ['deit_tii', 'deit_ti']),
        (('deit_ti', 'mine.pth', '--untrained', '--to', 'pt2'), ['--untrained']),
        ((TINY_CLS, '--to', 'pt2', *SIZED), ['no trained weights', '--untrained']),
        ((TINY_CLS, 'missing', '--to', 'pt2', *SIZED), ['missing']),
        ((TINY_CLS, '--untrained', '--to', 'pt2', *RGB), ['--size HxW']),
        (
            ('sret_t', '--untrained', '--to', 'pt2', '--dynamic', 'size'),
            ['sret_t: the size cannot be dynamic', 'slices'],
        ),
        (('deit_ti', '--to', 'onnx', '--int8'), ['--int8 requires --to openvino']),
        (('deit_ti', '--to', 'openvino', '--int8', '--untrained'), ['--int8', '--untrained']),
        (('deit_ti', '--to', 'openvino', '--calibrate', 'x'), ['--calibrate', 'require --int8']),
        (('deit_ti', '--to', 'onnx', '--precision', 'bf16'), ['bf16 requires --to openvino']),
    ],
    ids=lambda value: ' '.join(Path(str(x)).name for x in value)[:30],
)
def test_what_cannot_be_is_refused_in_one_line(tool, arguments, texts, monkeypatch):
    monkeypatch.setattr(formats.torch.export, 'export', None)  # nothing is traced before
    refused(tool('export', *arguments), *texts)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ('given', 'missing', 'text'),
    [
        (('--precision', 'bf16'), '', 'no instructions for bfloat16'),
        (('--int8', '--calibrate', 'pictures'), 'nncf', 'pip install'),
        (('--int8', '--calibrate', 'pictures'), '', '3 images are too few'),
    ],
)
def test_what_cannot_be_measured_is_refused_before_the_export(
    tool, monkeypatch, given, missing, text
):
    pytest.importorskip('nncf')
    monkeypatch.setattr(lower_precision, 'has_bfloat16', lambda: False)
    monkeypatch.setattr(formats.torch.export, 'export', None)
    if missing:
        monkeypatch.setitem(sys.modules, missing, None)
    write_model(TINY_CLS, Path())
    Path('pictures').mkdir()
    for name in 'abc':
        cv2.imwrite(f'pictures/{name}.png', np.zeros((48, 48, 3), np.uint8))
    words = ('tiny_cls.py', 'tiny_cls.pth', '--to', 'openvino', *SIZED, '--images', 'pictures')
    refused(tool('export', *words, *given), text)


@pytest.mark.parametrize('name', ['deit_ti.xml', 'deit_ti.bin', 'deit_ti.xml.json'])
def test_a_file_that_is_there_stays(tool, name):
    Path(name).write_bytes(b'precious')
    result = tool('export', 'deit_ti', '--untrained', '--to', 'openvino')
    refused(result, f'{name} already exists', '--overwrite')
    assert Path(name).read_bytes() == b'precious'


def test_a_folder_of_the_name_is_named_before_anything_is_built(tool):
    Path('deit_ti.pt2.json').mkdir()
    result = tool('export', 'deit_ti', '--untrained', '--to', 'pt2', '--overwrite')
    refused(result, 'deit_ti.pt2.json is a folder', '--out')
