"""The page about adding a backbone: its example does what it says, and its list is complete."""

import re
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
import torch
from mmengine.optim import build_optim_wrapper
from mmengine.registry import DefaultScope

from tests.shipped import PRINTED
from vitbackbones import backbones
from vitbackbones.backbones import HOSTS, Backbone
from vitbackbones.backbones.names import MODELS as CLASSIFIERS
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.read import read_config
from vitbackbones.preparing.trial import try_model
from vitbackbones.registry import MODELS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs' / 'adding_a_backbone.md').read_text()
FILES = dict(re.findall(r'Save [a-z ]*as `([^`]+)`[^\n]*:\n\n```python\n(.*?)```', PAGE, re.DOTALL))
(SESSION,) = set(re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)) - set(FILES.values())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files of the page."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(MODELS._module_dict, 'ConvBackbone', raising=False)
    yield tmp_path
    sys.modules.pop('conv_backbone', None)
    MODELS._module_dict.pop('ConvBackbone', None)


def test_the_example_passes_the_checks_of_a_run_and_is_built_as_it_says(folder):
    config = read_config(folder / 'detr_conv_backbone.py')
    lint(config)
    try_model(config)
    with DefaultScope.overwrite_default_scope(config.default_scope):
        model = MODELS.build(config.model)
    optimizer = build_optim_wrapper(model, config.optim_wrapper).optimizer
    assert not any(p.requires_grad for p in model.backbone.stem.parameters())
    assert not any(p.requires_grad for p in model.backbone.blocks[0].parameters())
    rates = {id(p): group['lr'] for group in optimizer.param_groups for p in group['params']}
    last, norm = model.backbone.blocks[1].conv[0], model.backbone.norm
    assert rates[id(last.weight)] == pytest.approx(0.75 * rates[id(norm.weight)])


def test_the_example_in_python_does_what_its_comments_say(folder, capsys):
    names = {}
    exec(SESSION, names)
    assert names['logits'].shape == (2, 10)
    assert 'tensors filled' in capsys.readouterr().out
    image = torch.randn(1, 3, 40, 40)
    wanted = names['model'].eval()(image)
    torch.testing.assert_close(names['fast'](image), wanted, atol=1e-5, rtol=1e-5)


def places_without(host: type[Backbone], names: list[str]) -> list[str]:
    """The places of the page that do not know ``host`` or its classifiers ``names``."""
    module = host.__module__.rpartition('.')[2]
    wanted = {f'HOSTS of backbones/__init__.py: {host.__name__}': host in HOSTS}
    wanted[f'archs of {host.__name__}'] = hasattr(host, 'archs')
    wanted[f'classifiers of {host.__name__}'] = 'classifiers' in vars(host)
    wanted[f'tests/reference/{module}.py'] = (ROOT / f'tests/reference/{module}.py').exists()
    printed = {row.name for family in PRINTED.FAMILIES for row in family.rows}
    for name in names:
        wanted[f'a row of tools/site/published/sizes.csv: {name}'] = name in printed
        config = f'configs/imagenet/cls_{name}.py'
        wanted[config] = (ROOT / config).exists()
    return [place for place, there in wanted.items() if not there]


def all_hosts() -> list[type[Backbone]]:
    """Every host of ours, listed or not; no base that hosts share."""
    modules = [
        import_module(f'{backbones.__name__}.{m.name}') for m in iter_modules(backbones.__path__)
    ]
    found = [
        value for module in modules for value in vars(module).values() if isinstance(value, type)
    ]
    others = (
        Backbone.__module__,
        *(f'{backbones.__name__}.{room}.' for room in ('shared', 'foreign')),
    )
    own = [c for c in dict.fromkeys(found) if not c.__module__.startswith(others)]
    return [c for c in own if issubclass(c, Backbone)]


@pytest.mark.parametrize('host', all_hosts(), ids=lambda host: host.__name__)
def test_a_model_of_this_package_is_in_every_place_of_the_page(host):
    missing = places_without(host, list(vars(host).get('classifiers', ())))
    assert not missing, f'{host.__name__} is missing in (CONTRIBUTING.md): {missing}'


def test_the_registry_and_the_classifiers_know_every_host():
    for host in HOSTS:
        assert MODELS.get(host.__name__) is host
        assert {*vars(host).get('classifiers', ())} <= {*CLASSIFIERS}
