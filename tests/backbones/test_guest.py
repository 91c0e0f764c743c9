"""A backbone of a stranger: an ``__init__`` and a ``forward`` do, and what is missing is named."""

import inspect
from pathlib import Path

import pytest
import torch
from mmengine.model import BaseModule
from mmengine.registry import MODELS as ROOT_MODELS
from mmengine.registry import DefaultScope
from torch import nn

from vitbackbones.backbones import HOSTS, Backbone, PlainBackbone, PyramidBackbone, ViT
from vitbackbones.backbones.by_name import Classifier
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError, OptionError
from vitbackbones.preparing.trial import try_model
from vitbackbones.training.layer_decay import depth_factors
from vitbackbones.utils.signatures import accepted_keywords
from vitbackbones.weights.filling import load_pretrained

ROOT = Path(__file__).parents[2]
PAGE = 'see docs/adding_a_backbone.md'
LAYER = nn.Linear(2, 2)


class Guest(Backbone):
    """Two convolutions in a row behind a stem."""

    def __init__(self, width=8, **options):
        super().__init__(**options)
        self.stem = nn.Conv2d(3, width, 16, 16)
        self.scale = nn.Parameter(torch.ones(1))
        self.blocks = nn.ModuleList(nn.Conv2d(width, width, 1) for _ in range(2))
        self.norm = nn.BatchNorm2d(width)
        self.out_channels, self.out_strides = (width,), (16,)

    def forward(self, image):
        x = self.stem(image) * self.scale
        for block in self.blocks:
            x = self.run_block(block, x)
        x = self.norm(x)
        return (x,) if self.out_type == 'featmap' else (x.mean((2, 3)),)


class Deeper(Guest):
    """A subclass of a subclass: its constructor goes on after that of its base."""

    def __init__(self, **options):
        super().__init__(**options)
        self.blocks.append(nn.Conv2d(8, 8, 1))


class Same(Deeper):
    """A subclass without a constructor."""


@pytest.mark.parametrize('cls', [Guest, Same])
def test_what_must_follow_the_construction_runs_by_itself(cls):
    backbone = cls(frozen_stages=1)
    frozen = {name.split('.')[0] for name, p in backbone.named_parameters() if not p.requires_grad}
    stem = {name for name, _ in backbone.named_children()} - {'blocks', 'norm'}
    assert frozen == {'scale', 'blocks', *stem}
    assert not any(p.requires_grad for p in backbone.blocks[0].parameters())
    assert all(p.requires_grad for p in backbone.blocks[1:].parameters())
    assert not backbone.stem.training
    assert backbone.train().norm.training
    assert not backbone.blocks[0].training


def test_a_class_shows_its_own_constructor_and_no_other():
    assert Deeper.__init__ is vars(Deeper)['__init__']
    assert '__init__' not in vars(Same)
    assert str(inspect.signature(Same)) == '(**options)'
    assert next(iter(inspect.signature(ViT).parameters)) == 'arch'


def test_a_guest_is_saved_loaded_and_fused(tmp_path):
    model = Classifier(Guest(out_type='pooled'), 5).eval()
    torch.save(model.state_dict(), tmp_path / 'guest.pth')
    again = Guest(init_cfg={'type': 'Pretrained', 'checkpoint': str(tmp_path / 'guest.pth')})
    again.init_weights()
    again.load_state_dict(model.backbone.state_dict())
    coverage = load_pretrained(Classifier(Guest(out_type='pooled'), 5), tmp_path / 'guest.pth')
    assert not coverage.missing
    image = torch.randn(1, 3, 48, 32)
    torch.testing.assert_close(model.fuse_for_inference()(image), model(image))


def test_layer_wise_rates_and_decay_of_a_guest():
    class Undecayed(Guest):
        undecayed = ('scale', 'blocks.*.bias')

    model = nn.Sequential(Undecayed())
    factors = depth_factors(model, 0.5)
    named = {name[2:]: factors[id(p)] for name, p in model.named_parameters()}
    assert named['stem.weight'] == (0.125, True)
    assert named['scale'] == (0.125, False)
    assert named['blocks.0.weight'] == (0.25, True)
    assert named['blocks.1.bias'] == (0.5, False)
    assert named['norm.weight'] == (1.0, True)


def test_blocks_of_stages_and_stages_of_another_name_are_counted():
    class Stages(Backbone):
        stages_name = 'row'
        after_stages = ('norm', 'last')

        def __init__(self):
            super().__init__(frozen_stages=1)
            self.row = nn.ModuleList(nn.Module() for _ in range(2))
            for stage in self.row:
                stage.down = nn.Linear(2, 2)
                stage.blocks = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
            self.last = nn.Linear(2, 2)

    backbone = Stages()
    depths = {name: backbone.layer_depth(name)[0] for name, _ in backbone.named_parameters()}
    assert depths['row.0.down.weight'] == 0
    assert depths['row.0.blocks.1.weight'] == depths['row.1.down.weight'] == 2
    assert depths['row.1.blocks.0.weight'] == 3
    assert depths['last.weight'] == 5
    assert not backbone.row[0].blocks[0].weight.requires_grad
    assert backbone.last.weight.requires_grad


class Bare(Backbone):
    """No stages, no widths: what forward does is all that is known."""

    def __init__(self, parts=(), **options):
        super().__init__(**options)
        self.layer = nn.Conv2d(3, 4, 8, 8)
        vars(self).update(parts)

    def forward(self, image):
        return (self.layer(image).mean((2, 3)),)


