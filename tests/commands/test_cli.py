"""What an option means."""

from argparse import ArgumentParser, ArgumentTypeError

import pytest

from vitbackbones.commands.cli import add_shared, image_size


def parse(*options):
    parser = ArgumentParser()
    add_shared(parser.add_argument, '--cfg-options')
    return parser.parse_args(['--cfg-options', *options]).cfg_options


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('dict(embed_dims=192,depth=24)', {'embed_dims': 192, 'depth': 24}),
        ('[dict(type=EMAHook)]', [{'type': 'EMAHook'}]),
        ('a b/c(1).pth', 'ab/c(1).pth'),
        ('1,2,x', [1, 2, 'x']),
        ('1e-3', 1e-3),
        ('None', None),
        ('my runs/x', 'my runs/x'),
        ("'3'", 3),
        ('(3,4)', (3, 4)),
        ('b=c', 'b=c'),
    ],
)
def test_values_of_options(text, value):
    assert parse(f'a.b={text}', 'c=1') == {'a.b': value, 'c': 1}


@pytest.mark.parametrize(
    ('option', 'message'),
    [
        ('a=[32', 'a=[32: a bracket is not closed or not opened'),
        ('a=x(1,2)', 'a=x(1,2): cannot be read as a value'),
        ("a=dict(b=__import__('os').getcwd())", 'is not a number, word, list, tuple or dict'),
        ('a', 'a: expected KEY=VALUE'),
        ('a..b=3', 'a..b=3: expected KEY=VALUE'),
    ],
)
def test_options_that_cannot_be_read(option, message, capsys):
    with pytest.raises(SystemExit) as stop:
        parse(option)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize('text', ['nan', '1.5'])
def test_a_score_is_from_0_to_1(text, capsys):
    parser = ArgumentParser()
    add_shared(parser.add_argument, '--score-threshold')
    assert parser.parse_args(['--score-threshold', '1']).score_threshold == 1
    with pytest.raises(SystemExit):
        parser.parse_args(['--score-threshold', text])
    assert text in capsys.readouterr().err


@pytest.mark.parametrize('text', ['100000x100000', '999999', '0x3', 'x', '1e3'])
def test_a_size_is_of_an_image_that_can_be_computed(text):
    with pytest.raises((ArgumentTypeError, ValueError)):
        image_size(text)
    assert image_size('4096x8192') == (4096, 8192)


def test_a_backbone_comes_before_the_options_that_change_it():
    parser = ArgumentParser()
    add_shared(parser.add_argument, '--backbone', '--cfg-options')
    given = ['--cfg-options', 'model.backbone.frozen_stages=1', '--backbone', 'timm:test_vit']
    options = parser.parse_args(given).cfg_options
    assert [*options] == ['model.backbone', 'model.backbone.frozen_stages']
    assert parser.parse_args([]).cfg_options == {}
