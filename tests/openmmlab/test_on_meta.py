"""Models of the toolboxes are built without weights, and without compiled operators."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.on_meta import OnMeta, build_on_meta

pytestmark = pytest.mark.compat
# with stochastic depth, deformable convolutions, BatchNorm over processes, RoIAlign; as printed
MODELS = {
    'mmdet:faster_rcnn/faster-rcnn_r50_fpn_1x_coco.py': 41.75e6,
    'mmdet:swin/mask-rcnn_swin-t-p4-w7_fpn_1x_coco.py': 47.8e6,
    'mmdet:dcn/faster-rcnn_r50-dconv-c3-c5_fpn_1x_coco.py': 42.3e6,
    'mmdet:rtmdet/rtmdet_tiny_8xb32-300e_coco.py': 4.9e6,
    'mmseg:segformer/segformer_mit-b0_8xb2-160k_ade20k-512x512.py': 3.8e6,
    'mmseg:pspnet/pspnet_r50-d8_4xb4-80k_ade20k-512x512.py': 49.1e6,
    'mmpretrain:convnext/convnext-tiny_32xb128_in1k.py': 28.6e6,
    # with widths of its own, a teacher in a file, fused, adapters, weights of timm
    'mmseg:knet/knet-s3_r50-d8_fcn_8xb2-adamw-80k_ade20k-512x512.py': 62.8e6,
    'mmdet:ld/ld_r18-gflv1-r101_fpn_1x_coco.py': 19.4e6,
    'mmpretrain:levit/deploy/levit-128_8xb256_in1k.py': 9.2e6,
    'mmpretrain:vision_transformer/vit-base-p16_8xb64-lora_in1k-384px.py': 87.4e6,
    'mmdet:timm_example/retinanet_timm-tv-resnet50_fpn_1x_coco.py': 38.0e6,
}


@pytest.mark.parametrize('name', MODELS)
def test_a_model_of_a_toolbox_has_its_shapes(name):
    package, file = name.split(':')
    detector = import_module('mmdet.models.detectors.kd_one_stage')
    if file.startswith('ld/') and not hasattr(detector, 'get_installed_path'):
        pytest.skip('mmdet 3.3 finds the config of the teacher only in a clone')
    root = Path(find_spec(package).origin).parent / '.mim' / 'configs'
    settings = Config.fromfile(root / file).model
    before = settings.to_dict()
    model = build_on_meta(settings, package)
    assert settings.to_dict() == before
    assert next(model.parameters()).is_meta
    count = sum(parameter.numel() for parameter in model.parameters())
    assert count == pytest.approx(MODELS[name], rel=0.02)


def test_sizes_in_weights_are_not_read():
    model = {'type': 'CLIPGenerator', 'tokenizer_path': 'https://example.org/clip.pth'}
    with pytest.raises(InputError, match='clip.pth: contains the sizes of the model'):
        build_on_meta(model, 'mmpretrain')


def test_numbers_beside_a_meta_tensor_are_one():
    with OnMeta():
        assert (torch.linspace(0, 1, 3) + torch.zeros(3)).is_meta
        assert torch.linspace(0, 1, 3)[1].item() == 0.5
