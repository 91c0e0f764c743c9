"""Segmentors as graphs: the numbers of mmseg, for any batch and size, in ONNX Runtime too."""

from itertools import cycle
from pathlib import Path

import pytest
import torch
from mmengine.config import Config
from mmengine.registry import DefaultScope
from mmseg.registry import MODELS
from mmseg.utils import register_all_modules
from torch import nn
from torch.export import Dim

from tests.small_backbones import SMALL, small
from tests.tasks.segmentation.setr import KINDS, build
from vitbackbones.errors import InputError
from vitbackbones.export.models import exportable
from vitbackbones.export.models.segmentor import BinAverages

BASES = Path(__file__).parents[3] / 'configs' / '_base_'
HEADS = (
    'setr_naive',
    'setr_pup',
    'setr_mla_small',
    'quick_segmentor',
    'semantic_fpn_small',
    'upernet_small',
)
SIDES = {2: Dim.DYNAMIC, 3: Dim.DYNAMIC}


def images(count, height, width):
    return torch.randn(count, 3, height, width, generator=torch.Generator().manual_seed(0))


def joined(head, backbone):
    """A model of a base config for heads on a small backbone, with 4 classes, in one piece."""
    register_all_modules(init_default_scope=False)
    model = Config.fromfile(BASES / 'models' / f'{head}.py').model
    model.backbone, model.auxiliary_head = small(backbone), None  # update would merge them
    model.test_cfg = {'mode': 'whole'}
    model.decode_head.num_classes = 4
    if head.startswith('setr'):
        model.decode_head.channels = 32
    torch.manual_seed(0)
    with DefaultScope.overwrite_default_scope('mmseg'):
        return with_statistics(MODELS.build(model))


def with_statistics(model):
    """Give the norms what they would have learned: they then tell maps from zeros."""
    for part in model.modules():
        if isinstance(part, nn.BatchNorm2d):
            nn.init.normal_(part.running_mean, std=0.1)
            nn.init.uniform_(part.running_var, 0.5, 1.5)
    return model.eval()


def predicted(model, x):
    """The logits (N, classes, H, W) of mmseg."""
    return torch.stack([sample.seg_logits.data for sample in model.predict(x)])


def close(found, wanted, tolerance=1e-5):
    assert found.shape == wanted.shape
    assert (found - wanted).abs().max() <= tolerance * wanted.abs().max()


@torch.no_grad()
@pytest.mark.parametrize('size', [(64, 64), (70, 45)], ids=str)
@pytest.mark.parametrize('kind', KINDS)
def test_logits_are_those_of_mmseg_and_a_mask_is_their_best_class(kind, size):
    model, x = with_statistics(build(kind)), images(2, *size)
    (logits,) = exportable(model, 'segmentation')(x)
    torch.testing.assert_close(logits, predicted(model, x), rtol=0, atol=0)
    graph = exportable(model, 'segmentation', 'mask')
    assert graph.outputs == ('mask',)
    assert graph(x)[0].dtype == torch.uint8
    assert torch.equal(graph(x)[0], logits.argmax(1))


@torch.no_grad()
def test_a_head_of_one_channel_has_a_threshold():
    model, x = build('naive'), images(2, 64, 64)
    head = model.decode_head
    head.conv_seg = nn.Conv2d(head.channels, 1, 1)
    head.threshold = 0.45
    (mask,) = exportable(model, 'segmentation', 'mask')(x)
    wanted = torch.cat([sample.pred_sem_seg.data for sample in model.predict(x)])
    assert torch.equal(mask, wanted)
    assert 0 < mask.float().mean() < 1


@torch.no_grad()
def test_more_classes_than_a_byte_numbers_have_a_wider_mask():
    model = build('naive')
    model.decode_head.conv_seg = nn.Conv2d(model.decode_head.channels, 256, 1)
    assert exportable(model, 'segmentation', 'mask')(images(1, 64, 64))[0].dtype == torch.int64


