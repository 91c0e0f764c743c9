"""DETR as a graph: the boxes, scores and labels of mmdet, for any batch and size."""

import pytest
import torch
from torch import nn
from torch.export import Dim

from tests.tasks.detection.test_detr import build, make_batch
from vitbackbones.errors import InputError
from vitbackbones.export.models import exportable
from vitbackbones.export.models.detr import boxes_in_pixels, choose_queries

NAMES = ('boxes', 'scores', 'labels')


def predicted(model, images):
    """What mmdet finds in images without padding, one tensor for each of ``NAMES``."""
    _, samples = make_batch([tuple(images.shape[2:])] * len(images))
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


def test_with_a_sigmoid_a_query_may_be_found_twice():
    logits = torch.tensor([[[3.0, 2.0], [-1.0, -2.0]]])
    boxes = torch.tensor([[[0.1] * 4, [0.2] * 4]])
    found, scores, labels = choose_queries(logits, boxes, 3, sigmoid=True)
    assert labels.tolist() == [[0, 1, 0]]
    torch.testing.assert_close(scores, logits.flatten(1)[:, :3].sigmoid())
    torch.testing.assert_close(found, boxes[:, [0, 0, 1]])


def test_with_a_softmax_the_last_class_is_the_background():
    logits = torch.tensor([[[1.0, 0.0, 9.0], [0.0, 2.0, 0.0]]])
    boxes = torch.tensor([[[0.1] * 4, [0.2] * 4]])
    found, scores, labels = choose_queries(logits, boxes, 2, sigmoid=False)
    assert labels.tolist() == [[1, 0]]
    torch.testing.assert_close(scores[0, 0], logits[0, 1].softmax(0)[1])
    torch.testing.assert_close(found, boxes[:, [1, 0]])


def test_a_box_ends_with_the_image():
    box = torch.tensor([[0.9, 0.5, 0.4, 0.5]])
    torch.testing.assert_close(
        boxes_in_pixels(box, (100, 200)), torch.tensor([[140.0, 25.0, 200.0, 75.0]])
    )


def test_another_detector_is_refused_by_name():
    with pytest.raises(InputError, match='model.type: Linear cannot be exported; .*DETR'):
        exportable(nn.Linear(1, 1), 'detection')
