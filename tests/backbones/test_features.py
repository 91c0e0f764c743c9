"""``features_only=True``: a list of maps."""

import pytest
import torch
from torch._subclasses import FakeTensorMode

from vitbackbones import create_model
from vitbackbones.backbones.names import MODELS

ONE_OF_EACH_HOST = {host: name for name, (host, *_) in MODELS.items()}.values()
NAMES = [
    pytest.param(name, marks=[] if name in ONE_OF_EACH_HOST else pytest.mark.grid)
    for name in MODELS
]


@pytest.mark.parametrize('name', NAMES)
def test_every_name_gives_maps_of_the_channels_and_strides_that_it_says(name):
    with FakeTensorMode():
        model = create_model(name, features_only=True, img_size=64).eval()
        maps = model(torch.randn(1, 3, 96, 64))
    info = model.feature_info
    assert [x.shape[1] for x in maps] == info.channels()
    assert [96 // x.shape[2] for x in maps] == [64 // x.shape[3] for x in maps] == info.reduction()
    modules = dict(model.named_modules())
    assert all(part in modules for part in info.module_name())


@pytest.mark.parametrize('name', ['deit_ti', 'pvt_t'])
@torch.no_grad()
def test_the_maps_are_those_of_the_backbone(name):
    model = create_model(name, features_only=True, out_indices=(1, 3), img_size=64).eval()
    host, arguments, _ = MODELS[name]
    backbone = host(**arguments, out_indices=(1, 3), img_size=64)
    image = torch.randn(1, 3, 64, 64)
    backbone.load_state_dict(model.backbone.state_dict())
    for ours, theirs in zip(model(image), backbone.eval()(image), strict=True):
        assert torch.equal(ours, theirs)
    assert model.feature_info.out_indices == (1, 3)
    assert [each['index'] for each in model.feature_info.get_dicts()] == [1, 3]


def test_a_number_means_the_last_so_many_as_in_timm():
    with torch.device('meta'):
        deit = create_model('deit_ti', features_only=True, out_indices=3)
        pvt = create_model('pvt_t', features_only=True, out_indices=2)
    assert deit.feature_info.out_indices == (9, 10, 11)
    assert [*pvt.feature_info][1] == pvt.feature_info[1]
    assert pvt.feature_info.reduction() == pvt.feature_info.reduction([0, 1]) == [16, 32]
    assert pvt.feature_info.channels(-1) == 512
    assert len(pvt.feature_info) == 2


@pytest.mark.parametrize('name', ['deit_ti', 'pvt_t'])
def test_a_classifiers_file_fills_the_maps(name, tmp_path):
    classifier = create_model(name, num_classes=3, img_size=32)
    torch.save(classifier.state_dict(), tmp_path / 'classifier.pth')
    maps = create_model(
        name, checkpoint=tmp_path / 'classifier.pth', features_only=True, img_size=32
    )
    state = classifier.state_dict()
    shared = [key for key in maps.state_dict() if maps.state_dict()[key].shape == state[key].shape]
    assert len(shared) >= len(maps.state_dict()) - 1  # the code without the class token of PVT
    assert all(torch.equal(maps.state_dict()[key], state[key]) for key in shared)


@torch.no_grad()
def test_maps_compile_to_one_graph_and_export():
    model = create_model('pvt_t', features_only=True, img_size=32).eval()
    image = torch.randn(1, 3, 32, 32)
    compiled = torch.compile(model, backend='eager', fullgraph=True)
    exported = torch.export.export(model, (image,)).module()
    for maps in (compiled(image), exported(image)):
        assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(maps, model(image), strict=True))