class Numbered(Bare):
    out_channels = 4


class Texted(Guest):
    undecayed = '*.bias'  # letter by letter the asterisk would fit everything


class Orphan(Guest):
    def __init__(self):
        nn.Module.__init__(self)


class Nothing(Bare):
    def forward(self, image):
        super().forward(image)


class Tensors(Bare):
    def forward(self, image):
        return self.layer(image)


class Normless(PlainBackbone):
    def __init__(self, **options):
        super().__init__(8, 1, 16, **options)
        self.blocks = nn.ModuleList([nn.Linear(8, 8)])


class Stageless(PyramidBackbone):
    def __init__(self):
        super().__init__((8, 16), 4, out_indices=1)


@pytest.mark.parametrize(
    ('call', 'message'),
    [
        (lambda: Bare(frozen_stages=1), r'Bare has no stages \(frozen_stages=1\): put them into'),
        (lambda: Bare().layer_depth('x'), r'Bare has no stages \(layer_depth\): .*stages_name'),
        (lambda: Classifier(Bare(out_type='pooled'), 3), 'Bare sets no out_channels'),
        (lambda: Bare({'blocks': [LAYER]}), 'a plain list blocks: make it a nn.ModuleList'),
        (lambda: Bare({'stages': {'a': LAYER}}), 'a plain dict stages: make it a nn.ModuleList'),
        (
            lambda: Classifier(Numbered(out_type='pooled'), 3),
            'Numbered has out_channels=4: a tuple',
        ),
        (Texted, r"Texted has a text as undecayed: a tuple, \('\*.bias',\)"),
        (Orphan, r'Orphan does not construct its base: call super\(\).__init__'),
        (Normless, 'Normless sets no norm: the final norm, nn.Identity'),
        (Stageless, 'Stageless sets no stages: a nn.ModuleList'),
    ],
)
def test_a_missing_part_is_named_with_the_page(call, message):
    with pytest.raises(OptionError, match=f'{message}.*{PAGE}'):
        call()


def test_what_is_no_tuple_is_refused_in_a_run_and_before():
    for cls, kind in ((Tensors, 'a tensor'), (Nothing, 'a NoneType')):
        with pytest.raises(InputError, match=f'returns {kind}: forward must .*{PAGE}'):
            cls()(torch.ones(1, 3, 8, 8))
    config = read_config(ROOT / 'tests' / 'commands' / 'tiny_detr.py')
    config.model.backbone = {'type': Tensors}
    with pytest.raises(InputError, match='Tensors returns a tensor'):
        try_model(config)


class Part(BaseModule):
    """A part of mmengine's kind, with an initialization of its own."""

    def __init__(self):
        super().__init__({'type': 'Constant', 'layer': 'Conv2d', 'val': 2.0, 'bias': 1.0})
        self.conv = nn.Conv2d(8, 8, 1)


class WithPart(Guest):
    def __init__(self, **options):
        super().__init__(**options)
        self.part = Part()


@pytest.mark.parametrize('scope', ['vitbackbones', 'mmdet'])
def test_init_cfg_works_in_the_registry_of_any_toolbox(scope, tmp_path):
    torch.save(Guest().state_dict(), tmp_path / 'guest.pth')
    registry = __import__(f'{scope}.registry', fromlist=['MODELS']).MODELS
    registry.register_module(name='WithPart', module=WithPart)
    try:
        init_cfg = {'type': 'Pretrained', 'checkpoint': str(tmp_path / 'guest.pth')}
        given = [
            {'type': 'Normal', 'layer': 'Conv2d', 'std': 9},
            init_cfg | {'allow_missing': ['part.*']},
        ]
        with DefaultScope.overwrite_default_scope(scope):
            backbone = ROOT_MODELS.build({'type': f'{scope}.WithPart', 'init_cfg': given})
    finally:
        registry._module_dict.pop('WithPart')
    owner = BaseModule()
    owner.backbone = backbone
    owner.init_weights()
    assert backbone.part.conv.weight.eq(2).all()
    saved = torch.load(tmp_path / 'guest.pth')
    assert torch.equal(backbone.stem.weight, saved['stem.weight'])
    (tmp_path / 'guest.pth').unlink()
    nn.init.zeros_(backbone.stem.weight)
    owner.init_weights()
    backbone.init_weights()  # as mmengine's: what was trained since is not started again
    assert backbone.stem.weight.eq(0).all()


@pytest.mark.parametrize('host', HOSTS, ids=lambda host: host.__name__)
def test_every_option_of_a_host_is_described_once(host):
    text = '\n'.join(vars(base).get('__doc__') or '' for base in host.__mro__[:-1])
    heads = [line.strip().partition(': ') for line in text.splitlines()]
    described = [name for names, colon, _ in heads if colon for name in names.split(', ')]
    for option in accepted_keywords(host):
        assert described.count(option) == 1, option


@pytest.mark.parametrize('given', ['weights.pth', {'checkpoint': 'weights.pth'}])
def test_an_init_cfg_of_another_form_is_refused_without_openmmlab(given):
    model = ViT(arch={'base': 'ti', 'depth': 1}, img_size=32, init_cfg=given)
    with pytest.raises(OptionError, match='init_cfg=.*: must be a dict such as dict'):
        model.init_weights()
