"""DETR as a graph: the boxes, scores and labels of mmdet, for any batch and size."""

from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.export import Dim

from tests.tasks.detection.test_detr import build, make_batch
from vitbackbones.errors import InputError
from vitbackbones.export.models import exportable
from vitbackbones.export.models.detr import detections

NAMES = ('boxes', 'scores', 'labels')


def predicted(model, images, size=None):
    """What mmdet finds in images, of which ``size`` is no padding: a tensor each of ``NAMES``."""
    _, samples = make_batch([size or tuple(images.shape[2:])] * len(images))
    for sample in samples:
        sample.set_metainfo({'batch_input_shape': tuple(images.shape[2:])})
    found = [each.pred_instances for each in model.predict(images, samples, rescale=False)]
    keys = ('bboxes', 'scores', 'labels')
    return tuple(torch.stack([each[key] for each in found]) for key in keys)


@torch.no_grad()
@pytest.mark.parametrize('kind', ['vitbackbones.DETR', 'DETR'])
def test_all_images_of_a_batch_have_the_objects_of_mmdet(kind):
    model = build(kind)
    model.test_cfg['max_per_img'] = 7
    images, _ = make_batch([(96, 128)] * 3)
    network = exportable(model, 'detection')
    assert network.outputs == NAMES
    found, wanted = network(images), predicted(model, images)
    assert found[0].shape == (3, 7, 4)
    for ours, theirs in zip(found, wanted, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-5)


@torch.no_grad()
def test_a_graph_takes_any_batch_and_size():
    model = build('vitbackbones.DETR')
    axes = {0: Dim('batch', min=1), 2: Dim.DYNAMIC, 3: Dim.DYNAMIC}
    images, _ = make_batch([(96, 128)] * 2)
    graph = torch.export.export(
        exportable(model, 'detection'), (images,), dynamic_shapes=(axes,), strict=False
    ).module()
    for shapes in ([(64, 96)], [(128, 96)] * 3):
        images, _ = make_batch(shapes)
        for ours, theirs in zip(graph(images), predicted(model, images), strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-4)


@torch.no_grad()
def test_what_a_graph_pads_is_hidden_as_in_mmdet():
    model = build('vitbackbones.DETR')
    model.data_preprocessor.pad_size_divisor = 32
    network = exportable(model, 'detection')
    for size in ((70, 100), (33, 128), (64, 96)):
        images = torch.rand(2, 3, *size)
        padded = F.pad(images, (0, -size[1] % 32, 0, -size[0] % 32))
        for ours, theirs in zip(network(images), predicted(model, padded, size), strict=True):
            torch.testing.assert_close(ours, theirs)


def test_another_detector_is_refused_by_name():
    with pytest.raises(InputError, match='model.type: Linear cannot be exported; .*DETR'):
        exportable(nn.Linear(1, 1), 'detection')


def test_a_query_may_have_several_classes_with_a_sigmoid():
    head = SimpleNamespace(test_cfg={'max_per_img': 3}, loss_cls=SimpleNamespace(use_sigmoid=True))
    logits = torch.tensor([[[0.0, 2, 1, -9], [-9, -9, -9, 3]]])
    boxes = torch.tensor([[[0.5, 0.5, 1, 1], [0.5, 0.25, 0.5, 2]]])
    found, scores, labels = detections(head, logits, boxes, (20, 40))
    assert labels.tolist() == [[3, 1, 2]]
    torch.testing.assert_close(scores, torch.tensor([[3.0, 2, 1]]).sigmoid())
    assert found.tolist() == [[[10, 0, 30, 20], [0, 0, 40, 20], [0, 0, 40, 20]]]
    head.loss_cls.use_sigmoid = False
    head.test_cfg = {}
    _, scores, labels = detections(head, logits, boxes, (20, 40))
    assert labels.tolist() == [[1, 0]]  # the last class is the background
    assert scores.shape == (1, 2)
