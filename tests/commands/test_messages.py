"""Each thing that a user can get wrong is one message and exit status 2."""

import json
import pickle
import shutil

import pytest
import torch
from PIL import Image

from vitbackbones.data.checks import masks as mask_check

from .conftest import ROOT, TINY, TINY_SEG

COCO = 'configs/coco/detr_aug_vit_s.py'


@pytest.fixture
def copy(data, tmp_path):
    """A copy of the data that a test may spoil."""
    return shutil.copytree(data, tmp_path / 'spoilt')


def refused(result, *texts):
    """The error message of a tool that refused to run; nothing else is on stderr."""
    assert result.status == 2, result.out + result.err
    lines = [line for line in result.err.splitlines() if not line.startswith('warning: ')]
    assert lines[0].startswith('error: ')
    assert 'Traceback' not in result.err
    for text in texts:
        assert text in result.err
    return result.err


def test_no_data(tool):
    text = refused(tool('train', COCO, '--scratch'), '--data-root', '--smoke')
    assert 'data/coco/annotations/instances_train2017.json' in text


def test_no_pretrained_weights(tool):
    refused(tool('train', COCO), 'checkpoints/aug_vit_s.pth', '--pretrained', '--scratch')


@pytest.mark.parametrize('tool_name', ['train', 'test'])
def test_no_such_config(tool, tool_name):
    checkpoint = ['x.pth'] if tool_name == 'test' else []
    result = tool(tool_name, 'configs/detr_aug_vit_s_coc.py', *checkpoint)
    refused(result, 'no such config file', COCO)


@pytest.mark.parametrize(
    'command',
    [['train', COCO], ['test', COCO, 'x.pth'], ['predict', COCO, 'x.pth', '.', '--out=x']],
)
def test_misspelled_key(tool, command):
    result = tool(*command, '--cfg-options', 'model.backbone.archh=s')
    refused(
        result, "model.backbone.archh: unknown key of vitbackbones.AugViT; did you mean 'arch'?"
    )


def test_unknown_arch(tool, data):
    options = ['--scratch', '--data-root', data, '--cfg-options', 'model.backbone.arch=z']
    refused(tool('train', TINY, *options), "unknown arch 'z'; known: ti, s, b, l")


def test_what_an_optimizer_refuses(tool, data):
    wrong = ('optim_wrapper.optimizer.foreach=True', 'optim_wrapper.optimizer.fused=True')
    result = tool('train', TINY, '--scratch', '--data-root', data, '--cfg-options', *wrong)
    text = refused(result, 'optim_wrapper.optimizer: RuntimeError: `fused` and `foreach` cannot be')
    assert 'work_dirs/tiny_detr/error_' in text


@pytest.mark.parametrize('arguments', [['train', TINY, '--smoke'], ['test', TINY, 'x.pth']])
def test_widths_that_disagree(tool, tmp_path, arguments):
    (tmp_path / 'x.pth').touch()
    result = tool(*arguments, '--cfg-options', 'model.neck.in_channels=[256]')
    refused(result, 'model.neck.in_channels: is [256], but the backbone gives [32]')


def test_key_that_only_building_shows(tool, data):
    options = ['--scratch', '--data-root', data, '--cfg-options', 'model.encoder.num_layrs=1']
    refused(tool('train', TINY, *options), 'model.encoder.num_layrs: unknown key of Detr')


@pytest.mark.parametrize('arguments', [['train', TINY, '--smoke'], ['test', TINY, 'x.pth']])
def test_another_number_of_classes(tool, tmp_path, arguments):
    (tmp_path / 'x.pth').touch()
    result = tool(*arguments, '--cfg-options', 'model.bbox_head.num_classes=80')
    refused(result, 'model.bbox_head.num_classes is 80, but', '.metainfo.classes names 3 classes')


def test_only_a_part_of_a_config(tool):
    refused(
        tool('train', 'configs/_base_/models/detr.py'), 'no complete config', 'train_dataloader'
    )


def test_a_section_of_a_complete_config_is_misspelled(tool, tmp_path):
    text = TINY.read_text().replace('\nmodel = ', '\nmodell = ')
    (tmp_path / 'run.py').write_text(text)
    refused(tool('train', tmp_path / 'run.py'), "no model; is 'modell' meant to be 'model'?")


def test_work_dir_is_a_file(tool, tmp_path):
    (tmp_path / 'taken').write_text('')
    result = tool('train', TINY, '--scratch', '--work-dir', tmp_path / 'taken')
    refused(result, 'taken', 'cannot be written to')


def test_a_sharded_run_is_not_resumed(tool):
    strategy = 'strategy.type=vitbackbones.FSDPStrategy'
    result = tool('train', TINY, '--resume', 'any.pth', '--cfg-options', strategy)
    refused(result, '--resume', 'vitbackbones.FSDPStrategy', 'load_from=FILE')


def test_nothing_to_resume(tool):
    refused(tool('train', TINY, '--resume'), '--resume: no checkpoint in', 'work_dirs/tiny_detr')


