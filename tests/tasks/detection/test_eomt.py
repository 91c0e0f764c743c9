"""EoMT's head: its sizes, its function against an independent one, and the end of its masks."""

from pathlib import Path

import mmdet.utils
import pytest
import torch
import torch.nn.functional as F
from mmdet.registry import MODELS
from mmdet.structures import DetDataSample
from mmdet.structures.mask import BitmapMasks
from mmengine.config import Config
from mmengine.logging import MessageHub
from mmengine.registry import DefaultScope
from mmengine.structures import InstanceData, PixelData

from tests.reference.plain import below, layer_norm, linear, mlp, with_class_token
from tests.small_backbones import away, image, small
from vitbackbones.errors import InputError, OptionError
from vitbackbones.tasks.detection.eomt import EoMTHead, mask_probability

pytestmark = pytest.mark.compat
BASES = Path(__file__).parents[3] / 'configs' / '_base_' / 'models'
QUERIES = 6
PATCH = 16


def settings(backbone='ViT', **head):
    """The settings of a small panoptic model: 3 things, 2 kinds of stuff, 2 joint blocks."""
    model = Config.fromfile(BASES / 'eomt_panoptic_small.py').model
    model.backbone = small(backbone) if isinstance(backbone, str) else backbone
    model.panoptic_fusion_head.num_stuff_classes = 2
    sizes = {'in_channels': 128, 'stride': PATCH, 'num_queries': QUERIES, 'num_stuff_classes': 2}
    model.panoptic_head.update(sizes | head)
    return model


def build(model):
    mmdet.utils.register_all_modules(init_default_scope=False)
    torch.manual_seed(0)
    with DefaultScope.overwrite_default_scope('mmdet'):
        return MODELS.build(model)


def at(step, steps):
    """Let a training be at a step, as mmengine's runner does before each."""
    hub = MessageHub.get_current_instance()
    hub.update_info('iter', step)
    hub.update_info('max_iters', steps)


@pytest.fixture(autouse=True)
def hub():
    """A training of its own for each test."""
    MessageHub._instance_dict.pop('eomt', None)
    return MessageHub.get_instance('eomt')


# ---------------------------------------------------------------------------- sizes

# width, of 200 and of 100 queries, MLP, two upscale blocks, classifier of 133, 80 and 150 classes
SIZES = [
    (192, 38400, 19200, 111168, 299520, 25862, 15633, 29143),
    (256, 51200, 25600, 197376, 530432, 34438, 20817, 38807),
    (320, 64000, 32000, 308160, 826880, 43014, 26001, 48471),
    (384, 76800, 38400, 443520, 1188864, 51590, 31185, 58135),
    (512, 102400, 51200, 787968, 2109440, 68742, 41553, 77463),
    (768, 153600, 76800, 1771776, 4737024, 103046, 62289, 116119),
    (1024, 204800, 102400, 3148800, 8413184, 137350, 83025, 154775),
    (1536, 307200, 153600, 7082496, 18911232, 205958, 124497, 232087),
]


def head_of(width, things, stuff, queries, stride=PATCH):
    losses = {key: settings().panoptic_head[key] for key in ('loss_cls', 'loss_mask', 'loss_dice')}
    classes = {'num_things_classes': things, 'num_stuff_classes': stuff}
    with torch.device('meta'), DefaultScope.overwrite_default_scope('mmdet'):
        return EoMTHead(width, num_queries=queries, stride=stride, **classes, **losses)


def count(part):
    return sum(x.numel() for x in part.parameters())


@pytest.mark.parametrize('sizes', SIZES, ids=lambda sizes: f'{sizes[0]}')
def test_parameters_are_as_many_as_published(sizes):
    width, many, few, in_mlp, in_upscale, panoptic, objects, semantic = sizes
    heads = [head_of(width, 80, 53, 200), head_of(width, 80, 0, 200), head_of(width, 150, 0, 100)]
    for head, queries, classes in zip(
        heads, (many, many, few), (panoptic, objects, semantic), strict=True
    ):
        found = [head.query_feat, head.mask_embed, head.upscale, head.cls_embed]
        assert [count(part) for part in found] == [queries, in_mlp, in_upscale, classes]
        assert count(head) == queries + in_mlp + in_upscale + classes


@pytest.mark.parametrize(('stride', 'blocks'), [(8, 1), (14, 2), (16, 2), (32, 3), (4, 1)])
def test_masks_have_a_stride_of_four_pixels_at_most(stride, blocks):
    assert len(head_of(64, 1, 0, 1, stride).upscale) == blocks


# ---------------------------------------------------------------------------- annealing


