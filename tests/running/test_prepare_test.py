"""What options make of the config of a test."""

import pytest
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.running.prepare_test import use_fused, use_tiling, use_views
from vitbackbones.running.request import TestRequest


def requested(checkpoint='a.pth', **options):
    return TestRequest('config.py', checkpoint, **options)


def test_masks_that_mmdet_cannot_merge_are_refused_before_the_test():
    config = Config({'model': {'bbox_head': {}}, 'tta_model': {'type': 'DetTTAModel'}})
    config.update(tta_pipeline=[], test_dataloader={'dataset': {}})
    assert use_views(config, requested(tta=True)).model.type == 'DetTTAModel'
    config.model = {'roi_head': {'mask_head': {'type': 'FCNMaskHead'}}}
    with pytest.raises(InputError, match=r'merges only boxes, but model\.roi_head\.mask_head'):
        use_views(config, requested(tta=True))


def test_the_fused_form_is_a_hook():
    (hook,) = use_fused(Config(), requested(fused='bfloat16')).custom_hooks
    assert hook == {'type': 'vitbackbones.FusedHook', 'bfloat16': True, 'compile': False}


@pytest.mark.parametrize(
    ('scope', 'request_of_tiles'),
    [
        ('mmseg', {'tta': True}),
        ('mmdet', {'checkpoint': 'a.onnx'}),
        ('mmpretrain', {}),
    ],
)
def test_what_is_not_cut_is_refused(scope, request_of_tiles):
    with pytest.raises(InputError, match='--tiles: is only for detectors and segmentors in torch'):
        use_tiling(Config({'default_scope': scope}), requested(tiles=9, **request_of_tiles))
