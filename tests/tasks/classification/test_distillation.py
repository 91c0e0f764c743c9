"""The loss is the formula, and the teacher is no part of the student."""

import pytest
import torch
from mmpretrain.registry import MODELS
from mmpretrain.structures import DataSample
from torch import nn

from vitbackbones import create_model
from vitbackbones.errors import InputError

pytestmark = pytest.mark.compat
CLASSES = 4


def classifier(**options):
    return {
        'type': 'vitbackbones.ImageClassifier',
        'backbone': {
            'type': 'vitbackbones.ViT',
            'arch': {'embed_dims': 8, 'depth': 2, 'num_heads': 2},
            'img_size': 32,
            'out_type': 'cls_token',
            'drop_path_rate': 0.5,
        },
        'head': {'type': 'LinearClsHead', 'num_classes': CLASSES, 'in_channels': 8},
        **options,
    }


def student(**options):
    options = {'teacher': classifier(), **options}
    torch.manual_seed(0)
    return MODELS.build(classifier(type='vitbackbones.Distilled', **options)).eval()


def two_token_student():
    config = classifier()
    config['backbone'] |= {'with_dist_token': True, 'out_type': 'cls_dist_tokens'}
    config['head'] |= {'type': 'vitbackbones.DistillationHead'}
    parts = {part: config[part] for part in ('backbone', 'head')}
    return student(distillation='hard', teacher=classifier(), **parts)


def samples(labels):
    return [DataSample().set_gt_label(label) for label in labels]


def test_soft_loss_is_the_formula_and_needs_no_labels(images):
    model = student()
    losses = model.loss(images, None)
    s = model.head(model.extract_feat(images)).double()
    t = model.teacher(images).double()
    log_s = s - s.exp().sum(1, keepdim=True).log()
    expected = -(t.exp() / t.exp().sum(1, keepdim=True) * log_s).sum() / 3
    assert losses.keys() == {'loss_distill'}
    assert losses['loss_distill'].item() == pytest.approx(expected.item(), rel=1e-6)


def test_hard_loss_is_half_labels_half_the_teachers_decision(images):
    model = student(distillation='hard')
    losses = model.loss(images, samples([0, 1, 3]))
    log_s = model.head(model.extract_feat(images)).log_softmax(1)
    decided = model.teacher(images).argmax(1)
    for name, targets in {'loss_label': [0, 1, 3], 'loss_distill': decided}.items():
        expected = -log_s[torch.arange(3), torch.as_tensor(targets)].sum() / 6
        torch.testing.assert_close(losses[name], expected)


def test_the_class_token_learns_the_labels_and_the_distillation_token_the_decision(images):
    model = two_token_student()
    losses = model.loss(images, samples([0, 1, 3]))
    (tokens,) = model.extract_feat(images)
    decided = model.teacher(images).argmax(1)
    by_class, by_distillation = model.head.fc(tokens[:, 0]), model.head.fc_dist(tokens[:, 1])
    loss = nn.functional.cross_entropy
    expected = {
        'loss_label': loss(by_class, torch.tensor([0, 1, 3])) / 2,
        'loss_distill': loss(by_distillation, decided) / 2,
    }
    torch.testing.assert_close(losses, expected)
    torch.testing.assert_close(model.head((tokens,)), (by_class + by_distillation) / 2)


def test_a_run_of_two_heads_is_a_classifier_of_two_heads(images, tmp_path):
    trained = two_token_student()
    torch.save({'state_dict': trained.state_dict(), 'meta': {}}, tmp_path / 'run.pth')
    arch = classifier()['backbone']['arch']
    model = create_model('deit_ti_distilled', CLASSES, tmp_path / 'run.pth', arch=arch, img_size=32)
    torch.testing.assert_close(model.eval()(images), trained(images))


def test_the_teacher_is_not_trained_saved_or_averaged(images):
    model = student().train()
    model.loss(images, None)['loss_distill'].backward()
    model.train()
    assert not any(module.training for module in model.teacher.modules())
    assert all(p.grad is None and not p.requires_grad for p in model.teacher.parameters())
    assert all(p.grad is not None for p in model.head.parameters())
    assert model.state_dict().keys() == MODELS.build(classifier()).state_dict().keys()
    assert not any('teacher' in name for name, _ in model.named_modules())


def test_evaluation_builds_no_teacher(images):
    model = student(teacher_checkpoint='nowhere.pth')
    assert len(model.predict(images, samples([0, 1, 2]))) == 3
    with pytest.raises(InputError, match='nowhere.pth: no such checkpoint file'):
        model.loss(images, None)


def test_building_the_teacher_draws_no_random_numbers(images):
    model, state = student(), torch.get_rng_state()
    assert model.teacher is model.teacher
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize('kind', ['of timm', 'from a run of ours'])
def test_a_teacher_is_read_from_a_file(kind, images, tmp_path):
    teacher, key = classifier(), 'state_dict'
    if kind == 'of timm':
        pytest.importorskip('timm')
        teacher = {'type': 'TimmClassifier', 'model_name': 'test_resnet', 'num_classes': CLASSES}
        key = 'model'
    torch.manual_seed(3)
    trained = MODELS.build(teacher).eval()
    state = {name.removeprefix('model.'): x for name, x in trained.state_dict().items()}
    torch.save({key: state}, tmp_path / 'teacher.pth')
    model = student(teacher=teacher, teacher_checkpoint=str(tmp_path / 'teacher.pth'))
    torch.testing.assert_close(model.teach(images)[0], trained(images))


def test_what_is_no_teacher_is_refused(images, tmp_path):
    torch.save({'fc.weight': torch.zeros(2, 2)}, tmp_path / 'other.pth')
    model = student(teacher_checkpoint=str(tmp_path / 'other.pth'))
    with pytest.raises(InputError, match='other.pth does not fit the teacher ImageClassifier'):
        model.loss(images, None)
    teacher = classifier()
    teacher['head']['num_classes'] = 7
    with pytest.raises(InputError, match='has 7 classes, but the student has 4'):
        student(teacher=teacher).loss(images, None)
    with pytest.raises(ValueError, match="distillation='mixed': must be one of 'soft'"):
        student(distillation='mixed')