@pytest.mark.parametrize(
    ('block', 'blocks', 'first'),
    [
        (0, 4, 600),
        (1, 4, 1200),
        (3, 4, 2400),
        (1, 3, 1500),
        (1, 5, 1050),
        (2, 5, 1500),
        (0, 1, 600),
    ],
)
def test_masks_end_block_by_block_within_a_sixth_of_the_training(block, blocks, first):
    found = [mask_probability(first + step, 3600, block, blocks) for step in (0, 300, 600)]
    assert found == pytest.approx([1, 0.5**0.9, 0], abs=1e-12)
    assert mask_probability(0, 3600, block, blocks) == 1
    assert mask_probability(3599, 3600, block, blocks) == 0


def test_every_query_is_masked_where_there_is_no_training():
    assert mask_probability(0, 0, 0, 3) == 1


def test_a_share_of_the_queries_attends_to_everything():
    head = build(settings()).panoptic_head
    masks = torch.full((40, QUERIES, 8, 8), -1.0)
    masks[..., :4] = 1
    tokens = torch.zeros(40, QUERIES + 1 + 4, 8)
    at(0, 60)
    bias = head.bias_of(masks, tokens, (2, 2), block=0)
    assert bias.shape == (40, 1, 11, 11)
    closed = bias == float('-inf')
    expected = torch.zeros(11, 11, dtype=torch.bool)
    expected[:QUERIES, [-3, -1]] = True  # the right column of patches
    assert torch.equal(closed, expected.expand_as(closed))
    at(15, 60)
    closed = (head.bias_of(masks, tokens, (2, 2), block=0) == float('-inf'))[:, 0, :QUERIES]
    assert closed.any(2).float().mean().item() == pytest.approx(0.5**0.9, abs=0.1)
    assert torch.equal(closed.sum(2), 2 * closed.any(2))  # a whole row or nothing
    at(20, 60)
    assert head.bias_of(masks, tokens, (2, 2), block=0) is None
    assert head.bias_of(masks, tokens, (2, 2), block=1) is not None


# ---------------------------------------------------------------------------- the function


