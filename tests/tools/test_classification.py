"""Classification through the tools: train, test, other test sets, and the hand-over to DETR."""

import json
import re
import shutil

import pytest
import torch

from vitbackbones.datasets import shapes

from .conftest import ROOT, TINY
from .test_messages import refused

pytestmark = pytest.mark.compat
TINY_CLS = TINY.with_name('tiny_cls.py')


@pytest.fixture(scope='session')
def folders(tmp_path_factory):
    """Six training and three validation images of 48 x 48, one shape each."""
    root = tmp_path_factory.mktemp('folders')
    return shapes.write(root, train=6, val=3, size=48, layout='folders')


@pytest.fixture
def checkpoint(tool, folders, tmp_path):
    """What a run of the tiny classifier leaves."""
    result = tool('train', TINY_CLS, '--data-root', folders)
    assert result.status == 0, result.err
    return tmp_path / 'work_dirs' / 'tiny_cls' / 'epoch_1.pth'


def test_train_and_test(tool, folders, checkpoint):
    result = tool('test', TINY_CLS, checkpoint, '--data-root', folders)
    assert re.search(r'^accuracy/top1 +\d+\.\d{3}$', result.out, re.M)
    assert re.search(r'^accuracy/top2 +\d+\.\d{3}$', result.out, re.M)


@pytest.mark.parametrize('state_key', ['state_dict', 'ema_state_dict'])
def test_a_detector_starts_from_the_classifier(tool, data, checkpoint, tmp_path, state_key):
    """Rates of zero keep what was loaded: the averaged weights, or the last ones by request."""
    frozen = ['optim_wrapper.optimizer.lr=0.0', 'optim_wrapper.optimizer.weight_decay=0.0']
    frozen += ['train_cfg.max_epochs=1', f'model.backbone.init_cfg.state_key={state_key}']
    result = tool(
        *('train', TINY, '--data-root', data, '--pretrained', checkpoint),
        *('--cfg-options', *frozen),
    )
    assert result.status == 0, result.err
    assert re.search(r'epoch_1.pth -> AugViT: .* (\d+) of \1 tensors filled', result.out)
    detector = torch.load(tmp_path / 'work_dirs' / 'tiny_detr' / 'epoch_1.pth', weights_only=False)
    classifier = torch.load(checkpoint, weights_only=False)[state_key]
    classifier = {key.removeprefix('module.'): value for key, value in classifier.items()}
    found = {k: v for k, v in detector['state_dict'].items() if k.startswith('backbone.')}
    assert len(found) > 10
    for key, value in found.items():
        if key != 'backbone.pos_embed':  # resized from 48 to 64 pixels
            assert torch.equal(value, classifier[key]), key


@pytest.fixture
def imagenet(tmp_path):
    """Two validation images with ReaL labels, and one of the sets of ImageNet-V2."""
    drawn = shapes.write(tmp_path / 'drawn', train=1, val=3, size=48, layout='folders')
    files = sorted(drawn.glob('val/*/*.jpg'))
    root = tmp_path / 'imagenet'
    for number, file in enumerate(files, start=1):
        name = f'ILSVRC2012_val_{number:08}.JPEG'
        (root / 'val' / file.parent.name).mkdir(parents=True)
        shutil.copy(file, root / 'val' / file.parent.name / name)
        v2 = root / 'imagenetv2-top-images-format-val' / str(number)
        v2.mkdir(parents=True)
        shutil.copy(file, v2 / 'a.jpeg')
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


def test_real_labels(tool, tmp_path, checkpoint, imagenet):
    result = on_imagenet(tool, tmp_path, checkpoint, imagenet, 'real')
    assert re.search(r'^real/top1 +100.000$', result.out, re.M), result.out + result.err
    assert re.search(r'^real/images +2.000$', result.out, re.M)


def test_imagenet_v2(tool, tmp_path, checkpoint, imagenet):
    result = on_imagenet(tool, tmp_path, checkpoint, imagenet, 'v2-top')
    assert re.search(r'^accuracy/top1 +\d+\.\d{3}$', result.out, re.M), result.out + result.err


def test_a_set_that_is_not_there(tool, tmp_path, checkpoint, imagenet):
    result = on_imagenet(tool, tmp_path, checkpoint, imagenet, 'v2-matched')
    refused(result, 'imagenetv2-matched-frequency-format-val', 'is not there')


def test_other_sets_are_for_imagenet(tool, folders, checkpoint):
    result = tool('test', TINY_CLS, checkpoint, '--data-root', folders, '--dataset', 'real')
    refused(result, '--dataset real', 'tests on CustomDataset')


def test_smoke_of_a_distillation(tool):
    result = tool('train', ROOT / 'configs' / 'cls_sret_t_distill_shapes.py', '--smoke')
    assert 'smoke test passed' in result.out.splitlines()[-1]


def test_a_teacher_that_is_not_there(tool, folders):
    config = ROOT / 'configs' / 'cls_sret_t_distill_shapes.py'
    result = tool('train', config, '--data-root', folders)
    refused(result, 'the weights of the teacher', 'model.teacher_checkpoint=FILE')
