"""Each thing that a user can get wrong is one message and exit status 2."""

import json
import shutil

import pytest
import torch

from .conftest import TINY, TINY_SEG

COCO = 'configs/coco/detr_aug_vit_s.py'
# an optimizer is built after data and batch were looked at
REFUSED_LATE = ('optim_wrapper.optimizer.foreach=True', 'optim_wrapper.optimizer.fused=True')


@pytest.fixture
def copy(data, tmp_path):
    """A copy of the data that a test may spoil."""
    return shutil.copytree(data, tmp_path / 'spoilt')


@pytest.fixture
def other(tmp_path):
    """A checkpoint of another model."""
    torch.save({'state_dict': {'conv1.weight': torch.zeros(2)}}, tmp_path / 'other.pth')
    return tmp_path / 'other.pth'


def refused(result, *texts):
    """The error message of a tool that refused to run; nothing else is on stderr."""
    assert result.status == 2, result.out + result.err
    lines = [line for line in result.err.splitlines() if not line.startswith('warning: ')]
    assert lines[0].startswith('error: ')
    assert 'Traceback' not in result.err
    for text in texts:
        assert text in result.err
    return result.err


RANK = 'RANK is not set; start the run with tools/dist_train.sh'
STRATEGY = 'strategy.type=DeepSpeedStrategy'


@pytest.mark.parametrize(
    ('arguments', 'texts'),
    [
        ([COCO, '--scratch'], ['coco/annotations/instances_train2017.json', '--data-root']),
        ([COCO], ['checkpoints/aug_vit_s.pth', '--pretrained', '--scratch']),
        (['configs/detr_aug_vit_s_coc.py'], ['no such config file', COCO]),
        ([TINY, '--resume'], ['--resume: no checkpoint in', 'work_dirs/tiny_detr']),
        ([TINY, '--cfg-options', STRATEGY], ['DeepSpeedStrategy', '--fsdp shards the weights']),
        (
            [TINY, '--fsdp', '--cfg-options', 'optim_wrapper.type=ApexOptimWrapper'],
            ["--fsdp: optim_wrapper.type='ApexOptimWrapper' does not support sharded weights"],
        ),
        ([TINY, '--scratch', '--data-root', 'DATA', '--launcher', 'pytorch'], [RANK]),
        ([TINY, '--smoke', '--resume'], ['--smoke resumes from the checkpoint that it has just']),
        ([TINY, '--resume', '--pretrained', 'x'], ['--resume continues with the weights of its ']),
        ([TINY, '--pretrained', 'x', '--cfg-options', 'resume=True'], ['remove --pretrained']),
        (
            [TINY, '--scratch', '--data-root', 'DATA', '--cfg-options', *REFUSED_LATE],
            [
                'optim_wrapper.optimizer: RuntimeError: `fused` and `foreach` cannot be',
                'work_dirs/tiny_detr/error_',
            ],
        ),
        (
            [TINY, '--data-root', 'DATA', '--cfg-options', 'model.encoder.num_layrs=1'],
            ['model: TypeError: DetrTransformerEncoder', "argument 'num_layrs'"],
        ),
    ],
)
def test_training(tool, data, arguments, texts):
    refused(tool('train', *(str(word).replace('DATA', str(data)) for word in arguments)), *texts)


def test_misspelled_key(tool):
    said = "model.backbone.archh: unknown key of vitbackbones.AugViT; did you mean 'arch'?"
    for words in (['train', COCO], ['predict', COCO, 'x.pth', '.', '--out=x']):
        refused(tool(*words, '--cfg-options', 'model.backbone.archh=s'), said)


def test_missing_files_of_weights(tool):
    refused(tool('train', TINY, '--pretrained', 'x.pth'), '--pretrained x.pth: no such file')
    refused(tool('train', TINY, '--resume', 'x.pth'), '--resume x.pth: no checkpoint there')
    refused(tool('test', TINY, 'x.pth'), 'CHECKPOINT x.pth: no checkpoint there')
    options = ['--cfg-options', 'load_from=x.pth']
    refused(tool('train', TINY, *options), 'load_from x.pth: no checkpoint')


def test_weights_of_another_model(tool, data, other):
    refused(
        tool('train', TINY, '--smoke', '--pretrained', other),
        *('other.pth does not fill AugViT', 'patch_embed.proj.weight', 'conv1.weight'),
    )
    said = ('other.pth is not a checkpoint of this model', '1 tensors not in the model')
    refused(tool('test', TINY, other, '--data-root', data), *said)
    # the pretrained weights that the config names are not there, and not asked for
    refused(tool('train', TINY, '--data-root', data, '--resume', other), *said)


def test_a_checkpoint_of_other_classes(tool, data, tmp_path):
    """Of the same number, so that all tensors fit."""
    own = {'classes': ('ground', 'circle', 'square', 'triangle')}
    torch.save({'state_dict': {}, 'meta': {'dataset_meta': own}}, tmp_path / 'own.pth')
    option = "test_dataloader.dataset.metainfo.classes=('ground','circle','square','star')"
    arguments = [TINY_SEG, tmp_path / 'own.pth', '--data-root', data, '--cfg-options', option]
    said = f'{tmp_path}/own.pth was trained for 4 classes ('
    refused(tool('test', *arguments), said, 'triangle), but the dataset', 'load_from=FILE')


def test_truncated_image_in_a_data_worker(tool, copy):
    image = next((copy / 'images' / 'train').iterdir())
    image.write_bytes(image.read_bytes()[:100])
    workers = ['train_dataloader.num_workers=1', 'train_dataloader.persistent_workers=True']
    result = tool('train', TINY, '--scratch', '--data-root', copy, '--cfg-options', *workers)
    refused(result, str(image))
    assert len(result.err.strip().splitlines()) == 1


def test_doubtful_boxes_are_warned_of(tool, copy):
    path = copy / 'annotations' / 'instances_train.json'
    content = json.loads(path.read_text())
    content['annotations'][0].update(bbox=[5, 5, 0, 4])
    path.write_text(json.dumps(content))
    options = ['--scratch', '--data-root', copy, '--cfg-options', *REFUSED_LATE]
    lines = tool('train', TINY, *options).err.splitlines()
    (warning,) = (line for line in lines if 'warning' in line)
    assert warning.startswith(f'warning: {path}')
