"""Released DETR checkpoints: they fill ours, which then computes what the released code does."""

import pytest
import torch
from mmdet.datasets import CocoDataset
from mmdet.registry import MODELS
from mmdet.structures import DetDataSample
from mmdet.utils import register_all_modules
from mmengine.config import Config
from torchvision.models._meta import _COCO_CATEGORIES

from tests.converting import convert
from tests.reference.detr import DETR
from vitbackbones.configuration.names import config_files
from vitbackbones.openmmlab import loading
from vitbackbones.tasks.predictor import Predictor
from vitbackbones.weights.convert.whole_models import COCO_ROWS
from vitbackbones.weights.filling import load_model_file, load_pretrained
from vitbackbones.weights.read.load import load_file

pytestmark = pytest.mark.compat
CONFIGS = {False: 'detr_r50_coco', True: 'detr_r50_dc5_coco'}
SHAPES = [(61, 90), (128, 160)]


@pytest.fixture(params=[False, True], ids=['plain', 'dc5'])
def dilated(request):
    return request.param


@pytest.fixture
def published(dilated):
    """A narrow detector of the released code with every number random."""
    torch.manual_seed(0)
    model = DETR(dilated=dilated).double().eval()
    for name, value in model.state_dict().items():
        spread = torch.randn_like(value) * 0.1
        value.add_(spread.abs() if name.endswith('running_var') else spread)
    return model


@pytest.fixture
def released(published, tmp_path):
    path = tmp_path / 'detr-released.pth'
    torch.save({'model': published.state_dict()}, path)
    return path


def narrow_config(dilated, **options):
    """The shipped config, as narrow as the published model."""
    config = Config.fromfile(config_files()[CONFIGS[dilated]])
    attention = {'embed_dims': 32, 'num_heads': 4}
    ffn = {'embed_dims': 32, 'feedforward_channels': 48}
    layer = {'self_attn_cfg': attention, 'ffn_cfg': ffn}
    narrow = {
        'num_queries': 7,
        'backbone': {'base_channels': 8, 'stem_channels': 8, 'init_cfg': None},
        'neck': {'in_channels': [256], 'out_channels': 32},
        'encoder': {'num_layers': 2, 'layer_cfg': layer},
        'decoder': {'num_layers': 2, 'layer_cfg': {**layer, 'cross_attn_cfg': attention}},
        'positional_encoding': {'num_feats': 16},
        'bbox_head': {'embed_dims': 32},
    }
    config.merge_from_dict({'model': narrow})
    config.merge_from_dict({'model': options})
    return config


def build(dilated, **options):
    config = narrow_config(dilated, **options)
    register_all_modules()
    torch.manual_seed(1)
    return MODELS.build(config.model).eval()


def padded_batch():
    """Two images of different sizes on one canvas, its mask, and mmdet's samples."""
    images = torch.zeros(2, 3, 128, 160, dtype=torch.float64)
    mask = torch.ones(2, 128, 160, dtype=torch.bool)
    samples = []
    for i, (height, width) in enumerate(SHAPES):
        images[i, :, :height, :width].normal_()
        mask[i, :height, :width] = False
        meta = {'img_shape': (height, width), 'batch_input_shape': (128, 160)}
        samples.append(DetDataSample(metainfo=meta))
    return images, mask, samples


@torch.no_grad()
def test_logits_and_boxes_of_all_layers_are_those_of_the_released_code(
    dilated, published, released
):
    model = build(dilated).double()
    coverage = load_pretrained(model, released)
    assert coverage.format == 'detr'
    assert (coverage.missing, coverage.unused, coverage.mismatched) == ((), (), {})
    images, mask, samples = padded_batch()
    logits, boxes = published(images, mask)
    ours = model._forward(images, samples)
    torch.testing.assert_close(ours[0], logits[..., COCO_ROWS], rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(ours[1], boxes, rtol=1e-10, atol=1e-10)
    assert boxes.std() > 0.01  # numbers that say something


def test_rows_of_the_classifier_are_cocos_categories_in_mmdets_order():
    names = [*_COCO_CATEGORIES, 'no object']
    released = [names[row].replace(' ', '') for row in COCO_ROWS[:-1]]
    assert released == [name.replace(' ', '') for name in CocoDataset.METAINFO['classes']]
    assert names[COCO_ROWS[-1]] == 'no object'


@pytest.mark.parametrize('dilated', [False])
def test_a_classifier_of_other_classes_keeps_its_rows(published):
    state = published.state_dict()
    own = {name: state[name][:4] for name in ('class_embed.weight', 'class_embed.bias')}
    converted = convert({**state, **own})[0]
    assert torch.equal(converted['bbox_head.fc_cls.weight'], own['class_embed.weight'])


@pytest.mark.parametrize('dilated', [False])
def test_predictions_and_addresses_take_a_released_file_too(released, monkeypatch):
    predictor = Predictor(narrow_config(False), released, torch.device('cpu'))
    wanted = load_model_file(released)['state_dict']['query_embedding.weight']
    assert torch.equal(predictor.model.query_embedding.weight, wanted.float())
    assert predictor.meta['classes'][0] == 'person'
    monkeypatch.setattr(loading, 'load_url', lambda *given: load_file(released))
    fetched = loading.load_url_safely(None, 'https://host/detr.pth')
    assert torch.equal(fetched['state_dict']['query_embedding.weight'], wanted)
