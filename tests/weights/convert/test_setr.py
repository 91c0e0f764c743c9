"""Released SETR checkpoints: what they fill, and every way in which a model reads them.

That the models then compute what the released ones do is shown in
tests/tasks/segmentation/test_setr.py.
"""

from types import SimpleNamespace

import pytest
import torch
from mmengine.runner import load_checkpoint
from mmseg.apis import init_model

from tests.reference.setr import published_state
from tests.tasks.segmentation.setr import KINDS, build, config
from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.training.hooks.fitting_checkpoint import FittingCheckpointHook
from vitbackbones.weights.filling import load_model_file, load_pretrained

pytestmark = pytest.mark.compat
ARCH = {'embed_dims': 24, 'depth': 12, 'num_heads': 2}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def released(kind, tmp_path):
    path = tmp_path / 'released.pth'
    meta = {'CLASSES': tuple('abcde'), 'PALETTE': [[i, i, i] for i in range(5)]}
    torch.save({'meta': meta, 'state_dict': published_state(kind)}, path)
    return path


def test_everything_is_filled_and_what_is_never_read_is_named(kind, released):
    model = build(kind)
    coverage = load_pretrained(model, released)
    assert coverage.format == 'setr'
    assert (coverage.missing, coverage.unused, coverage.mismatched) == ((), (), {})
    counters = [key for key in model.state_dict() if key.endswith('num_batches_tracked')]
    assert len(coverage.used) == len(model.state_dict()) - len(counters)
    unread = {key for key in published_state(kind) if '.conv_seg.' in key}
    unread |= {'backbone.cls_token'} if kind == 'mla' else set()
    assert set(coverage.expected) == unread
    assert 'unused by design: ' in str(coverage)


def test_mmengine_and_mmseg_load_a_released_file_as_it_is(kind, released, tmp_path):
    wanted = build(kind)
    load_pretrained(wanted, released)
    strict = build(kind)
    load_checkpoint(strict, str(released), strict=True)
    torch.testing.assert_close(strict.state_dict(), wanted.state_dict())

    config(kind).dump(tmp_path / 'config.py')
    model = init_model(str(tmp_path / 'config.py'), str(released), device='cpu')
    torch.testing.assert_close(model.state_dict(), wanted.state_dict())
    assert model.dataset_meta['classes'] == tuple('abcde')


def test_the_tools_accept_it_for_its_own_model_only(kind, released):
    class Runner:
        model = build(kind, grid=(2, 3))  # of another size: positions are resized
        test_loop = SimpleNamespace(dataloader=SimpleNamespace(dataset=None))

    checkpoint = load_model_file(released)
    FittingCheckpointHook(str(released), resume=False).after_load_checkpoint(Runner, checkpoint)
    Runner.model = build('naive' if kind == 'pup' else 'pup')
    with pytest.raises(InputError, match='is not a checkpoint of this model|token is missing'):
        FittingCheckpointHook(str(released), resume=False).after_load_checkpoint(Runner, checkpoint)


def test_a_backbone_takes_its_part(kind, released):
    vit = ViT(ARCH, img_size=64, with_cls_token=kind != 'mla', final_norm=False)
    coverage = load_pretrained(vit, released)
    assert (coverage.missing, coverage.mismatched) == ((), {})
    weight = published_state(kind)['backbone.blocks.11.mlp.fc2.weight']
    assert torch.equal(vit.blocks[11].mlp.fc2.weight, weight)


def test_a_backbone_without_final_norm_loads_a_file_with_one(tmp_path):
    torch.save(ViT(ARCH, img_size=64).state_dict(), tmp_path / 'vit.pth')
    coverage = load_pretrained(ViT(ARCH, img_size=64, final_norm=False), tmp_path / 'vit.pth')
    assert coverage.unused == ('norm.weight', 'norm.bias')
