"""What an option means."""

from argparse import ArgumentParser, ArgumentTypeError

import pytest

from vitbackbones.commands.cli import add_shared, image_size
from vitbackbones.commands.main import verb_parser


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


@pytest.mark.parametrize(
    ('option', 'wrong', 'said'),
    [
        ('--size', '0 -1 31 8193 640x480 [640,640] abc 64.5 1e3', 'is not an integer from 32 to 8'),
        ('--batch-size', '0 -1 abc 0.6 99999 auto', 'is not an integer from 1 to 65536'),
        ('--lr', '0 -1 nan inf abc 1e9', 'is not a number above 0 and up to 1000'),
        ('--seed', '-1 abc 1.5 4294967296 None', 'is not an integer from 0 to 4294967295'),
        ('--workers', '-1 abc 1.5 100000', 'is not an integer from 0 to '),
        ('--steps', '0 -1 abc 1e3 9999999999', 'is not a whole number from 1 to 999,999,999'),
        ('--epochs', '0 -1 abc 0.5 9999999999', 'is not a whole number from 1 to 999,999,999'),
    ],
)
def test_nonsense_is_one_clear_message(option, wrong, said, capsys):
    for value in wrong.split():
        with pytest.raises(SystemExit) as stop:
            verb_parser('train').parse_args(['a.py', f'{option}={value}'])
        assert stop.value.code == 2
        error = capsys.readouterr().err.splitlines()[-1]
        assert f'error: argument {option}: {value} {said}' in error


def test_zero_is_a_seed_and_a_number_of_workers():
    options = verb_parser('train').parse_args(['a.py', '--seed', '0', '--workers', '0'])
    assert (options.seed, options.workers) == (0, 0)


def test_a_backbone_comes_before_the_options_that_change_it():
    parser = ArgumentParser()
    add_shared(parser.add_argument, '--backbone', '--cfg-options')
    given = ['--cfg-options', 'model.backbone.frozen_stages=1', '--backbone', 'timm:test_vit']
    options = parser.parse_args(given).cfg_options
    assert [*options] == ['model.backbone', 'model.backbone.frozen_stages']
    assert parser.parse_args([]).cfg_options == {}
