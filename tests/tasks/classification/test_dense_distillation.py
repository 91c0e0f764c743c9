"""Each term of the loss is its formula, and the teacher sees the student's pixels."""

import pytest
import torch
import torch.nn.functional as F
from mmpretrain.registry import MODELS
from mmpretrain.structures import DataSample

from vitbackbones import create_model
from vitbackbones.errors import InputError, OptionError
from vitbackbones.tasks.classification.dense_distillation import CutMix, map_loss, mirrored

pytestmark = pytest.mark.compat
TEACHER = 'timm:test_efficientnet'  # of timm's own tests: 0.36 M parameters
PAIRS = [(0, 3, 48), (0, 4, 64)]


def student(**options):
    config = {
        'type': 'vitbackbones.DenselyDistilled',
        'backbone': {
            'type': 'vitbackbones.ViT',
            'arch': {'embed_dims': 8, 'depth': 2, 'num_heads': 2},
            'img_size': 32,
            'patch_size': 8,
            'out_type': 'featmap',
        },
        'neck': {'type': 'GlobalAveragePooling'},
        'head': {'type': 'LinearClsHead', 'num_classes': 4, 'in_channels': 8},
        'data_preprocessor': {'mean': [100.0, 110.0, 120.0], 'std': [50.0, 60.0, 70.0]},
        'teacher': TEACHER,
        'teacher_size': 64,
        'pairs': PAIRS,
        **options,
    }
    torch.manual_seed(0)
    return MODELS.build(config).eval()


def samples(labels):
    return [DataSample().set_gt_label(label) for label in labels]


def test_the_soft_term_is_the_divergence_times_the_square_of_the_temperature(images):
    model = student(temperature=3.0, soft_weight=0.5)
    losses = model.loss(images, samples([0, 1, 2]))
    t = model.teach(images)[0].double() / 3
    s = model.soft_head(model.extract_feat(images)[-1]).double() / 3
    p = t.softmax(1)
    divergence = (p * (p.log() - s.log_softmax(1))).sum(1).mean()
    assert losses['loss_soft'].item() == pytest.approx(0.5 * 9 * divergence.item(), rel=1e-4)


def test_the_map_term_is_the_mean_of_the_pairs(images):
    model = student(map_weight=2.0)
    losses = model.loss(images, samples([0, 1, 2]))
    (own,) = model.backbone(images)
    _, *targets = model.teach(images)
    each = [map_loss(p(own), t) for p, t in zip(model.projections, targets, strict=True)]
    torch.testing.assert_close(losses['loss_map'], 2 * (each[0] + each[1]) / 2)


def test_maps_that_agree_cost_nothing_and_scale_of_a_channel_does_not_count():
    torch.manual_seed(0)
    teacher = torch.randn(3, 5, 6, 6) * torch.tensor([1, 10, 100, 0.1, 3])[:, None, None] + 7
    mean = teacher.mean((0, 2, 3), keepdim=True)
    alike = (teacher - mean) / teacher.std((0, 2, 3), keepdim=True, correction=0)
    assert map_loss(alike, teacher).item() < 1e-4
    torch.testing.assert_close(
        map_loss(-alike, teacher), map_loss(-alike, 3 * teacher), rtol=1e-3, atol=0
    )
    opposite = 0.5 * 2 + 0.5 * F.smooth_l1_loss(-alike, alike)
    torch.testing.assert_close(map_loss(-alike, teacher), opposite, rtol=1e-3, atol=0)


def test_a_map_of_another_grid_is_resized():
    student = torch.ones(1, 2, 4, 4).cumsum(3)
    teacher = torch.randn(1, 2, 8, 8)
    resized = F.interpolate(student, (8, 8), mode='bilinear')
    torch.testing.assert_close(map_loss(student, teacher), map_loss(resized, teacher))


