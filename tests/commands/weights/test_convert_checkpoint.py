"""``convert`` on files in published layouts."""

import errno
import hashlib

import pytest
import torch
from mmengine.logging import MMLogger

from tests.golden.fill import fill_input, fill_state_dict, load
from vitbackbones import create_model
from vitbackbones.commands.weights import convert_checkpoint as conversion
from vitbackbones.weights.read.load import load_file


@pytest.fixture(autouse=True)
def same_log_level():
    """The tool is quieter than the tests after it may want."""
    logger = MMLogger.get_current_instance()
    level = logger.level
    yield
    logger.setLevel(level)


@pytest.fixture
def published(tmp_path):
    """Save a golden checkpoint in its published layout: ``published(name, key=value or None)``."""

    def save(name, **changes):
        state = {**fill_state_dict(load(name)), **changes}
        state = {key: value for key, value in state.items() if value is not None}
        torch.save({'model': state, 'epoch': 300}, tmp_path / f'{name}.pth')
        return tmp_path / f'{name}.pth'

    return save


@pytest.fixture
def few_models(monkeypatch):
    """Look for the model among few, to be quick."""
    names = ['aug_vit_s', 'deit_s', 'msf_vit_s', 'pvt_s', 'simple_vit_s', 'sret_t', 'sret_t_global']
    monkeypatch.setattr(conversion, 'list_models', lambda: names)


@pytest.mark.parametrize(
    ('name', 'suffix', 'call'),
    [
        ('aug_vit_s', '.pth', "name='aug_vit_s', num_classes=1000"),
        ('msf_vit_s_g2', '.safetensors', "name='msf_vit_s', groups=2, num_classes=1000"),
    ],
)
def test_the_model_is_found_and_the_file_loads(
    name, suffix, call, published, few_models, run, tmp_path
):
    source, target = published(name), tmp_path / f'ours{suffix}'
    result = run('convert', source, target)
    assert f'create_model({call})' in result.out
    assert f'sha256 {hashlib.sha256(target.read_bytes()).hexdigest()}' in result.out
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, target.name])
    options = {'groups': 2} if 'groups' in call else {}
    models = [
        create_model(load(name)['vitbackbones']['model'], checkpoint=file, **options).eval()
        for file in (source, target)
    ]
    with torch.no_grad():
        before, after = (model(fill_input(load(name))) for model in models)
    assert torch.equal(before, after)
    assert 'index_matrix' not in ' '.join(load_file(target))


def test_a_distilled_model_keeps_both_tokens_and_heads(tool, tmp_path, monkeypatch):
    timm = pytest.importorskip('timm')
    monkeypatch.setattr(conversion, 'list_models', lambda: ['deit_ti', 'deit_ti_distilled'])
    theirs = timm.create_model('deit_tiny_distilled_patch16_224', num_classes=3)
    torch.save({'model': theirs.state_dict()}, tmp_path / 'published.pth')
    result = tool('convert', tmp_path / 'published.pth', tmp_path / 'ours.pth')
    assert "create_model(name='deit_ti_distilled', num_classes=3)" in result.out
    ours = torch.load(tmp_path / 'ours.pth')
    assert ours.keys() == theirs.state_dict().keys()


@pytest.mark.parametrize(
    ('name', 'options'),
    [
        ('deit_ti', {'img_size': 384}),
        ('tnt_ti', {'img_size': 96}),
        ('mixer_b16', {'img_size': 64}),
        ('pvt_t', {'img_size': 256}),
        ('sret_t_global', {'img_size': (64, 96)}),
        ('msf_vit_ti', {'groups': 6}),
        ('aug_vit_ti', {'shortcut': {'type': 'AugmentedShortcut', 'paths': 1, 'blocks': 4}}),
        (
            'aug_vit_ti',
            {'shortcut': {'type': 'AugmentedShortcut', 'paths': 2, 'projection': 'dense'}},
        ),
    ],
)
def test_the_printed_call_has_what_the_shapes_say(name, options, tmp_path):
    model = create_model(name, 3, **options)
    torch.save(model.state_dict(), tmp_path / 'in.pth')
    report = conversion.convert_file(tmp_path / 'in.pth', tmp_path / 'out.pth', name=name)
    call = {'name': name, **options, 'num_classes': 3}
    said = ', '.join(f'{key}={value!r}' for key, value in call.items())
    assert f'create_model({said})' in report
    again = create_model(**call, checkpoint=tmp_path / 'out.pth').state_dict()
    assert all(torch.equal(again[key], value) for key, value in model.state_dict().items())


