"""What is exported, and all that its card says of it."""

import pytest
import torch
from mmengine.registry import MODELS, DefaultScope

from tests.commands.conftest import TINY_CLS
from tests.openmmlab.conftest import HERE, write_model
from vitbackbones.backbones.by_name import create_model
from vitbackbones.configuration.names import find_config
from vitbackbones.configuration.read import read_config
from vitbackbones.configuration.settings import model_settings
from vitbackbones.errors import InputError
from vitbackbones.export.models import exportable
from vitbackbones.export.subject import of_config, of_model
from vitbackbones.runtime.card import Threshold, write_threshold
from vitbackbones.weights import PUBLISHED
from vitbackbones.weights.trained import trained_weights


@torch.no_grad()
def test_a_model_by_name_is_described_by_its_data_config():
    subject = of_model('deit_ti', None, trained=False)
    assert (subject.name, subject.task, subject.size) == ('deit_ti', 'classification', (224, 224))
    assert subject.mean == pytest.approx([123.675, 116.28, 103.53])
    assert len(subject.classes) == subject.network(torch.rand(1, 3, 32, 32))[0].shape[1] == 1000
    assert subject.checkpoint is None
    assert subject.steps(None)[-1] == {'type': 'center_crop', 'size': [224, 224]}


def test_the_best_checkpoint_of_a_work_dir_fills_a_model_by_name(tmp_path):
    torch.save(create_model('deit_ti').state_dict(), tmp_path / 'best_top1_epoch_2.pth')
    subject = of_model('deit_ti', str(tmp_path / 'best'))
    assert subject.checkpoint['file'] == 'best_top1_epoch_2.pth'
    assert len(subject.checkpoint['sha256']) == 64
    assert subject.checkpoint['license'] is None


def test_weights_that_come_along_have_their_license():
    config = read_config(find_config('detr_aug_vit_s_shapes'))
    config.load_from = str(trained_weights()['detr_aug_vit_s_shapes'])
    assert of_config(config).checkpoint['license'] == 'Apache-2.0'


def test_a_model_that_nobody_published_is_not_exported_by_name_alone():
    assert 'aug_vit_s' not in PUBLISHED
    with pytest.raises(InputError, match='aug_vit_s'):
        of_model('aug_vit_s', None)


def test_a_config_is_described_by_its_data_preprocessor():
    config = read_config(TINY_CLS, {'model.data_preprocessor.to_rgb': True})
    step = {'type': 'Resize', 'scale': (40, 48)}
    config.test_dataloader.dataset.pipeline.insert(1, step)
    subject = of_config(config)
    assert (subject.name, subject.size) == ('tiny_cls', (48, 40))
    assert (subject.mean, subject.std) == ([128.0] * 3, [64.0] * 3)
    assert subject.steps(None) == [{'type': 'resize', 'size': [48, 40]}]


@torch.no_grad()
def test_a_network_of_bgr_images_gets_rgb_images():
    given = {'mean': [1.0, 2.0, 3.0], 'std': [4.0, 5.0, 6.0]}
    changes = {f'model.data_preprocessor.{key}': value for key, value in given.items()}
    subject = of_config(read_config(TINY_CLS, changes))
    assert (subject.mean, subject.std) == ([3.0, 2.0, 1.0], [6.0, 5.0, 4.0])
    image = torch.rand(1, 3, 32, 32)
    inner = subject.network.model
    torch.testing.assert_close(subject.network(image)[0], inner(image[:, [2, 1, 0]])[0])


def test_the_score_threshold_of_the_weights_goes_into_the_card(tmp_path):
    write_model(HERE / 'tiny_det.py', tmp_path)
    write_threshold(tmp_path / 'tiny_det.pth', Threshold(0.4, 'a test', {}))
    config = read_config(tmp_path / 'tiny_det.py', {'model.data_preprocessor.bgr_to_rgb': True})
    config.model.backbone.init_cfg = None
    for weights, wanted in (('tiny_det.pth', 0.4), (None, None)):
        config.load_from = weights and str(tmp_path / weights)
        threshold = of_config(config).threshold
        assert (threshold and threshold['score']) == wanted


def test_without_weights_a_model_is_initialized_as_for_training():
    config = read_config('deformable_detr_pvt_s_shapes')
    codes = of_config(config).network.model.level_embed
    assert 0.9 < codes.std() < 1.1  # mmdet allocates them without a value


@torch.no_grad()
def test_logits_are_those_of_the_scores_that_the_toolbox_gives():
    config = read_config(TINY_CLS)
    with DefaultScope.overwrite_default_scope(config.default_scope):
        model = MODELS.build(model_settings(config)).eval()
    network = exportable(model, 'classification')
    assert (network.outputs, network.fixed_size) == (('logits',), '')
    image = torch.rand(2, 3, 48, 48)
    (logits,) = network(image)
    scores = torch.stack([sample.pred_score for sample in model(image, mode='predict')])
    torch.testing.assert_close(logits.softmax(1), scores)
