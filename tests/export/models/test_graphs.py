"""Graphs of heads in ONNX Runtime, which takes batches of other sizes than the example's."""

import pytest
import torch

from vitbackbones.export.formats import trace, write_onnx
from vitbackbones.export.models import exportable
from vitbackbones.layers import fuse_for_inference

from .graphs import SIZE, built, predicted, require_equal

HEADS = (
    'retinanet_pvt_s_shapes',
    'faster_rcnn_pvt_s_shapes',
    'mask_rcnn_pvt_s_shapes',
    'deformable_detr_pvt_s_shapes',
    'dino_pvt_s_shapes',
    'mask2former_instance_pvt_s_shapes',
    'mask2former_panoptic_pvt_s_shapes',
    'eomt_panoptic_msf_vit_ti_shapes',
)


@pytest.mark.parametrize(
    'name',
    [
        *('quick_detector', 'quick_instance'),
        *(pytest.param(name, marks=pytest.mark.grid) for name in HEADS),
    ],
)
def test_batches_of_one_and_of_three_are_found_as_by_predict(name, tmp_path):
    runtime = pytest.importorskip('onnxruntime')
    pytest.importorskip('onnxscript')
    model = built(name)
    module = exportable(model, 'detection')
    folded = fuse_for_inference(module)  # as export does
    program = trace(folded, torch.zeros(2, 3, *SIZE), ('batch',))
    write_onnx(program, module.outputs, tmp_path / 'model.onnx')
    session = runtime.InferenceSession(tmp_path / 'model.onnx')
    for number in (1, 3):
        images = torch.randn(number, 3, *SIZE)
        answer = session.run(None, {'image': images.numpy()})
        require_equal(module, answer, predicted(model, images))