def attend(weights, name, x, heads, allowed):
    """Attention with the scores written out; ``allowed`` (N, L, L) is where a token looks."""
    q, k, v = linear(weights, f'{name}.qkv', x).chunk(3, -1)
    out = []
    for part in range(heads):
        own = slice(part * x.shape[2] // heads, (part + 1) * x.shape[2] // heads)
        scores = q[..., own] @ k[..., own].transpose(1, 2) / (x.shape[2] // heads) ** 0.5
        out.append(scores.masked_fill(~allowed, -1e30).softmax(-1) @ v[..., own])
    return linear(weights, f'{name}.proj', torch.cat(out, 2))


def block(weights, name, x, heads, allowed):
    x = x + attend(
        weights, f'{name}.attn', layer_norm(weights, f'{name}.norm1', x, 1e-6), heads, allowed
    )
    return x + mlp(weights, f'{name}.mlp', layer_norm(weights, f'{name}.norm2', x, 1e-6))


def answer(weights, x, size):
    """Logits of classes and masks of tokens [queries, class token, patches]."""
    x = layer_norm(weights, 'backbone.norm', x, 1e-6)
    head = below(weights, 'panoptic_head.')
    queries, patches = x[:, :QUERIES], x[:, QUERIES + 1 :]
    pixels = patches.transpose(1, 2).reshape(len(x), -1, *size)
    for i in range(2):
        first, last = f'upscale.{i}.0', f'upscale.{i}.3'
        weight = head[f'{first}.weight']  # (in, out, 2, 2), each patch becomes 2 x 2
        pixels = torch.einsum('ncij,cdyx->ndiyjx', pixels, weight)
        pixels = pixels.flatten(4, 5).flatten(2, 3) + head[f'{first}.bias'][:, None, None]
        kernel = head[f'upscale.{i}.2.weight']
        pixels = F.conv2d(F.gelu(pixels), kernel, padding=1, groups=len(kernel))
        pixels = layer_norm(head, last, pixels.movedim(1, 3), 1e-6).movedim(3, 1)
    code = queries
    for i in (0, 2, 4):
        code = linear(head, f'mask_embed.{i}', code if i == 0 else F.gelu(code))
    masks = (code @ pixels.flatten(2)).unflatten(2, pixels.shape[2:])
    return linear(head, 'cls_embed', queries), masks


def reference(weights, x, masked, heads=4, depth=4, joint=2):
    """All answers of an EoMT on a ViT, first those before the joint blocks.

    ``masked`` says for each joint block whether its queries look into their masks alone.
    """
    kernel, bias = (weights[f'backbone.patch_embed.proj.{key}'] for key in ('weight', 'bias'))
    x = F.conv2d(x, kernel, bias, PATCH)
    size = x.shape[2:]
    vit = below(weights, 'backbone.')
    grid = vit['pos_embed'][:, 1:].unflatten(1, (8, 8)).permute(0, 3, 1, 2)  # of 128 pixels
    grid = F.interpolate(grid, size, mode='bicubic').flatten(2).transpose(1, 2)
    code = torch.cat([vit['pos_embed'][:, :1], grid], 1)
    x = with_class_token(vit, x.flatten(2).transpose(1, 2), code)
    everything = torch.ones(1, x.shape[1], x.shape[1], dtype=torch.bool)
    for i in range(depth - joint):
        x = block(vit, f'blocks.{i}', x, heads, everything)
    x = torch.cat([weights['panoptic_head.query_feat.weight'].expand(len(x), -1, -1), x], 1)
    found = []
    for i in range(joint):
        found.append(answer(weights, x, size))
        allowed = torch.ones(len(x), x.shape[1], x.shape[1], dtype=torch.bool)
        if masked[i]:
            small = F.interpolate(found[-1][1], size, mode='bilinear', antialias=False)
            allowed[:, :QUERIES, QUERIES + 1 :] = small.flatten(2) > 0
        x = block(vit, f'blocks.{depth - joint + i}', x, heads, allowed)
    return [*found, answer(weights, x, size)]


@torch.no_grad()
@pytest.mark.parametrize(
    ('step', 'masked'), [(0, (True, True)), (30, (False, True)), (60, (False, False))]
)
def test_all_answers_in_training_are_those_of_the_description(step, masked):
    model = away(build(settings())).train()
    at(step, 60)
    x = image(64, 96)
    wanted = reference(model.state_dict(), x, masked)
    scores, masks = model.panoptic_head(model.extract_feat(x))
    assert len(scores) == len(masks) == 3
    for i, (classes, logits) in enumerate(wanted):
        assert masks[i].shape == (2, QUERIES, 16, 24)
        torch.testing.assert_close(scores[i], classes, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(masks[i], logits, rtol=1e-4, atol=1e-3)


@torch.no_grad()
def test_the_last_answer_is_the_only_one_without_training_and_has_no_masks():
    model = away(build(settings()))
    x = image(64, 96)
    at(0, 60)
    scores, masks = model.panoptic_head(model.extract_feat(x))
    (classes, logits) = reference(model.state_dict(), x, (False, False))[-1]
    assert len(scores) == len(masks) == 1
    torch.testing.assert_close(scores[0], classes, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(masks[0], logits, rtol=1e-4, atol=1e-3)
    at(60, 60)
    ended = model.train().panoptic_head(model.extract_feat(x))
    torch.testing.assert_close((ended[0][-1], ended[1][-1]), (scores[0], masks[0]))


@torch.no_grad()
def test_patches_that_hang_over_the_border_are_cut():
    model = away(build(settings()))
    x = image(52, 90)
    (found,) = model.panoptic_head(model.extract_feat(x))[1]
    (whole,) = model.panoptic_head(model.extract_feat(F.pad(x, (0, 6, 0, 12))))[1]
    assert found.shape == (2, QUERIES, 13, 23)
    torch.testing.assert_close(found, whole[..., :13, :23], rtol=1e-4, atol=1e-4)


# ---------------------------------------------------------------------------- training


def sample(objects):
    """The truth of an image: so many squares of 16 pixels on the second kind of stuff."""
    masks = torch.zeros(objects, 64, 96, dtype=torch.uint8)
    for i in range(objects):
        masks[i, 16:32, 16 * i : 16 * i + 16] = 1
    labels = torch.arange(objects) % 3
    ground = torch.full((1, 64, 96), 4)
    for mask, label in zip(masks, labels, strict=True):
        ground[0, mask.bool()] = label
    truth = DetDataSample(metainfo={'batch_input_shape': (64, 96), 'img_shape': (64, 96)})
    truth.gt_instances = InstanceData(
        labels=labels, masks=BitmapMasks(masks.numpy(), 64, 96), bboxes=torch.zeros(objects, 4)
    )
    truth.gt_sem_seg = PixelData(sem_seg=ground)
    return truth


@pytest.mark.parametrize('with_cp', [False, True])
@pytest.mark.parametrize('backbone', ['ViT', 'AugViT', 'MSFViT', 'AugT2T', 'TNT'])
def test_losses_reach_everything(backbone, with_cp):
    """Also of an image without objects, and with more objects than queries."""
    model = build(settings(small(backbone) | {'with_cp': with_cp})).train()
    at(15, 60)
    losses = model.loss(image(64, 96, 3), [sample(0), sample(2), sample(QUERIES)])
    assert sorted(losses) == sorted(
        f'{place}loss_{kind}' for place in ('', 'd0.', 'd1.') for kind in ('cls', 'mask', 'dice')
    )
    total = sum(losses.values())
    assert total.isfinite()
    total.backward()
    missing = [name for name, x in model.named_parameters() if x.requires_grad and x.grad is None]
    assert missing == []


def test_checkpointing_computes_the_same_gradients():
    found = []
    for with_cp in (False, True):
        model = build(settings(small('TNT') | {'with_cp': with_cp})).train()
        at(15, 60)
        torch.manual_seed(1)
        sum(model.loss(image(), [sample(1), sample(2)]).values()).backward()
        found.append([x.grad for x in model.parameters() if x.grad is not None])
    torch.testing.assert_close(found[0], found[1])


def test_losses_are_computed_in_float32_under_amp():
    model = build(settings()).train()
    with torch.autocast('cpu', torch.bfloat16):
        losses = model.loss(image(), [sample(1), sample(2)])
    assert {value.dtype for value in losses.values()} == {torch.float32}
    sum(losses.values()).backward()


def test_predictions_that_diverged_are_named():
    model = build(settings()).train()
    torch.nn.init.constant_(model.backbone.blocks[0].mlp.fc1.weight, float('nan'))
    truth = [sample(1), sample(2)]
    for number, each in enumerate(truth):
        each.set_metainfo({'img_path': f'{number}.png'})
    with pytest.raises(InputError, match='EoMT: NaN or infinite predictions.* 0.png, 1.png: the t'):
        model.loss(image(), truth)


def test_queries_learn_on_a_frozen_backbone():
    model = build(settings(small('ViT') | {'frozen_stages': 4})).train()
    sum(model.loss(image(), [sample(1), sample(2)]).values()).backward()
    assert model.panoptic_head.query_feat.weight.grad.any()
    assert all(part.grad is None for part in model.backbone.blocks.parameters())


def test_an_instance_model_trains_on_a_batch_without_objects():
    model = settings(num_stuff_classes=0)
    model.panoptic_fusion_head.num_stuff_classes = 0
    empty = sample(0)
    del empty.gt_sem_seg
    losses = build(model).train().loss(image(64, 96, 1), [empty])
    assert all(value.isfinite() for value in losses.values())


# ---------------------------------------------------------------------------- what is refused

TIMM = {'type': 'vitbackbones.Timm', 'name': 'convnext_atto'}
WINDOWS = {'window_size': 4, 'global_attn_indexes': 2}
REFUSED = [
    (small('PVT'), {}, 'PVT: queries cannot join its tokens, because it is no plain ViT. Use one'),
    (small('Swin'), {}, 'Swin: queries .* AugT2T, TNT and the ViTs of timm; or another head'),
    ({'type': 'vitbackbones.Mixer', 'img_size': 64}, {}, 'MixerBlock cannot be masked. Use one of'),
    (small('ResNet'), {}, 'ResNet: queries cannot join its tokens, because it is no plain ViT'),
    (TIMM, {}, 'convnext_atto is a ConvNeXt. Use one of the classes Eva and VisionTransformer of'),
    ({**TIMM, 'name': 'vit_relpos_small_patch16_224'}, {}, 'is a VisionTransformerRelPos'),
    (small('ViT') | WINDOWS, {}, 'the last blocks attend in windows; list them in global_attn'),
    (small('ViT') | {'pool': 2}, {}, "out_type='featmap', pool=2 is set; use out_type='featmap'"),
    (small('ViT') | {'recursion': {'passes': 2, 'groups': [2]}}, {}, 'cuts the tokens into slices'),
    (small('ViT') | {'recursion': {'mixed_depth': True}}, {}, 'mixed_depth has two branches'),
    (small('ViT') | {'attention': {'type': 'SlicedAttention'}}, {}, 'SlicedAttention cannot be ma'),
    (small('ViT'), {'num_blocks': 4}, 'num_blocks=4: queries .* has 4; use at most 3'),
    (small('ViT'), {'num_blocks': 0}, 'num_blocks=0: must be an integer of at least 1'),
    (small('ViT'), {'num_queries': 0}, 'num_queries=0: must be an integer of at least 1'),
    (small('ViT'), {'num_queries': 2.5}, 'num_queries=2.5: must be an integer of at least 1'),
]


@pytest.mark.parametrize(('backbone', 'head', 'message'), REFUSED, ids=lambda x: str(x)[:40])
def test_what_queries_cannot_join_is_refused_with_the_reason(backbone, head, message):
    with pytest.raises(OptionError, match=message):
        build(settings(backbone, **head))


def test_a_neck_is_refused():
    neck = {'type': 'vitbackbones.Levels', 'in_channels': [128], 'in_strides': [16]}
    with pytest.raises(OptionError, match='neck: EoMT reads the tokens of the backbone; remove it'):
        build(settings() | {'neck': neck})
