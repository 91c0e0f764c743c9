"""Classification by the command: train, test, other test sets, hand-over to dense tasks."""

import json
import re
import shutil
from pathlib import Path

import pytest
import torch
from mmengine.config import Config

from vitbackbones.data import shapes
from vitbackbones.tasks.classification.task import Classification
from vitbackbones.weights.read.load import load_file

from .conftest import TINY, TINY_CLS, TINY_SEG
from .test_messages import refused

pytestmark = pytest.mark.compat


@pytest.fixture
def checkpoint(run, folders, tmp_path):
    """What a run of the tiny classifier leaves."""
    run('train', TINY_CLS, '--data-root', folders)
    return tmp_path / 'work_dirs' / 'tiny_cls' / 'epoch_1.pth'


SEGMENTOR = """
_base_ = ['{base}']
model = dict(
    backbone=dict(
        type='vitbackbones.AugViT',
        patch_size=16,
        img_size=96,
        init_cfg=dict(type='Pretrained', checkpoint='{checkpoint}'),
    )
)
optim_wrapper = dict(optimizer=dict(lr=1e-30, weight_decay=0.0))  # what was loaded stays
"""


def weights(work_dir, name='state_dict'):
    """The backbone in the last checkpoint of a run."""
    state = load_file(Path((work_dir / 'last_checkpoint').read_text()))[name]
    return {key: value for key, value in state.items() if key.startswith('backbone.')}


def test_classifier_then_detector_then_segmentor(run, data, checkpoint, tmp_path):
    """All three train; each starts from the file that the one before has written."""
    given = f'model.backbone.init_cfg.checkpoint={checkpoint}'
    result = run('train', TINY, '--data-root', data, '--cfg-options', given)
    assert re.search(r'epoch_1.pth -> AugViT: .* (\d+) of \1 tensors filled', result.out)

    detector = tmp_path / 'work_dirs' / 'tiny_detr'
    file = (detector / 'last_checkpoint').read_text()
    (tmp_path / 'tiny_hand_over.py').write_text(SEGMENTOR.format(base=TINY_SEG, checkpoint=file))
    result = run('train', 'tiny_hand_over.py', '--data-root', data)
    assert re.search(r'epoch_2.pth -> AugViT: .* (\d+) of \1 tensors filled', result.out)
    assert 'unused: ' in result.out  # neck, transformer and head of the detector

    first, second = weights(checkpoint.parent), weights(detector)
    third = weights(tmp_path / 'work_dirs' / 'tiny_hand_over')
    assert first.keys() == second.keys() == third.keys()
    assert not torch.equal(
        first['backbone.blocks.0.attn.qkv.weight'], second['backbone.blocks.0.attn.qkv.weight']
    )
    for key in third.keys() - {'backbone.pos_embed'}:  # resized from 64 to 96 pixels
        assert torch.equal(third[key], second[key]), key


@pytest.fixture
def imagenet(tmp_path):
    """Three validation images, two of them with ReaL labels."""
    drawn = shapes.write(tmp_path / 'drawn', train=1, val=3, size=48, layout='folders')
    files = sorted(drawn.glob('val/*/*.jpg'))
    root = tmp_path / 'imagenet'
    for number, file in enumerate(files, start=1):
        name = f'ILSVRC2012_val_{number:08}.JPEG'
        (root / 'val' / file.parent.name).mkdir(parents=True)
        shutil.copy(file, root / 'val' / file.parent.name / name)
    (root / 'real.json').write_text(json.dumps([[0, 1, 2], [], [0, 1, 2]]))
    return root


def on_imagenet(tool, tmp_path, checkpoint, imagenet, name):
    """Test the tiny classifier as if its data were ImageNet."""
    text = TINY_CLS.read_text().replace("'data/'", "'data/imagenet/'")
    text += '\nclasses = dict(metainfo=dict(classes=("circle", "square", "triangle")))\n'
    text += 'for loader in (train_dataloader, val_dataloader):\n'
    text += "    loader['dataset'].update(type='ImageNet', **classes)\n"
    (tmp_path / 'tiny_imagenet.py').write_text(text)
    given = ['--data-root', imagenet, '--dataset', name]
    return tool('test', tmp_path / 'tiny_imagenet.py', checkpoint, *given)


def test_other_sets_of_imagenet(tool, tmp_path, checkpoint, imagenet, folders):
    result = on_imagenet(tool, tmp_path, checkpoint, imagenet, 'real')
    assert re.search(r'^real/top1 +100.000$', result.out, re.M), result.out + result.err
    assert re.search(r'^real/images +2.000$', result.out, re.M)
    result = on_imagenet(tool, tmp_path, checkpoint, imagenet, 'v2-matched')
    refused(result, 'imagenetv2-matched-frequency-format-val', 'does not exist')
    result = tool('test', TINY_CLS, checkpoint, '--data-root', folders, '--dataset', 'real')
    refused(result, '--dataset real', 'tests on CustomDataset')


def test_files_on_which_a_data_set_of_mmpretrain_stumbles(tool, tmp_path):
    text = TINY_CLS.read_text().replace('num_classes=3', 'num_classes=10')
    cifar = "'CIFAR10', data_root=data_root, split='train', download=False"
    for split in ('train', 'val'):
        text = text.replace(f"'CustomDataset', data_root=data_root, data_prefix='{split}'", cifar)
    (tmp_path / 'tiny.py').write_text(text)
    (tmp_path / 'data').mkdir()
    expected = ('CIFAR10: the annotations in', 'cannot be read: missing, damaged, truncated')
    refused(tool('train', 'tiny.py', '--data-root', tmp_path / 'data'), *expected)


def test_a_model_without_classes_is_tried_on_all_kinds_of_shapes():
    learned = Config({'model': {'head': {'type': 'ContrastiveHead'}}})
    assert Classification().shapes(learned)['classes'] == ('circle', 'square', 'triangle')
    two = Config({'model': {'head': {'type': 'LinearClsHead', 'num_classes': 2}}})
    assert Classification().shapes(two)['classes'] == ('circle', 'square')
