"""What a config may switch on for training a ViT, each on its own, with all guards in place."""

import pytest
import torch
from mmengine.model import BaseModel
from mmengine.registry import DATASETS, MODELS

from vitbackbones.configuration.checks.added_hooks import add_guards
from vitbackbones.weights.read.load import load_file

from ..training.toy import ToyData, loader, run_toy, toy_config

pytestmark = pytest.mark.compat


@MODELS.register_module()
class TinyViT(BaseModel):
    """Pulls the pooled feature of an image toward its mean color."""

    def __init__(self, **backbone):
        super().__init__()
        arch = {'embed_dims': 12, 'depth': 2, 'num_heads': 2}
        options = {'arch': arch, 'img_size': 32, 'out_type': 'pooled', **backbone}
        self.backbone = MODELS.build({'type': 'vitbackbones.ViT', **options})

    def forward(self, x, mode):
        x = torch.stack(x)  # (N, 3, 32, 32)
        feature = self.backbone(x)[-1].float()  # (N, 12)
        return {'loss': (feature - x.mean((1, 2, 3))[:, None]).square().mean()}


@DATASETS.register_module()
class Images(ToyData):
    def __getitem__(self, i):
        return {'x': torch.randn(3, 32, 32, generator=torch.Generator().manual_seed(i))}


def train(work_dir, batch_size=2, model=(), wrapper=(), **changes):
    """An epoch of 8 images with plain gradient descent."""
    optimizer = {'type': 'SGD', 'lr': 0.5}
    config = toy_config(
        work_dir,
        model={'type': 'TinyViT', **dict(model)},
        train_dataloader=loader(dataset={'type': 'Images'}, batch_size=batch_size),
        train_cfg={'by_epoch': True, 'max_epochs': 1},
        optim_wrapper={'type': 'OptimWrapper', 'optimizer': optimizer, **dict(wrapper)},
        param_scheduler=None,
        **{f'val_{part}': None for part in ('dataloader', 'cfg', 'evaluator')},
        **changes,
    )
    torch.manual_seed(0)
    return run_toy(add_guards(config))


def losses(runner):
    return torch.tensor(runner.message_hub.log_scalars['train/loss'].data[0]).float()


@pytest.fixture(scope='module')
def plain(tmp_path_factory):
    return train(tmp_path_factory.mktemp('plain'))


def weights(runner):
    return torch.cat([p.detach().flatten() for p in runner.model.parameters()])


def test_gradients_are_clipped(tmp_path, plain):
    clipped = train(tmp_path, wrapper={'clip_grad': {'max_norm': 1e-3}})
    norms = clipped.message_hub.log_scalars['train/grad_norm'].data[0]
    assert min(norms) > 1e-3  # as they were before
    start = train(tmp_path / 'start', wrapper={'clip_grad': {'max_norm': 0.0}})
    assert 0 < (weights(clipped) - weights(start)).norm() <= 4 * 0.5 * 1e-3 * 1.001
    assert (weights(plain) - weights(start)).norm() > 0.01


def test_accumulated_gradients_are_those_of_a_larger_batch(tmp_path):
    halves = train(tmp_path / 'halves', batch_size=2, wrapper={'accumulative_counts': 2})
    whole = train(tmp_path / 'whole', batch_size=4)
    torch.testing.assert_close(weights(halves), weights(whole))


def test_recomputed_activations_change_nothing(tmp_path, plain):
    drop = {'drop_path_rate': 0.5}
    recomputed = train(tmp_path / 'recomputed', model={'with_cp': True, **drop})
    kept = train(tmp_path / 'kept', model=drop)
    torch.testing.assert_close(weights(recomputed), weights(kept))
    assert not torch.equal(weights(kept), weights(plain))


def test_a_compiled_step_is_the_same(tmp_path, plain):
    compiled = train(tmp_path, compile={'backend': 'aot_eager'})
    torch.testing.assert_close(losses(compiled), losses(plain), rtol=1e-4, atol=1e-5)


def test_bfloat16(tmp_path, plain):
    kind = 'vitbackbones.Bf16OptimWrapper'
    half = train(tmp_path, wrapper={'type': kind})
    torch.testing.assert_close(losses(half), losses(plain), rtol=0.05, atol=0.01)
    assert not torch.equal(losses(half), losses(plain))


def test_a_moving_average_is_kept_and_saved(tmp_path, plain):
    hook = {'type': 'EMAHook', 'momentum': 0.5}
    averaged = train(tmp_path, custom_hooks=[hook])
    assert torch.equal(weights(averaged), weights(plain))
    saved = load_file(tmp_path / 'epoch_1.pth')
    key = 'backbone.norm.weight'
    assert not torch.equal(saved['state_dict'][key], plain.model.state_dict()[key])
    assert torch.equal(saved['ema_state_dict'][f'module.{key}'], plain.model.state_dict()[key])


def test_layer_wise_rates(tmp_path, plain):
    constructor = 'vitbackbones.LayerDecayOptimWrapperConstructor'
    options = {'constructor': constructor, 'paramwise_cfg': {'layer_decay_rate': 0.0}}
    last = train(tmp_path, wrapper=options)
    state, all_trained = last.model.state_dict(), plain.model.state_dict()
    assert not torch.equal(state['backbone.norm.weight'], torch.ones(12))
    assert not torch.equal(state['backbone.cls_token'], all_trained['backbone.cls_token'])