def test_the_teacher_sees_the_pixels_at_its_size_and_normalization(images):
    model = student()
    ours = model.data_preprocessor
    pixels = torch.rand(2, 3, 64, 64) * 255
    seen = model._as_seen((pixels - ours.mean) / ours.std)
    mean = torch.tensor(model.teacher.pretrained_cfg['mean'])[:, None, None]
    std = torch.tensor(model.teacher.pretrained_cfg['std'])[:, None, None]
    torch.testing.assert_close(seen, (pixels / 255 - mean) / std, atol=1e-3, rtol=1e-3)
    logits, *maps = model.teach(images)
    assert logits.shape == (3, 1000)
    assert [tuple(x.shape[1:]) for x in maps] == [(48, 4, 4), (64, 2, 2)]


def test_a_weight_of_zero_leaves_a_term_out_and_labels_alone_need_no_teacher(images):
    model = student(soft_weight=0.0, map_weight=0.0, teacher_checkpoint='nowhere.pth')
    assert model.loss(images, samples([0, 1, 2])).keys() == {'loss_label'}
    assert student(label_weight=0.0).loss(images, None).keys() == {'loss_soft', 'loss_map'}
    assert len(model.predict(images, samples([0, 1, 2]))) == 3


def test_the_backbone_learns_from_maps_and_the_teacher_does_not_learn(images):
    model = student(label_weight=0.0, soft_weight=0.0).train()
    model.loss(images, None)['loss_map'].backward()
    assert all(p.grad is not None for p in model.backbone.blocks.parameters())
    assert all(p.grad is None and not p.requires_grad for p in model.teacher.parameters())
    assert not any('teacher' in name for name, _ in model.named_modules())


def test_a_backbone_learns_at_several_sizes_and_is_evaluated_at_the_first(images, monkeypatch):
    model = student(student_sizes=(48, 64, 96), map_weight=0.0, soft_weight=0.0)
    seen = []
    forward = model.backbone.forward
    monkeypatch.setattr(model.backbone, 'forward', lambda x: (seen.append(x.shape), forward(x))[1])
    for _ in range(12):
        model.loss(images, samples([0, 1, 2]))
    assert {(shape[2], shape[3]) for shape in seen} == {(48, 48), (64, 64), (96, 96)}
    model.predict(images, samples([0, 1, 2]))
    assert seen[-1] == (3, 3, 48, 48)


def test_images_and_maps_are_mirrored_together():
    torch.manual_seed(0)
    images = torch.arange(64.0).expand(9, 1, 64, 64)
    maps = F.avg_pool2d(images, 8)
    mirrored_images, mirrored_maps = mirrored([images, maps], 0.5)
    assert torch.equal(F.avg_pool2d(mirrored_images, 8), mirrored_maps)
    turned = (mirrored_images[:, 0, 0, 0] == 63).tolist()
    assert len({*turned}) == 2


def test_a_rectangle_of_images_maps_and_targets_is_that_of_the_image_before():
    torch.manual_seed(1)
    images = torch.arange(3.0)[:, None, None, None].expand(3, 1, 64, 64)
    shares = {CutMix(1.0, images.device).share for _ in range(50)}
    assert shares <= {1, 15 / 16, 12 / 16, 7 / 16, 0}
    assert len(shares) > 3
    mixture = next(x for x in iter(lambda: CutMix(1.0, images.device), None) if x.share == 12 / 16)
    cut = mixture.cut(images)
    assert [(cut[0] == x).float().mean().item() for x in range(3)] == [0.75, 0, 0.25]
    assert torch.equal(mixture.cut(F.avg_pool2d(images, 16)), F.avg_pool2d(cut, 16))
    targets = mixture.blend(torch.eye(3))
    assert targets[0].tolist() == [0.75, 0, 0.25]
    assert mixture.weighted(lambda x: torch.tensor(x[0]), [4.0, 0.0, 8.0]) == 0.75 * 4 + 0.25 * 8
    assert CutMix(0.0, images.device).cut(images) is images


