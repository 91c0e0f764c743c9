"""No backbone makes a GPU wait for its host or leave its fused attention; see tests/on_a_gpu.py."""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from vitbackbones.layers import Slicing

from ..on_a_gpu import Refusals, copies_of

SIZE = (2, 3, 72, 104)  # whole patches of 8 pixels only, so that maps are padded, too


@pytest.mark.parametrize('mode', ['eval', 'train'])
def test_no_backbone_waits_for_its_host(make_backbone, mode):
    def make(device):
        with device:
            return getattr(make_backbone(drop_path_rate=0.1), mode)()

    assert copies_of(lambda backbone: backbone(torch.empty(SIZE, device='cuda')), make) == []


def test_permutations_drawn_on_the_host_are_not_waited_for():
    slicing = Slicing(2, 'random')
    assert copies_of(lambda device: slicing(torch.neg, torch.empty(1, 7, 4, device=device))) == []


def test_no_backward_pass_needs_a_value(make_backbone):
    with FakeTensorMode():  # on the CPU: a backward pass on a GPU needs one
        sum(x.sum() for x in make_backbone(drop_path_rate=0.1)(torch.empty(SIZE))).backward()


@pytest.mark.parametrize('mode', ['eval', 'train', 'fuse_for_inference'])
def test_fused_kernels_take_every_attention(make_backbone, mode):
    backbone = getattr(make_backbone().bfloat16(), mode)()
    with Refusals() as found:
        backbone(torch.randn(SIZE))
    assert found.seen == []
    assert found.calls > 0 or not hasattr(backbone.blocks[0], 'attn')