@pytest.mark.parametrize('given', ['none.pth', 'no such directory/x.pth'])
def test_missing_files_of_weights(tool, data, given):
    refused(tool('train', TINY, '--pretrained', given), f'--pretrained {given}: no such file')
    refused(tool('train', TINY, '--resume', given), f'--resume {given}: no checkpoint there')
    refused(tool('test', TINY, given), f'CHECKPOINT {given}: no checkpoint there')
    load_from = f'load_from={given}'
    refused(tool('train', TINY, '--cfg-options', load_from), f'load_from {given}: no checkpoint')


@pytest.mark.parametrize('smoke', [False, True])
def test_pretrained_weights_of_another_model(tool, data, tmp_path, smoke):
    torch.save({'state_dict': {'conv1.weight': torch.zeros(2)}}, tmp_path / 'other.pth')
    source = ['--smoke'] if smoke else ['--data-root', data]
    result = tool('train', TINY, *source, '--pretrained', tmp_path / 'other.pth')
    refused(result, 'other.pth does not fill AugViT', 'patch_embed.proj.weight', 'conv1.weight')


def test_checkpoint_of_another_model(tool, data, tmp_path):
    torch.save({'state_dict': {'conv1.weight': torch.zeros(2)}}, tmp_path / 'other.pth')
    result = tool('test', TINY, tmp_path / 'other.pth', '--data-root', data)
    refused(result, 'other.pth is not a checkpoint of this model', '1 tensors not in the model')


def test_resuming_from_a_checkpoint_of_another_model(tool, data, tmp_path):
    """The pretrained weights that the config names are not there, and not asked for."""
    torch.save({'state_dict': {'conv1.weight': torch.zeros(2)}}, tmp_path / 'other.pth')
    result = tool('train', TINY, '--data-root', data, '--resume', tmp_path / 'other.pth')
    refused(result, 'other.pth is not a checkpoint of this model', '1 tensors not in the model')


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        (['--smoke', '--resume'], '--smoke resumes from the checkpoint that it has just written'),
        (
            ['--smoke', '--overwrite'],
            '--smoke starts from the beginning anyway, in a folder of its own; leave --',
        ),
        (['--smoke', '--data-root', 'x'], '--smoke runs on embedded data; leave --data-root out'),
        (['--resume', '--pretrained', 'x'], '--resume continues with the weights of its checkpoi'),
        (['--pretrained', 'x', '--cfg-options', 'resume=True'], 'leave --pretrained out'),
    ],
)
def test_options_that_exclude_each_other(tool, options, message):
    refused(tool('train', TINY, *options), message)


@pytest.mark.parametrize('length', [0, -1])
@pytest.mark.parametrize(('config', 'key'), [(TINY, 'max_epochs'), (TINY_SEG, 'max_iters')])
def test_a_run_of_no_length(tool, config, key, length):
    result = tool('train', config, '--cfg-options', f'train_cfg.{key}={length}')
    refused(result, f'train_cfg.{key}: is {length}, but it must be a whole number from 1')


class Harmful:
    def __reduce__(self):
        return print, ('this would have run',)


def test_a_checkpoint_that_would_run_code(tool, data, tmp_path):
    with open(tmp_path / 'evil.pth', 'wb') as file:
        pickle.dump({'state_dict': Harmful()}, file, protocol=2)
    result = tool('test', TINY, tmp_path / 'evil.pth', '--data-root', data)
    refused(result, 'evil.pth')
    assert 'this would have run' not in result.out


def test_truncated_image_in_a_data_worker(tool, copy):
    image = next((copy / 'images' / 'train').iterdir())
    image.write_bytes(image.read_bytes()[:100])
    workers = ['train_dataloader.num_workers=1', 'train_dataloader.persistent_workers=True']
    result = tool('train', TINY, '--scratch', '--data-root', copy, '--cfg-options', *workers)
    refused(result, str(image))
    assert len(result.err.strip().splitlines()) == 1


def test_truncated_image_in_evaluation_by_the_loader_of_mmcv(tool, copy):
    image = next((copy / 'images' / 'val').iterdir())
    image.write_bytes(image.read_bytes()[:100])
    loader = ['val_dataloader.dataset.pipeline.0.type=LoadImageFromFile']
    result = tool('train', TINY, '--scratch', '--data-root', copy, '--cfg-options', *loader)
    refused(result, str(image))


def test_missing_image(tool, copy):
    image = next((copy / 'images' / 'train').iterdir())
    image.unlink()
    refused(tool('train', TINY, '--scratch', '--data-root', copy), image.name)


def spoil(root, change):
    path = root / 'annotations' / 'instances_train.json'
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return path


def test_malformed_annotations(tool, copy):
    path = spoil(copy, lambda content: content.pop('images'))
    refused(tool('train', TINY, '--scratch', '--data-root', copy), str(path), 'images')


def test_unknown_category(tool, copy):
    path = spoil(copy, lambda content: content['annotations'][0].update(category_id=99))
    refused(tool('train', TINY, '--scratch', '--data-root', copy), str(path), '99')