def test_a_mixed_batch_costs_what_its_parts_cost(images, monkeypatch):
    model = student(cutmix_prob=1.0, map_weight=0.0)
    monkeypatch.setattr(
        CutMix,
        '__init__',
        lambda self, *_: vars(self).update(own=torch.tensor([[[[1.0, 0], [1, 0]]]]), share=0.5),
    )
    losses = model.loss(images, samples([0, 1, 2]))
    seen = torch.cat([images[..., :16], images.roll(1, 0)[..., 16:]], 3)
    features = model.extract_feat(seen)
    labels = [model.head.loss(features, samples(x))['loss'] for x in ([0, 1, 2], [2, 0, 1])]
    torch.testing.assert_close(losses['loss_label'], (labels[0] + labels[1]) / 2)
    known = model.teach(images)[0].softmax(1)
    target = (known + known.roll(1, 0)) / 2
    learned = model.soft_head(features[-1]).log_softmax(1)
    torch.testing.assert_close(
        losses['loss_soft'], F.kl_div(learned, target, reduction='batchmean'), rtol=1e-4, atol=1e-5
    )


def test_our_own_models_teach(images):
    model = student(teacher='pvt_t', teacher_size=32, pairs=[(0, 2, 320)])
    expected = create_model('pvt_t').pretrained_cfg['mean']
    assert model.teacher.pretrained_cfg['mean'] == expected
    logits, target = model.teach(images)
    assert logits.shape == (3, 1000)
    assert target.shape == (3, 320, 2, 2)


def test_a_plain_network_without_classes_teaches_at_another_size(images):
    teacher = 'timm:test_vit2'  # made for 160 x 160
    settings = {'teacher_size': 64, 'pairs': [(0, 5, 64)], 'soft_weight': 0.0}
    model = student(teacher=teacher, teacher_classes=3, **settings)
    losses = model.loss(images, samples([0, 1, 2]))
    assert losses.keys() == {'loss_label', 'loss_map'}
    assert model.teach(images)[1].shape == (3, 64, 4, 4)


def test_a_teacher_of_other_widths_is_named(images):
    model = student(teacher_classes=7)
    with pytest.raises(InputError, match='has 1000 classes, but model.teacher_classes=7'):
        model.loss(images, samples([0, 1, 2]))
    model = student(pairs=[(0, 3, 47)])
    with pytest.raises(InputError, match=r'maps of .48. channels at the stages .3., .* says .47.'):
        model.loss(images, samples([0, 1, 2]))
    with pytest.raises(OptionError, match=r'pairs=\[\(1, 3, 48\)\]: the backbone returns 1 map'):
        student(pairs=[(1, 3, 48)])


@pytest.mark.parametrize(
    ('options', 'text'),
    [
        ({'teacher_size': 0}, 'teacher_size and student_sizes'),
        ({'student_sizes': [64, -1]}, 'teacher_size and student_sizes'),
        ({'temperature': 0}, 'temperature=0: must be greater than 0'),
        ({'flip_prob': 1.5}, 'flip_prob=1.5: must be from 0 to 1'),
        ({'cutmix_prob': -1}, 'cutmix_prob=-1: must be from 0 to 1'),
    ],
)
def test_options_that_are_not_positive_are_refused(options, text):
    with pytest.raises(OptionError, match=text):
        student(**options)


def test_an_unknown_teacher_is_named_with_the_nearest(images):
    with pytest.raises(OptionError, match="timm has no 'tf_efficientnet_lite9'.*lite"):
        student(teacher='timm:tf_efficientnet_lite9').teach(images)


def test_weights_of_another_teacher_are_refused(images, tmp_path):
    torch.save({'weight': torch.zeros(1)}, tmp_path / 'other.pth')
    model = student(teacher_checkpoint=str(tmp_path / 'other.pth'))
    with pytest.raises(InputError, match='other.pth does not fit the teacher'):
        model.loss(images, samples([0, 1, 2]))
