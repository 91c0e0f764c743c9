"""``vitbackbones.DETR`` against mmdet's: keys, outputs, gradients, padding, mixed precision."""

import copy
import logging
from pathlib import Path

import pytest
import torch
from mmcv.cnn.bricks.transformer import MultiheadAttention
from mmdet.registry import MODELS
from mmdet.structures import DetDataSample
from mmdet.utils import register_all_modules
from mmengine.config import Config
from mmengine.structures import InstanceData
from scipy.optimize import linear_sum_assignment
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.tasks.detection.detr_head import gather_objects
from vitbackbones.tasks.detection.fused_attention import (
    ALIGNMENT,
    FusedAttention,
    fuse_attention,
    padding_bias,
)

pytestmark = pytest.mark.compat
needs_whole_graphs = pytest.mark.skipif(
    torch.__version__ < '2.11',
    reason="torch 2.6 breaks graphs at mmengine's decorators; 2.11 is the next that was tried",
)
BASE = Path(__file__).parents[3] / 'configs/_base_/models/detr.py'

NARROW = {
    'backbone': {'type': 'ResNet', 'depth': 18, 'base_channels': 8, 'out_indices': (3,)},
    'neck': {'in_channels': [64]},
    'test_cfg': {'max_per_img': 20},
}
# a batch with padding, one without, and one image of an odd size
SHAPES = [[(97, 131), (128, 160)], [(128, 160), (128, 160)], [(33, 47)]]


def build(kind):
    """The DETR of the configs on a narrow ResNet, seeded; only the type differs."""
    register_all_modules(init_default_scope=True)
    config = Config.fromfile(BASE)
    config.merge_from_dict({'model': {'type': kind, 'num_queries': 20, **NARROW}})
    torch.manual_seed(0)
    model = MODELS.build(config.model)
    logging.disable(logging.INFO)  # mmengine logs every parameter
    model.init_weights()
    logging.disable(logging.NOTSET)
    return model.eval()


@pytest.fixture(scope='module')
def theirs():
    return build('DETR')


@pytest.fixture(scope='module')
def ours():
    return build('vitbackbones.DETR')