def test_weights_are_shared_and_the_model_stays_as_it_was():
    model = joined('upernet_small', 'PVT')
    pools = [part for part in model.modules() if isinstance(part, nn.AdaptiveAvgPool2d)]
    graph = exportable(model, 'segmentation')
    assert graph.fixed_size == ''
    ours = {id(x) for x in (*graph.parameters(), *graph.buffers())}
    assert ours == {id(x) for x in (*model.parameters(), *model.buffers())}
    assert [type(part) for part in graph.modules()].count(BinAverages) == len(pools) == 4
    assert sum(isinstance(part, nn.AdaptiveAvgPool2d) for part in model.modules()) == 4
    model.align_corners = True
    assert 'align_corners' in exportable(model, 'segmentation').fixed_size


@torch.no_grad()
def test_mask2former_is_the_one_of_mmseg():
    model, x = joined('mask2former_small', 'PVT'), images(2, 64, 96)
    network = exportable(model, 'segmentation')
    close(network(x)[0], predicted(model, x))
    graph = torch.export.export(network, (x,), strict=False)
    close(graph.module()(x)[0], predicted(model, x))


@torch.no_grad()
@pytest.mark.parametrize('backbone', ['ViT', pytest.param('TNT', marks=pytest.mark.grid)])
def test_eomt_is_the_one_of_mmseg(backbone):
    runtime = pytest.importorskip('onnxruntime')
    pytest.importorskip('onnxscript')
    model = joined('eomt_small', backbone)
    network = exportable(model, 'segmentation')
    axes = {0: Dim('batch', min=1), **SIDES}
    graph = torch.export.export(
        network, (images(2, 96, 128),), dynamic_shapes=(axes,), strict=False
    )
    for x in (images(1, 96, 128), images(3, 70, 81)):
        close(graph.module()(x)[0], predicted(model, x))
    file = torch.onnx.export(graph, dynamo=True, verbose=False).model_proto.SerializeToString()
    session = runtime.InferenceSession(file)
    for x in (images(1, 96, 128), images(3, 70, 81)):
        (found,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        close(torch.from_numpy(found), predicted(model, x), tolerance=1e-4)


def test_a_window_may_have_any_size_and_has_no_mask():
    model = build('naive')
    model.test_cfg.update(mode='slide', crop_size=(32, 48), stride=(16, 24))
    assert exportable(model, 'segmentation').fixed_size == ''
    with pytest.raises(InputError, match='logits of all windows are averaged.*mode=.whole'):
        exportable(model, 'segmentation', 'mask')


@torch.no_grad()
def test_a_graph_takes_any_batch_and_size():
    """Also where patches hang over the border, which its example does or does not."""
    model = joined('setr_mla_small', 'SimpleViT')
    axes = {0: Dim('batch', min=1), **SIDES}
    network = exportable(model, 'segmentation')
    graph = torch.export.export(
        network, (images(2, 96, 128),), dynamic_shapes=(axes,), strict=False
    ).module()
    for x in (images(1, 96, 128), images(3, 70, 81)):
        close(graph(x)[0], predicted(model, x))


@torch.no_grad()
@pytest.mark.parametrize(
    ('head', 'backbone'),
    # every head and every backbone once; the second head pools to fixed sizes
    [
        ('setr_naive', 'ViT'),
        ('upernet_small', 'PVT'),
        *(pytest.param(*pair, marks=pytest.mark.grid) for pair in zip(cycle(HEADS), SMALL)),
    ],
)
def test_a_file_of_every_head_on_every_backbone_answers_as_mmseg(head, backbone):
    runtime = pytest.importorskip('onnxruntime')
    pytest.importorskip('onnxscript')
    model = joined(head, backbone)
    graph = torch.export.export(
        exportable(model, 'segmentation'),
        (images(2, 128, 96),),
        dynamic_shapes=({0: Dim('batch', min=1)},),
        strict=False,
    )
    file = torch.onnx.export(graph, dynamo=True, verbose=False).model_proto.SerializeToString()
    session = runtime.InferenceSession(file)
    for count in (1, 3):
        x = images(count, 128, 96)
        (found,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
        close(torch.from_numpy(found), predicted(model, x))
