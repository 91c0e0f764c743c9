"""Every way in which a config file can be broken is one message with file and line."""

import pytest
from mmengine.config import Config

from vitbackbones.configuration.read import read_config, require_sections
from vitbackbones.errors import InputError


@pytest.fixture
def write(tmp_path):
    def write(**files):
        for name, text in files.items():
            (tmp_path / f'{name}.py').write_text(text)
        return tmp_path / f'{next(iter(files))}.py'

    return write


@pytest.mark.parametrize(
    ('files', 'message'),
    [
        ({'run': 'a = 1\nb = (1,\n'}, r"run\.py:2: syntax error: '\(' was never closed"),
        ({'run': '_base_ = "base.py"\n', 'base': '\n\nx = = 1'}, r'base\.py:3: syntax error'),
        ({'run': '_base_ = "b.py"', 'b': '_base_ = "none.py"'}, r'b\.py: its _base_ \S+/none\.p'),
        ({'run': 'a = 1\nb = unknown + a\n'}, r"run\.py:2: NameError: name 'unknown' is not def"),
        (
            {'run': '_base_ = ["a.py", "b.py"]', 'a': 'x = 1', 'b': 'x = 2'},
            r'run\.py: .* Duplicate',
        ),
        ({'run': '_base_ = "a.py"\nx = dict(y=1)', 'a': 'x = 1'}, r'run\.py: TypeError: .*x is a'),
        (
            {'run': '_base_ = "base.py"', 'base': 'd = "x"\n_base_ = f"{d}.py"'},
            r'base\.py: its _base_ uses the name d; write the path itself into _base_',
        ),
        (
            {'run': '_base_ = "mmdetection/configs/_base_/models/faster_rcnn_r50_fpn.py"'},
            r'fpn\.py does not exist\. If a toolbox ships it, put a clone of the toolbox there',
        ),
        ({'run': '_base_ = "run.py"'}, r'run\.py: inherits from itself'),
        (
            {'run': '_base_ = ["a.py", "b.py"]', 'a': '', 'b': '_base_ = ["a.py", "run.py"]'},
            r'run\.py: inherits from itself, by its _base_ or that of a base',
        ),
        (
            {'run': 'custom_imports = dict(imports=["no_one"])'},
            r"run\.py: No module named 'no_one'",
        ),
        (
            {'run': 'from no_one.models import Thing\nmodel = dict(type=Thing)'},
            r"run\.py: No module named 'no_one'",
        ),
    ],
)
def test_broken(write, files, message):
    path = write(**files)
    with pytest.raises(InputError, match=message) as error:
        read_config(path)
    assert '\n' not in str(error.value)


def test_two_bases_may_have_one_base(write):
    files = {'run': '_base_ = ["a.py", "b.py"]', 'c': 'x = dict(y=1)'}
    files |= {'a': '_base_ = "c.py"\nx = dict(_delete_=True)', 'b': 'z = 2'}
    assert read_config(write(**files)).z == 2


def test_what_is_given_in_place_of_a_config(write, tmp_path):
    path = write(run='a = 1')
    with pytest.raises(InputError, match='is a folder, not a config; give a config and your own '):
        read_config(tmp_path)
    checkpoint = tmp_path / 'iter_1.pth'
    checkpoint.touch()
    with pytest.raises(InputError, match=f'give the config of this run .*: {path} {tmp_path}$'):
        read_config(tmp_path)
    with pytest.raises(
        InputError, match=r'iter_1.pth: is not a config \(.py, .*give its config fi'
    ):
        read_config(checkpoint)


def test_options_change_settings(write):
    path = write(run='a = dict(b=[dict(c=1)])')
    assert read_config(path, {'a.b.0.c': 2, 'a.d': 3}).a == {'b': [{'c': 2}], 'd': 3}


@pytest.mark.parametrize('key', ['a.b.5.c', 'a.b.0.c.d'])
def test_options_that_do_not_fit(write, key):
    path = write(run='a = dict(b=[dict(c=1)])')
    with pytest.raises(InputError, match=f'--cfg-options {key}=2: '):
        read_config(path, {key: 2})


def test_a_dict_on_the_command_line_joins_a_dict_and_replaces_anything_else(write):
    path = write(run='a = dict(b=dict(c=1), d="x", e=[1])')
    read = read_config(path, {'a.b': {'n': 2}, 'a.d': {'n': 2}, 'a.e': {'n': 2}, 'new': {'n': 2}})
    assert read.a == {'b': {'c': 1, 'n': 2}, 'd': {'n': 2}, 'e': {'n': 2}}
    assert read.new == {'n': 2}


def test_an_entry_of_a_list_is_replaced(write):
    path = write(run='a = [1, dict(b=1)]')
    assert read_config(path, {'a.0': 3}).a == [3, {'b': 1}]
    assert read_config(path, {'a.1': 3}).a == [1, 3]
    with pytest.raises(InputError, match='--cfg-options a.5=3: list assignment index out of range'):
        read_config(path, {'a.5': 3})


@pytest.mark.parametrize('options', [{'m.arch.depth': 24}, {'m.arch': {'base': 'ti', 'depth': 24}}])
def test_a_setting_of_a_named_variant(write, options):
    path = write(run='m = dict(arch="ti")')
    assert read_config(path, options).m.arch == {'base': 'ti', 'depth': 24}


def test_a_child_config_changes_a_named_variant(write):
    files = {'base': 'm = dict(arch="ti")'}
    arch = 'm = dict(arch=dict(_delete_=True, base="ti", depth=24))'
    path = write(run=f'_base_ = "base.py"\n{arch}', **files)
    assert read_config(path).m.arch == {'base': 'ti', 'depth': 24}
    path = write(run=f'_base_ = "base.py"\n{arch.replace("_delete_=True, ", "")}', **files)
    with pytest.raises(InputError, match='You may set `_delete_=True` to ignore the base config'):
        read_config(path)


def test_a_section_is_not_taken_for_another_one_misspelled():
    config = Config({'train_dataloader': {}, 'modell': {}})
    with pytest.raises(InputError, match='it has no val_dataloader$'):
        require_sections(config, 'val_dataloader')
    with pytest.raises(InputError, match="it has no model; is 'modell' meant to be 'model'"):
        require_sections(config, 'model')


def test_an_option_of_the_preprocessor_joins_the_one_beside_the_model(write):
    path = write(run='data_preprocessor = dict(mean=[0.5], num_classes=5)\nmodel = dict(type="A")')
    config = read_config(path, {'model.data_preprocessor.num_classes': 3})
    assert config.data_preprocessor == {'mean': [0.5], 'num_classes': 3}
    assert 'data_preprocessor' not in config.model