def test_doubtful_boxes_are_warned_of(tool, copy):
    path = spoil(copy, lambda content: content['annotations'][0].update(bbox=[5, 5, 0, 4]))
    # an optimizer is built after the data were looked at
    wrong = ('optim_wrapper.optimizer.foreach=True', 'optim_wrapper.optimizer.fused=True')
    options = ['--scratch', '--data-root', copy, '--cfg-options', *wrong]
    warnings = [
        line for line in tool('train', TINY, *options).err.splitlines() if 'warning' in line
    ]
    assert len(warnings) == 1
    assert warnings[0].startswith(f'warning: {path}')


def test_a_batch_that_is_not_the_rates_is_warned_of_where_it_matters(tool, data):
    # an optimizer is built after the batch was looked at
    wrong = ('optim_wrapper.optimizer.foreach=True', 'optim_wrapper.optimizer.fused=True')
    options = ['--cfg-options', *wrong, 'auto_scale_lr.base_batch_size=16']
    result = tool('train', TINY, '--scratch', '--data-root', data, *options)
    (warning,) = [line for line in result.err.splitlines() if line.startswith('warning: ')]
    assert 'the learning rate is meant for 16 images a step, but this run has 2: ' in warning
    assert 'warning' not in tool('train', TINY, '--smoke', *options).err


# ---------------------------------------------------------------------------- segmentation


def test_no_masks(tool, copy):
    shutil.rmtree(copy / 'annotations' / 'train')
    text = refused(tool('train', TINY_SEG, '--data-root', copy), '--data-root', '--smoke')
    assert f'{copy}/annotations/train: the seg_map_path of train_dataloader.dataset is not' in text


def test_bad_masks(tool, copy):
    mask = copy / 'annotations' / 'train' / '000003.png'
    Image.new('L', (64, 64), 9).save(mask)
    text = f'{mask}: 4096 pixels hold 9, which is no class: classes are 1 to 4'
    refused(tool('train', TINY_SEG, '--data-root', copy), text)
    Image.new('RGB', (64, 64)).save(mask)
    refused(tool('train', TINY_SEG, '--data-root', copy), f'{mask}: is a picture of kind RGB')
    Image.new('L', (32, 64), 1).save(mask)
    refused(tool('train', TINY_SEG, '--data-root', copy), f'{mask}: has 32 x 64 pixels')


def test_a_mask_that_only_loading_shows(tool, copy, monkeypatch):
    monkeypatch.setattr(mask_check, 'SAMPLE', 1)
    monkeypatch.setattr(mask_check, 'SEARCHED', 1)
    mask = copy / 'annotations' / 'train' / '000003.png'
    Image.new('L', (64, 64), 9).save(mask)
    refused(tool('train', TINY_SEG, '--data-root', copy), f'{mask}: 4096 pixels hold 9')


@pytest.mark.parametrize(
    ('classes', 'text'),
    [
        ("('ground','circle','square','star')", 'triangle), but the data set'),
        ("('circle','ground','square','triangle')", 'has 4 (circle, ground'),
    ],
)
def test_a_checkpoint_of_other_classes(tool, data, tmp_path, classes, text):
    """Of the same number, so that all tensors fit."""
    own = {'classes': ('ground', 'circle', 'square', 'triangle')}
    torch.save({'state_dict': {}, 'meta': {'dataset_meta': own}}, tmp_path / 'own.pth')
    option = f'test_dataloader.dataset.metainfo.classes={classes}'
    arguments = [TINY_SEG, tmp_path / 'own.pth', '--data-root', data, '--cfg-options', option]
    refused(tool('test', *arguments), f'{tmp_path}/own.pth was trained for 4 classes (', text)


def test_heads_for_other_classes(tool, data):
    options = ['--data-root', data, '--cfg-options', 'model.decode_head.num_classes=150']
    text = 'model.decode_head.num_classes is 150, but train_dataloader.dataset.metainfo.classes'
    refused(tool('train', TINY_SEG, *options), text)


def test_launcher_without_a_launch(tool, data):
    options = ['--scratch', '--data-root', data, '--launcher', 'pytorch']
    refused(tool('train', TINY, *options), 'RANK is not set; start with tools/dist_train.sh')


@pytest.mark.parametrize(
    'arguments',
    [
        [TINY, '--scratch', '--pretrained', 'x.pth'],
        [TINY, '--cfg-options', 'no value'],
        [TINY, '--cfg-options', 'a=(1,2'],
        [],
    ],
)
def test_wrong_arguments(tool, arguments):
    with pytest.raises(SystemExit) as stop:
        tool('train', *arguments)
    assert stop.value.code == 2


def test_a_bug_keeps_its_traceback(tool, monkeypatch):
    from vitbackbones.commands import train

    def broken(*arguments):
        raise ZeroDivisionError

    monkeypatch.setattr(train, 'read_config', broken)
    result = tool('train', TINY)
    assert result.status == 1
    assert 'ZeroDivisionError' in result.err
    assert result.err.splitlines()[-1].startswith('this looks like a bug of vitbackbones or of a')


def test_help_of_the_scripts_names_real_files():
    for name in ('train', 'test'):
        text = (ROOT / 'tools' / f'{name}.py').read_text()
        for word in text.split():
            if word.startswith('configs/') and word.endswith('.py'):
                assert (ROOT / word).is_file()
