"""``publish``: what the folder holds and that it works."""

import hashlib
import json
from argparse import ArgumentParser

import pytest
import torch
import yaml
from mmengine.config import Config

from tests.openmmlab.conftest import HERE, write_model
from vitbackbones.commands.arguments.publish import add_arguments
from vitbackbones.commands.names.publish import publish
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.registry import MODELS
from vitbackbones.reports.model_card import portable_text, read_run, write_card
from vitbackbones.runtime.card import Threshold, read_threshold, write_threshold
from vitbackbones.training.find_checkpoint import find_checkpoint
from vitbackbones.weights.filling import load_pretrained
from vitbackbones.weights.read.load import load_file

pytestmark = pytest.mark.compat
RECORDS = (
    {'loss': 2.0, 'time': 0.1, 'step': 2, 'epoch': 2},
    {'coco/bbox_mAP': 0.1, 'time': 0.1, 'step': 1},
    {'coco/bbox_mAP': 0.3, 'coco/bbox_mAP_s': -1.0, 'data_time': 0.1, 'time': 0.1, 'step': 2},
)


@pytest.fixture(scope='module')
def trained(tmp_path_factory):
    """A work dir: config, log, an older checkpoint and the best one with an optimizer."""
    folder = tmp_path_factory.mktemp('run')
    write_model(HERE / 'tiny_det.py', folder)
    config = read_config(folder / 'tiny_det.py')
    config.work_dir = str(folder)
    config.test_dataloader.dataset.data_root = '/home/someone/pets'
    config.dump(folder / 'tiny_det.py')
    content = torch.load(folder / 'tiny_det.pth') | {'optimizer': {'state': {}}}
    torch.save(content, folder / 'best_coco_bbox_mAP_epoch_2.pth')
    (folder / 'tiny_det.pth').rename(folder / 'epoch_3.pth')
    log = folder / '20260101_000000/vis_data/scalars.json'
    log.parent.mkdir(parents=True)
    log.write_text('\n'.join(map(json.dumps, RECORDS)))
    return folder


@pytest.fixture
def call(trained, tmp_path):
    """``call('--license', 'mit')`` publishes the work dir and returns the folder."""

    def run(*arguments, work_dir=trained):
        parser = ArgumentParser()
        add_arguments(parser)
        out = tmp_path / 'published'
        publish(parser.parse_args([str(work_dir), '--out', str(out), *arguments]))
        return out

    return run


def test_weights_are_those_of_the_best_checkpoint_alone(call, trained):
    out = call()
    assert {file.name for file in out.iterdir()} == {'README.md', 'config.py', 'model.safetensors'}
    source = load_file(trained / 'best_coco_bbox_mAP_epoch_2.pth')
    written = load_file(out / 'model.safetensors')
    assert written.keys() == {'meta', 'state_dict'}
    torch.testing.assert_close(written['state_dict'], source['state_dict'], rtol=0, atol=0)
    classes = source['meta']['dataset_meta']['classes']
    assert written['meta']['dataset_meta']['classes'] == list(classes)
    assert find_checkpoint(str(out), 'CHECKPOINT') == out / 'model.safetensors'


def test_the_score_threshold_comes_along(call, trained):
    best, chosen = trained / 'best_coco_bbox_mAP_epoch_2.pth', Threshold(0.4, 'a test', {})
    path = write_threshold(best, chosen)
    assert read_threshold(call() / 'model.safetensors') == chosen
    path.unlink()
    assert read_threshold(call('--overwrite') / 'model.safetensors') is None


def test_the_card_says_what_the_file_is(call, trained):
    out = call('--license', 'mit')
    _, front, text = (out / 'README.md').read_text().split('---\n', 2)
    front = yaml.safe_load(front)
    assert (front['license'], front['pipeline_tag']) == ('mit', 'object-detection')
    (result,) = front['model-index'][0]['results']
    assert result['metrics'] == [{'type': 'coco/bbox_mAP', 'value': 0.3}]
    assert hashlib.sha256((out / 'model.safetensors').read_bytes()).hexdigest() in text
    assert 'epoch 2' in text
    card = call('--checkpoint', str(trained / 'epoch_3.pth'), '--overwrite') / 'README.md'
    assert 'The log of the run contains no metrics for these weights.' in card.read_text()


