"""With an average of the weights, every way to a model takes the weights that were evaluated."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from mmengine.config import Config

from vitbackbones.weights.read.load import load_file

from .conftest import ROOT, TINY_CLS

pytestmark = pytest.mark.compat
OTHER = {'cls_runtime_ema': 'last_state_dict', 'cls_runtime_ema_aside': 'averaged_state_dict'}


def write_config(path, base, answers):
    """The tiny classifier with the hook of a shipped base; an evaluation writes its scores."""
    config = Config.fromfile(TINY_CLS)
    config.default_hooks.ema = Config.fromfile(ROOT / f'configs/_base_/{base}.py').default_hooks.ema
    config.test_dataloader.dataset.pipeline[0].type = 'LoadImageFromFile'  # as inferencers need it
    accuracy = config.val_evaluator
    for split in ('val', 'test'):
        dump = {'type': 'DumpResults', 'out_file_path': str(answers / f'{split}.pkl')}
        config[f'{split}_evaluator'] = [accuracy, dump]
    config.dump(path)


def dumped(file):
    """The scores (images, classes) of an evaluation, by file."""
    samples = pickle.loads(file.read_bytes())
    return {sample['img_path']: sample['pred_score'].numpy() for sample in samples}


def predicted(folder):
    """The scores that ``predict`` wrote, by file."""
    entries = json.loads((folder / 'predictions.json').read_text())
    best = {each['file_name']: {b['label']: b['score'] for b in each['best']} for each in entries}
    return {name: [scores[i] for i in range(3)] for name, scores in best.items()}


@pytest.mark.parametrize('base', OTHER)
def test_all_take_what_was_evaluated(run, folders, tmp_path, base):
    from mmpretrain import ImageClassificationInferencer, get_model, inference_model

    write_config(tmp_path / 'tiny.py', base, tmp_path)
    checkpoint = tmp_path / 'work_dirs' / 'tiny' / 'epoch_1.pth'
    run('train', 'tiny.py', '--data-root', folders)
    wanted = dumped(tmp_path / 'val.pkl')
    files, scores = sorted(wanted), np.stack([wanted[file] for file in sorted(wanted)])

    def same(found, precision=1e-6):
        np.testing.assert_allclose(np.stack(found), scores, atol=precision)

    run('test', 'tiny.py', checkpoint, '--data-root', folders)
    same([dumped(tmp_path / 'test.pkl')[file] for file in files])
    run('predict', 'tiny.py', checkpoint, folders / 'val', '--out', 'out')
    found = predicted(tmp_path / 'out')
    same([found[Path(file).relative_to(folders / 'val').as_posix()] for file in files], 1e-5)
    model = get_model(str(tmp_path / 'tiny.py'), str(checkpoint), device='cpu')
    same([inference_model(model, file)['pred_scores'] for file in files])
    inferencer = ImageClassificationInferencer(
        str(tmp_path / 'tiny.py'), pretrained=str(checkpoint), device='cpu'
    )
    same([result['pred_scores'] for result in inferencer(files)])

    started = ['--pretrained', checkpoint, '--cfg-options', 'optim_wrapper.optimizer.lr=1e-30']
    given = ['--data-root', folders, '--work-dir', 'started', *started]
    run('train', 'tiny.py', *given)
    content, start = load_file(checkpoint), load_file(tmp_path / 'started' / 'epoch_1.pth')
    backbone = [key for key in content['state_dict'] if key.startswith('backbone.')]
    both = [(content['state_dict'][key], start['state_dict'][key]) for key in backbone]
    assert all(torch.allclose(*pair, rtol=0, atol=1e-20) for pair in both)
    assert not all(content['state_dict'][k].equal(content[OTHER[base]][k]) for k in backbone)
