"""A classifier starts from a whole checkpoint; the mode of fine-tuning."""

import pytest
import torch
from mmpretrain.registry import MODELS

from vitbackbones.errors import InputError
from vitbackbones.training.hooks.evaluation import EvalModeHook

from .test_distillation import classifier, samples

pytestmark = pytest.mark.compat


def saved(tmp_path):
    """A checkpoint as mmengine writes it."""
    torch.manual_seed(5)
    model = MODELS.build(classifier())
    torch.save({'state_dict': model.state_dict(), 'meta': {}}, tmp_path / 'epoch_1.pth')
    return model, {'type': 'Pretrained', 'checkpoint': str(tmp_path / 'epoch_1.pth')}


def test_backbone_and_head_come_from_one_file_also_at_a_higher_resolution(tmp_path):
    given, init_cfg = saved(tmp_path)
    config = classifier(init_cfg=init_cfg)
    config['backbone']['img_size'] = 64
    model = MODELS.build(config)
    model.init_weights()
    state, expected = model.state_dict(), given.state_dict()
    large, small = (each.pop('backbone.pos_embed') for each in (state, expected))
    assert all(torch.equal(state[key], value) for key, value in expected.items())
    assert (small.shape, large.shape) == ((1, 5, 8), (1, 17, 8))
    assert torch.equal(large[:, 0], small[:, 0])


def test_a_published_file_fits_too(tmp_path):
    trained, init_cfg = saved(tmp_path)
    state = {k.removeprefix('backbone.'): v for k, v in trained.state_dict().items()}
    state = {k.replace('head.fc.', 'head.'): v for k, v in state.items()}
    torch.save({'model': state}, init_cfg['checkpoint'])
    model = MODELS.build(classifier(init_cfg=init_cfg))
    model.init_weights()
    assert torch.equal(model.head.fc.weight, trained.head.fc.weight)


def test_a_file_with_another_head_is_refused(tmp_path):
    _, init_cfg = saved(tmp_path)
    config = classifier(init_cfg=init_cfg)
    config['head']['num_classes'] = 9
    with pytest.raises(InputError, match=r'head.fc.weight \(4, 8\) for \(9, 8\)'):
        MODELS.build(config).init_weights()


def test_fine_tuning_in_eval_mode_still_learns():
    class Runner:
        model = MODELS.build(classifier())

    Runner.model.train()
    EvalModeHook().before_train_iter(Runner, 0)
    images = torch.randn(2, 3, 32, 32)
    first, again = (Runner.model(images) for _ in range(2))
    assert torch.equal(first, again)  # stochastic depth is off
    first.sum().backward()
    assert Runner.model.backbone.norm.weight.grad is not None


MIXED = {'passes': 2, 'nll_ratio': 1, 'mixed_depth': True}


def mixed(kind='ImageClassifier', **recursion):
    config = classifier(type=f'vitbackbones.{kind}')
    config['backbone'] |= {'recursion': {**MIXED, **recursion}, 'drop_path_rate': 0.0}
    config |= {'teacher': classifier()} if kind == 'Distilled' else {}
    torch.manual_seed(0)
    return MODELS.build(config)


@pytest.mark.parametrize('kind', ['ImageClassifier', 'Distilled'])
def test_each_branch_of_mixed_depth_can_have_a_loss_of_its_own(kind, images):
    model, labels = mixed(kind, mixed_loss='both').train(), samples([0, 1, 2])
    alone = mixed(kind, mixed_depth=False)
    alone.load_state_dict(model.state_dict())
    ((term, deep),) = alone.loss(images, labels).items()
    alone.backbone.recursion = None
    alone.backbone.blocks = torch.nn.ModuleList(Once(block) for block in alone.backbone.blocks)
    shallow = alone.loss(images, labels)[term]
    losses = model.loss(images, labels)
    assert losses.keys() == {term, f'{term}_shallow'}
    torch.testing.assert_close(losses[term], deep / 2)
    torch.testing.assert_close(losses[f'{term}_shallow'], shallow / 2)


class Once(torch.nn.Module):
    """A block as it is in the shallow branch: once, without projection."""

    def __init__(self, block):
        super().__init__()
        self.block = block

    def forward(self, x, size):
        return self.block.single_pass(x, size)
