"""``--explain`` prints the steps from a config to a run, and leaves everything as it is."""

import re

import torch

from .conftest import TINY, TINY_CLS


def headings(text):
    return re.findall(r'^ ?\d+ ([^:]+):', text, re.MULTILINE)


def test_each_step_says_what_it_changes(tool, data, tmp_path):
    result = tool(
        *('train', TINY, '--explain', '--scratch', '--amp', '--compile', '--data-root', data),
        *('--cfg-options', 'train_dataloader.batch_size=3'),
    )
    assert (result.status, list(tmp_path.iterdir())) == (0, [])
    assert headings(result.out)[:12] == [
        *(
            'backbone',
            'command line',
            'toolboxes',
            'sections',
            'frozen parts',
            'settings',
            'bands',
            'widths',
        ),
        *('agreement', 'own data', 'classes', 'precision'),
    ]
    assert "{'type': 'vitbackbones.CompileHook'}" in result.out
    for line in (
        'train_dataloader.batch_size: 2 -> 3',
        "optim_wrapper.type: 'OptimWrapper' -> 'vitbackbones.Bf16OptimWrapper'",
        "+ optim_wrapper.constructor: 'vitbackbones.GroupedOptimWrapperConstructor'",
        f"+ work_dir: '{tmp_path}/work_dirs/tiny_detr'",
        f"train_dataloader.dataset.data_root: 'data/' -> '{data}'",
        "+ default_hooks.finite_loss: {'type': 'vitbackbones.FiniteLossHook'}",
        "+ launcher: 'none'",
    ):
        assert f'\n     {line}\n' in result.out
    result = tool('train', TINY_CLS, '--explain', '--smoke')
    assert (result.status, list(tmp_path.iterdir())) == (0, [])
    assert headings(result.out)[-3:] == ['thresholds', 'length', 'earlier run']


def test_what_is_missing_is_named_at_its_step_and_the_others_follow(tool, tmp_path):
    result = tool('train', TINY, '--explain', '--pretrained', 'none.pth', '--data-root', 'none')
    assert (result.status, list(tmp_path.iterdir())) == (2, [])
    weights, data = result.out.split('\n     error: ')[1:]
    assert weights.startswith('--pretrained none.pth: no such file')
    assert data.startswith('none/annotations/instances_train.json: the ann_file of train_data')
    assert 'guards' in headings(data)
    assert result.err == f'error: 2 of {len(headings(result.out))} steps failed, see above\n'


def test_a_used_work_dir_is_left_as_it_is(run, data, tmp_path):
    folder = tmp_path / 'run'
    folder.mkdir()
    torch.save({}, folder / 'epoch_1.pth')
    given = ('train', TINY, '--explain', '--work-dir', folder, '--data-root', data)
    assert f"+ load_from: '{folder}/epoch_1.pth'" in run(*given, '--resume').out
    assert '+ load_from' not in run(*given, '--overwrite', '--scratch').out
    assert [path.name for path in folder.iterdir()] == ['epoch_1.pth']


def test_an_evaluation_is_explained(tool, data, tmp_path):
    torch.save({}, tmp_path / 'x.pth')
    result = tool('test', TINY, 'x.pth', '--explain', '--data-root', data, '--draw', 'pictures')
    assert (result.status, [path.name for path in tmp_path.iterdir()]) == (0, ['x.pth'])
    assert f"+ load_from: '{tmp_path}/x.pth'" in result.out
    assert {'checkpoint', 'trial', 'drawing', 'augmentation'} <= set(headings(result.out))
