"""Configs of the toolboxes are built in spite of mistakes of their toolbox."""

import sys
from copy import deepcopy
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import torch
from torch import nn

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.mending import (
    checkpointed,
    keep_chunking,
    look_inside_of_wheel,
    name_transformers,
    use_checkpoints_of_torch,
)

pytestmark = pytest.mark.compat


class Counting(nn.Module):
    """A layer that counts how often it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Linear(4, 4)
        self.runs = 0

    def forward(self, x, *, factor):
        self.runs += 1
        return factor * self.inside(x).relu()


def test_a_checkpointed_layer_has_the_same_gradients_and_runs_again():
    plain = Counting()
    again = checkpointed(deepcopy(plain))
    x = torch.randn(3, 4)
    plain(x, factor=2.0).sum().backward()
    again(x, factor=2.0).sum().backward()
    assert torch.equal(plain.inside.weight.grad, again.inside.weight.grad)
    assert (plain.runs, again.runs) == (1, 2)
    assert again.state_dict().keys() == plain.state_dict().keys()
    with torch.no_grad():
        again(x, factor=2.0)
    assert again.runs == 3


def test_a_copy_of_a_checkpointed_layer_runs_its_own_weights():
    layer = checkpointed(Counting())
    copy = deepcopy(layer)
    nn.init.zeros_(copy.inside.weight)
    nn.init.zeros_(copy.inside.bias)
    assert not copy(torch.randn(3, 4), factor=1.0).any()
    assert (copy.runs, layer.runs) == (1, 0)


def test_fairscale_is_used_where_it_is_installed():
    assert use_checkpoints_of_torch(lambda module: module) is None
    assert use_checkpoints_of_torch(None) is checkpointed


def test_detrs_of_mmdet_have_gradient_checkpointing():
    from mmdet.models.layers.transformer import (
        deformable_detr_layers,
        detr_layers,
        grounding_dino_layers,
    )

    for module in (detr_layers, deformable_detr_layers, grounding_dino_layers):
        assert module.checkpoint_wrapper is not None


def test_a_teacher_is_found_in_the_wheel(tmp_path):
    find = partial(look_inside_of_wheel, lambda package: str(tmp_path / package))
    assert find('mmdet') == str(tmp_path / 'mmdet')
    (tmp_path / 'mmdet' / '.mim').mkdir(parents=True)
    assert Path(find('mmdet')).parent == tmp_path / 'mmdet' / '.mim'


def test_a_head_of_levit_is_built_fused():
    from mmpretrain.models.heads.levit_head import LeViTClsHead

    torch.manual_seed(0)
    settings = {'num_classes': 5, 'in_channels': 8, 'distillation': True}
    trained = LeViTClsHead(**settings).eval()
    fused = LeViTClsHead(**settings, deploy=True)
    assert isinstance(fused.head, nn.Linear)
    features = (torch.randn(2, 8),)
    expected = trained(features)
    trained.switch_to_deploy()
    assert isinstance(trained.head_dist, nn.Linear)
    torch.testing.assert_close(trained(features), expected)
    fused.load_state_dict(trained.state_dict())


def test_a_function_of_transformers_is_where_it_was(monkeypatch):
    now = ModuleType('transformers.pytorch_utils')
    now.apply_chunking_to_forward = print
    before = ModuleType('transformers.modeling_utils')
    model = type('PreTrainedModel', (), {'__module__': before.__name__})
    for module in (ModuleType('transformers'), now, before):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    assert keep_chunking(model) is None
    assert before.apply_chunking_to_forward is print


def test_norms_over_processes_are_built_in_one():
    from mmcv.cnn import build_norm_layer

    name, layer = build_norm_layer({'type': 'MMSyncBN', 'eps': 0.5}, 4)
    assert isinstance(layer, nn.BatchNorm2d)
    assert (name, layer.num_features, layer.eps) == ('bn', 4, 0.5)


def test_a_multimodal_model_names_itself_and_the_package():
    made = {}
    registry = SimpleNamespace(register_module=lambda name, module: made.update({name: module}))
    name_transformers(print, ['OFA', 'CLIP'], registry)
    with pytest.raises(InputError, match='^OFA requires transformers 4: pip install'):
        made['OFA'](model={})