def test_a_backbone_alone_is_in_half_precision_and_fills_others(call, trained):
    out = call('--backbone')
    state = load_file(out / 'model.safetensors')['state_dict']
    whole = load_file(trained / 'best_coco_bbox_mAP_epoch_2.pth')['state_dict']
    own = {key: value for key, value in whole.items() if key.startswith('backbone.')}
    assert state.keys() == own.keys()
    assert all(torch.equal(state[key], own[key].half()) for key in own)
    card = (out / 'README.md').read_text()
    assert '    vitbackbones train CONFIG --pretrained model.safetensors\n' in card
    assert 'predict' not in card
    assert '| classes |' not in card
    config = read_config(trained / 'tiny_det.py').model.backbone
    backbone = MODELS.build(config)
    coverage = load_pretrained(backbone, out / 'model.safetensors')
    assert len(coverage.used) == len(own)
    key, value = next(iter(backbone.state_dict().items()))
    torch.testing.assert_close(value, own[f'backbone.{key}'], rtol=1e-3, atol=1e-4)


def test_a_whole_model_in_half_precision_is_loaded_by_its_config(call, trained):
    out = call('--half')
    state = load_file(out / 'model.safetensors')['state_dict']
    whole = load_file(trained / 'best_coco_bbox_mAP_epoch_2.pth')['state_dict']
    assert state.keys() == whole.keys()
    for key, value in whole.items():
        assert torch.equal(state[key], value.half() if value.is_floating_point() else value)
    assert '    vitbackbones predict config.py model.safetensors' in (out / 'README.md').read_text()


def test_the_config_has_neither_places_of_this_machine_nor_passwords(trained):
    run = read_run(trained)
    run.config.cache = ['file:///home/someone/cache', 'bbox_mAP']
    run.config.visualizer = {'init_kwargs': {'api_key': 'a1b2', 'project': 'pets'}}
    text = portable_text(run)
    assert not [secret for secret in ('someone', 'a1b2', str(trained)) if secret in text]
    assert "data_root='data/pets'" in text
    config = Config.fromstring(text, '.py')
    assert config.cache == ['cache', 'bbox_mAP']
    assert config.visualizer.init_kwargs == {'api_key': '', 'project': 'pets'}


def test_names_of_classes_stay_in_their_cell(trained):
    run = read_run(trained)
    run.meta['classes'] = ['a|b', 'c\nd', '<img src=x>', '\x1b[31m']
    lines = write_card(run, 'x.safetensors', 1, '0', 'mit').split('\n')
    assert r'| classes | a&#124;b, c d, &lt;img src=x&gt;, \x1b[31m |' in lines


def test_only_a_folder_of_publish_is_replaced(call):
    out = call()
    with pytest.raises(
        InputError, match='already exists; choose another folder, or use --overwrite'
    ):
        call()
    (out / 'epoch_1.pth').write_text('mine')
    with pytest.raises(InputError, match='contains other files than .*, so it is not replaced'):
        call('--overwrite')
    assert (out / 'epoch_1.pth').read_text() == 'mine'


def test_what_is_no_finished_run_is_refused(call, trained, tmp_path):
    with pytest.raises(InputError, match='contains no config that train wrote'):
        call(work_dir=tmp_path)
    torch.save({'x': torch.ones(1)}, tmp_path / 'bare.pth')
    with pytest.raises(InputError, match='has no state_dict'):
        call('--checkpoint', str(tmp_path / 'bare.pth'))


def test_without_leaves_out_the_weights_of_a_pattern(call):
    state = load_file(call('--without', 'bbox_head.*', '*.bias') / 'model.safetensors')[
        'state_dict'
    ]
    assert state
    assert not [key for key in state if key.startswith('bbox_head.') or key.endswith('.bias')]


def test_without_a_pattern_that_matches_nothing_is_refused(call):
    with pytest.raises(InputError, match=r'--without head\.\*: no weight has such a key'):
        call('--without', 'head.*')