def make_batch(shapes, counts=None, dtype=torch.float32):
    """Images (N, 3, H, W) padded to a multiple of 32, and samples with ``counts`` objects."""
    random = torch.Generator().manual_seed(1)
    pad = tuple(-(-max(shape[i] for shape in shapes) // 32) * 32 for i in (0, 1))
    images = torch.randn(len(shapes), 3, *pad, generator=random, dtype=dtype)
    samples = []
    for (height, width), count in zip(shapes, counts or [0] * len(shapes), strict=True):
        corners = torch.rand(count, 2, 2, generator=random, dtype=dtype).sort(1).values
        boxes = (corners * corners.new_tensor([width, height])).flatten(1)  # (K, 4) x1 y1 x2 y2
        labels = torch.randint(80, (count,), generator=random)
        sample = DetDataSample()
        sample.set_metainfo({'img_shape': (height, width), 'scale_factor': (1.0, 1.0)})
        sample.set_metainfo({'batch_input_shape': pad})
        sample.gt_instances = InstanceData(bboxes=boxes, labels=labels)
        samples.append(sample)
    return images, samples


def total_loss(model, images, samples):
    return model.parse_losses(model.loss(images, samples))[0]


def close(actual, expected, tolerance):
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


def test_same_keys_and_initial_values(theirs, ours):
    expected, state = theirs.state_dict(), ours.state_dict()
    assert list(expected) == list(state)
    assert all(torch.equal(expected[key], state[key]) for key in expected)
    kinds = [type(m) for m in ours.modules() if isinstance(m, MultiheadAttention)]
    assert kinds == [FusedAttention] * 18  # 6 encoder layers, 2 in each of 6 decoder layers


@pytest.mark.parametrize('shapes', SHAPES)
def test_same_output_of_every_layer(theirs, ours, shapes):
    """Encoder memory, and logits and boxes of all six decoder layers."""
    images, samples = make_batch(shapes)
    with torch.no_grad():
        inputs, _ = theirs.pre_transformer(theirs.extract_feat(images), samples)
        memory = [model.forward_encoder(**inputs)['memory'] for model in (theirs, ours)]
        close(memory[1], memory[0], 2e-6)  # float32 rounding of six layers, values up to 4
        outputs = [model._forward(images, samples) for model in (theirs, ours)]
    for expected, actual in zip(*outputs, strict=True):
        assert len(actual) == 6
        close(actual, expected, 2e-6)


@pytest.mark.parametrize(
    ('shapes', 'counts'),  # of 20 queries
    [(SHAPES[0], (3, 5)), (SHAPES[1], (0, 2)), (SHAPES[0], (0, 0)), (SHAPES[1], (30, 1))],
)
def test_same_losses_and_gradients(theirs, ours, shapes, counts):
    """All losses of all layers, in float64, where no rounding is in the way."""
    images, samples = make_batch(shapes, counts, torch.float64)
    models = [copy.deepcopy(model).double() for model in (theirs, ours)]
    losses = [model.loss(images, samples) for model in models]
    assert losses[0].keys() == losses[1].keys()
    for name in losses[0]:
        close(losses[1][name], losses[0][name], 1e-9)
    for model, each in zip(models, losses, strict=True):
        model.parse_losses(each)[0].backward()
    named = [dict(model.named_parameters()) for model in models]
    for name, parameter in named[0].items():
        close(named[1][name].grad, parameter.grad, 1e-7)


def published_giou(a, b):
    """facebookresearch/detr, ``util/box_ops.py``: of x1 y1 x2 y2 (N, 4) and (M, 4) -> (N, M)."""

    def area(box):
        return (box[..., 2] - box[..., 0]) * (box[..., 3] - box[..., 1])

    a, b = a[:, None], b[None]
    low, high = torch.maximum(a, b)[..., :2], torch.minimum(a, b)[..., 2:]
    inside = (high - low).clamp(min=0).prod(-1)
    union = area(a) + area(b) - inside
    around = (torch.maximum(a, b)[..., 2:] - torch.minimum(a, b)[..., :2]).prod(-1)
    return inside / union - (around - union) / around


@pytest.mark.parametrize('side', [0.1, 800])
def test_losses_and_matching_of_boxes_of_any_size_are_the_published_ones(ours, side):
    """Objects of ``side`` pixels on 800 x 1333, predicted with errors of their own size."""
    height, width = 800, 1333
    draw = torch.Generator().manual_seed(0)
    image = torch.tensor([width, height, width, height], dtype=torch.float64)
    places = torch.rand(6, 4, generator=draw, dtype=torch.float64) * side
    boxes = places + torch.tensor([0, 0, side, side])
    objects = InstanceData(bboxes=boxes[:3], labels=torch.tensor([0, 5, 7]))
    corners = (boxes / image)[[5, 3, 4]]  # x1 y1 x2 y2
    centers = torch.cat([corners[:, :2] + corners[:, 2:], corners[:, 2:] - corners[:, :2]], 1)
    predicted = (centers * torch.tensor([0.5, 0.5, 1, 1])).expand(6, 1, 3, 4).requires_grad_()
    scores = torch.zeros(6, 1, 3, 81, dtype=torch.float64)
    head = copy.deepcopy(ours.bbox_head).double()
    meta = {'img_shape': (height, width)}
    losses = head.loss_by_feat(scores, predicted, [objects], [meta])

    target = boxes[:3] / image
    giou = published_giou(corners, target)
    halves = torch.cat([target[:, :2] + target[:, 2:], target[:, 2:] - target[:, :2]], 1)
    l1 = (predicted[0, 0, :, None] - halves * torch.tensor([0.5, 0.5, 1, 1])).abs().sum(-1)
    cost = (5 * l1 - 2 * giou).detach()
    rows, columns = linear_sum_assignment(cost)
    # mmdet adds 1e-7 to the number of boxes that it divides by
    close(losses['loss_iou'], 2 * (1 - giou[rows, columns]).mean(), 1e-7)
    close(losses['loss_bbox'], 5 * l1[rows, columns].mean(), 1e-7)
    gathered = gather_objects([objects], [meta])
    close(head._cost(scores, predicted, gathered)[0, 0], cost - 1 / 81, 1e-9)


def test_all_padding_gives_finite_numbers(ours):
    attention = ours.encoder.layers[0].self_attn
    x, position = torch.randn(2, 2, 7, 256)
    x.requires_grad_()
    mask = torch.tensor([[True] * 7, [False] * 7])
    out = attention(x, x, x, query_pos=position, key_pos=position, key_padding_mask=mask)
    out.square().sum().backward()
    assert out.isfinite().all()
    assert x.grad.isfinite().all()


def test_a_diverged_training_names_the_images(ours):
    images, samples = make_batch(SHAPES[0], (3, 2))
    samples[0].set_metainfo({'img_path': 'a/first.jpg', 'img_id': 0})
    samples[1].set_metainfo({'img_id': 7})
    model = copy.deepcopy(ours)
    nn.init.constant_(model.bbox_head.fc_cls.bias, float('nan'))
    message = r'for the images a/first\.jpg, 7: the training diverged.*lower learning rate.*--amp'
    with pytest.raises(InputError, match=message):
        model.loss(images, samples)


def test_head_is_float32_under_bfloat16(ours):
    """Mixed precision does not round boxes: a step of bfloat16 is pixels of a large image."""
    hidden = torch.randn(6, 2, 20, 256).bfloat16()
    expected = ours.bbox_head(hidden.float())
    with torch.autocast('cpu', torch.bfloat16):
        actual = ours.bbox_head(hidden)
    for tensor, reference in zip(actual, expected, strict=True):
        assert tensor.dtype == torch.float32
        assert torch.equal(tensor, reference)


@torch.no_grad()
@pytest.mark.parametrize(
    ('dtype', 'tolerance'), [(torch.bfloat16, 0.03), (torch.float16, 0.005)], ids=str
)
def test_half_the_precision_is_nearly_the_same(ours, dtype, tolerance):
    images, samples = make_batch(SHAPES[0])
    wanted = ours._forward(images, samples)
    half = copy.deepcopy(ours).to(dtype)
    for got, reference in zip(half._forward(images.to(dtype), samples), wanted, strict=True):
        assert got.dtype == torch.float32
        assert (got - reference).norm() < tolerance * reference.norm()
    boxes = half.predict(images.to(dtype), samples)[0].pred_instances.bboxes
    assert boxes.dtype == torch.float32
    assert boxes.isfinite().all()


def attention_pair(**options):
    """mmcv's attention and a copy of it put through ``fuse_attention``."""
    torch.manual_seed(0)
    expected = MultiheadAttention(16, 4, batch_first=True, **options)
    nn.init.normal_(expected.attn.in_proj_bias)
    fused = nn.ModuleList([copy.deepcopy(expected)])
    fuse_attention(fused)
    return expected, fused[0]


def test_dropout_has_the_same_moments():
    """Attention, projection and shortcut dropout, over many draws of one input."""
    shortcut = {'type': 'Dropout', 'drop_prob': 0.1}
    pair = attention_pair(attn_drop=0.3, proj_drop=0.2, dropout_layer=shortcut)
    x = torch.randn(1, 5, 16, generator=torch.Generator().manual_seed(0))
    x = x.expand(20000, -1, -1)  # every row of the batch is another draw
    position = torch.zeros_like(x)
    with torch.no_grad():
        expected, actual = (m(x, x, x, query_pos=position, key_pos=position) for m in pair)
    scale = expected.std(0)
    assert ((actual.mean(0) - expected.mean(0)).abs() < 0.05 * scale).all()
    close(actual.std(0) / scale, torch.ones_like(scale), 0.05)


def test_rows_of_a_mask_are_aligned_for_the_memory_efficient_kernel():
    """torch's preprocess_mask copies a mask with other strides; it is broadcast by stride 0."""
    bias = padding_bias(torch.tensor([[False, True, True]] * 2), torch.float32)
    assert (bias.stride(0) % ALIGNMENT, bias.stride(-1)) == (0, 1)
    lowest = torch.finfo(torch.float32).min / 2
    assert bias.tolist() == [[[[0, lowest, lowest]]]] * 2


def test_rare_attentions_are_left_alone():
    expected, actual = attention_pair(add_zero_attn=True)
    x = torch.randn(2, 5, 16)
    assert type(actual) is MultiheadAttention
    assert torch.equal(actual(x, x, x), expected(x, x, x))


@needs_whole_graphs
def test_transformer_compiles_to_one_graph(ours):
    images, samples = make_batch(SHAPES[0])

    def transformer(features):
        return ours.forward_transformer(features, samples)['hidden_states']

    with torch.no_grad():
        features = ours.extract_feat(images)
        compiled = torch.compile(transformer, fullgraph=True, backend='aot_eager')
        close(compiled(features), transformer(features), 1e-6)