def test_a_detection_backbone_is_found_among_all_models(published, tool, tmp_path):
    classifier_only = ['cls_token', 'norm.weight', 'norm.bias', 'head.weight', 'head.bias']
    source = published('pvt_s', **dict.fromkeys(classifier_only))
    result = tool('convert', source, tmp_path / 'ours.pth')
    assert "create_model(name='pvt_s', out_type='featmap', num_classes=0)" in result.out


def test_a_file_that_fits_two_models_must_be_told(published, few_models, run, tool, tmp_path):
    source, target = published('sret_t'), tmp_path / 'ours.pth'
    result = tool('convert', source, target)
    assert result.status == 2
    assert 'fits sret_t and sret_t_global' in result.err
    assert '--model' in result.err
    assert not target.exists()
    result = run('convert', source, target, '--model', 'sret_t_global')
    assert 'do not tell sliced from global attention' in result.out
    assert target.stat().st_size < 0.7 * source.stat().st_size  # shared tensors are kept once


def test_what_is_cut_short_leaves_the_old_file(published, few_models, tool, tmp_path, monkeypatch):
    def full_disk(state, path):
        path.write_bytes(b'the first half')
        raise OSError(errno.ENOSPC, 'No space left on device')

    source, target = published('aug_vit_s'), tmp_path / 'ours.pth'
    target.write_text('converted before')
    monkeypatch.setattr(conversion, '_save', full_disk)
    result = tool('convert', source, target)
    assert result.status == 2
    assert f'{target}: cannot be written (No space left on device)' in result.err
    assert target.read_text() == 'converted before'
    assert sorted(tmp_path.iterdir()) == sorted([source, target])


def test_what_cannot_be_loaded_is_not_converted(published, few_models, tool, tmp_path):
    target = tmp_path / 'ours.pth'
    result = tool('convert', published('msf_vit_s'), target, '--model', 'simple_vit_s')
    assert (result.status, 'MSFViT with embed_dims=384' in result.err) == (2, True)
    source = published('deit_s_timm', **{'norm.bias': torch.full((384,), float('nan'))})
    result = tool('convert', source, target)
    assert (result.status, 'norm.bias' in result.err) == (2, True)
    torch.save({'conv1.weight': torch.zeros(2)}, tmp_path / 'other.pth')
    result = tool('convert', tmp_path / 'other.pth', target)
    assert (result.status, 'no model has exactly these tensors' in result.err) == (2, True)
    assert not target.exists()


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [
        (['in.pth', 'out.bin'], 'must end in .safetensors or .pth'),
        (['in.pth', './in.pth'], 'never overwritten'),
        (['in.pth', 'nowhere/out.pth'], 'there is no folder'),
        (['none.pth', 'out.pth'], 'none.pth: no such checkpoint file'),
        (['in.pth', 'out.pth', '--model', 'sret'], "--model sret: unknown; did you mean 'sret_"),
    ],
)
def test_mistakes_are_one_line(arguments, message, tool, tmp_path):
    torch.save({'conv1.weight': torch.zeros(2)}, tmp_path / 'in.pth')
    result = tool('convert', *arguments)
    assert result.status == 2
    assert message in result.err
    assert result.err.startswith('error: ')
    assert len(result.err.splitlines()) == 1
    assert load_file(tmp_path / 'in.pth').keys() == {'conv1.weight'}
