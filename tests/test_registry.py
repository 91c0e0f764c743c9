"""The registries of this package hold what they list, and keep their names for it."""

import subprocess
import sys

import pytest
from mmengine.registry import MODELS as ROOT_MODELS
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.errors import InputError
from vitbackbones.registry import MODELS, import_plugins


def test_a_name_of_ours_is_replaced_only_by_force():
    class Other(nn.Module):
        pass

    with pytest.raises(KeyError, match='ViT is already registered in model at vitbackbones'):
        MODELS.register_module(name='ViT', module=Other)
    assert MODELS.get('ViT') is ViT
    MODELS.register_module(name='ViT', module=Other, force=True)
    try:
        assert MODELS.get('vitbackbones.ViT') is Other
    finally:
        del MODELS._module_dict['ViT']
    assert MODELS.get('ViT') is ViT


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Install a package that names a module as a plug-in, whose code is given."""

    def install(code):
        about = tmp_path / 'guest-1.2.dist-info'
        about.mkdir()
        (about / 'METADATA').write_text('Metadata-Version: 2.1\nName: guest\nVersion: 1.2\n')
        (about / 'entry_points.txt').write_text('[vitbackbones.plugins]\nguest = guest_nets\n')
        (tmp_path / 'guest_nets.py').write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        import_plugins.cache_clear()

    yield install
    import_plugins.cache_clear()
    sys.modules.pop('guest_nets', None)
    MODELS._module_dict.registered.pop('GuestNet', None)


def test_a_name_that_is_not_known_is_looked_for_in_plug_ins(plugin):
    plugin(
        'from torch import nn\nfrom vitbackbones.registry import MODELS\n'
        '@MODELS.register_module()\nclass GuestNet(nn.Identity):\n    pass\n'
    )
    assert MODELS.get('ViT') is ViT
    assert 'guest_nets' not in sys.modules
    assert type(ROOT_MODELS.build({'type': 'vitbackbones.GuestNet'})).__module__ == 'guest_nets'
    assert MODELS.get('NoNet') is None


def test_a_plug_in_that_cannot_be_imported_is_one_message(plugin):
    plugin('import package_that_is_not_there')
    text = r'plug-in guest_nets of guest 1\.2 cannot be imported \(ModuleNotFoundError: .*uninstall'
    with pytest.raises(InputError, match=text):
        MODELS.get('GuestNet')


@pytest.mark.parametrize('module', ['registry', 'openmmlab.widths'])
def test_a_module_that_mmengine_asks_for_can_be_imported_first(module):
    command = [sys.executable, '-c', f'import vitbackbones.{module}']
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
