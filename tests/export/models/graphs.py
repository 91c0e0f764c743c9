"""Heads as graphs against the toolbox: the same images, and the toolbox's own ``predict``."""

import importlib
from pathlib import Path

import cv2  # noqa: F401 (its import sets a variable, which no test may do)
import torch
from mmdet.structures import DetDataSample
from mmengine.config import Config

from vitbackbones.configuration.classes import set_class_count
from vitbackbones.configuration.names import config_files
from vitbackbones.export.models import exportable
from vitbackbones.export.models.selection import padded

SIZE = (64, 96)
# Parts of a model that classify and code boxes, and how widely their weights are spread here:
# wide enough for scores and boxes of many kinds, where random weights give nearly the same.
SPREAD = {
    'retina_cls': 0.1,
    'retina_reg': 0.03,
    'atss_cls': 0.1,
    'atss_reg': 0.03,
    'centerness': 0.1,
    'bbox_head.conv_cls': 0.1,  # of FCOS
    'bbox_head.conv_reg': 0.03,
    'multi_level_conv_reg': 0.003,  # of YOLOX
    'multi_level_conv_cls': 0.05,
    'multi_level_conv_obj': 0.05,
    'rtm_cls': 10,  # scores differ by more than rounding, else it orders them
    'rtm_reg': 0.05,
    'rtm_kernel': 0.5,
    'rpn_cls': 0.1,
    'rpn_reg': 0.03,
    'fc_cls': 0.2,
    'fc_reg': 0.05,
    'cls_branches': 0.3,
    'cls_embed': 1,
    'query_feat': 10,
}


R18 = {'backbone': {'depth': 18, 'init_cfg': None}, 'neck': {'in_channels': [64, 128, 256, 512]}}


def of_mmdet(name, **changes):
    """Return the model of a config that mmdet ships, in three classes, as :func:`built` does."""
    folder = Path(importlib.import_module('mmdet').__file__).parent / '.mim' / 'configs'
    config = Config.fromfile(folder / name)
    set_class_count(config, 3)
    return _built(config, changes)


def built(name, **changes):
    """Return the model of a config in eval mode, with weights that find objects of all kinds."""
    return _built(Config.fromfile(config_files()[name]), changes)


def _built(config, changes):
    config.merge_from_dict({'model': changes})
    toolbox = config.default_scope
    importlib.import_module(f'{toolbox}.utils').register_all_modules(init_default_scope=True)
    torch.manual_seed(3)
    model = importlib.import_module(f'{toolbox}.registry').MODELS.build(config.model)
    model.init_weights()  # until then mmdet's level_embed is whatever the memory held
    with torch.no_grad():
        for key, weight in model.named_parameters():
            spread = [value for part, value in SPREAD.items() if part in key]
            if spread and key.endswith('weight'):
                weight.normal_(0, spread[0])
            elif spread and ('cls' in key or 'obj' in key):
                weight.fill_(-1)
    return model.eval()


def normalize(model, images):
    """Let the norms of a detector count images; without any, the maps of deep networks vanish."""
    for part in model.modules():
        if hasattr(part, 'momentum'):
            part.momentum = 1.0
    with torch.no_grad():
        maps = model.train().extract_feat(images)
        if hasattr(model, 'bbox_head'):
            model.bbox_head(maps)
    model.eval()


def predicted(model, images):
    """Return what mmdet's ``predict`` finds in images of one size, in pixels of these."""
    size = tuple(images.shape[2:])
    names = ('img_shape', 'batch_input_shape', 'pad_shape', 'ori_shape')
    meta = dict.fromkeys(names, size) | {'scale_factor': (1.0, 1.0)}
    images = padded(model, images)
    meta['batch_input_shape'] = tuple(images.shape[2:])
    with torch.no_grad():
        samples = [DetDataSample(metainfo=meta) for _ in images]
        return model.predict(images, samples, rescale=False)


def require_found_as_by_predict(model, task='detection', number=3, size=SIZE):
    """Fail unless a model as a module finds in a batch what ``predict`` finds; return both."""
    images = torch.randn(number, 3, *size)
    module = exportable(model, task)
    with torch.no_grad():
        answer = module(images)
    require_equal(module, answer, predicted(model, images))
    return module, answer


def require_equal(module, answer, samples):
    """Fail unless a module's answer, tensors or arrays, is what ``predict`` found."""
    answer = dict(zip(module.outputs, map(torch.as_tensor, answer), strict=True))
    assert len(answer[module.outputs[0]]) == len(samples)
    assert len(answer.get('labels', answer.get('segments')).unique()) > 1  # else little is seen
    for i, sample in enumerate(samples):
        image = {name: values[i] for name, values in answer.items()}
        if 'segments' in image:
            assert torch.equal(image['segments'], sample.pred_panoptic_seg.sem_seg[0].long())
        if 'boxes' in image:
            _require_objects(image, sample.pred_instances)


def _require_objects(image, found):
    found = found[found.scores.argsort(descending=True, stable=True)]
    count = len(found)
    assert 0 < count <= len(image['scores'])
    torch.testing.assert_close(image['scores'][:count], found.scores, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(image['boxes'][:count], found.bboxes, rtol=1e-4, atol=1e-3)
    assert torch.equal(image['labels'][:count], found.labels)
    assert (image['scores'][count:] == 0).all()
    assert (image['labels'][count:] == -1).all()
    if 'masks' in image:
        height, width = image['masks'].shape[1:]  # some heads of mmdet leave the padding
        different = image['masks'][:count].bool() != found.masks[:, :height, :width]
        assert different.float().mean() < 1e-4
        assert not image['masks'][count:].any()
