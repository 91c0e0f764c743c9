"""Words of other toolboxes are answered with ours."""

import pytest

from vitbackbones.commands.main import verb_parser
from vitbackbones.commands.other_words import ELSEWHERE, advice

ARGUMENTS = {'CHECKPOINT', 'INPUT'}


def known(verb):
    return {
        name
        for each in verb_parser(verb)._actions
        for name in each.option_strings or [each.metavar]
    }


def test_every_word_of_ours_is_one_of_a_verb():
    options = known('train') | known('test') | known('predict')
    assert set(ELSEWHERE) <= options | ARGUMENTS


def test_no_word_of_others_is_one_of_ours():
    for verb in ('train', 'test', 'predict'):
        others = {f'--{word}' for words in ELSEWHERE.values() for word in words.split()}
        assert not others & known(verb)


@pytest.mark.parametrize(
    ('verb', 'words', 'said'),
    [
        ('train', 'a.py --imgsz 640', '; use --size instead of --imgsz'),
        ('train', 'a.py --batch 8 --lr0 0.1', '--batch-size instead of --batch, --lr instead of '),
        ('train', 'a.py --data coco.yaml', '; use --data-root instead of --data'),
        ('train', 'a.py --weights x.pt', '; use --pretrained instead of --weights'),
        ('train', 'a.py epochs=50 imgsz=640', '--epochs instead of epochs=, --size instead of i'),
        ('train', 'imgsz=640 batch_size=8', '--size instead of imgsz=, --batch-size instead of b'),
        ('train', 'a.py --batch_size 8', '; use --batch-size instead of --batch_size'),
        ('train', 'a.py -imgsz=640', '; use --size instead of -imgsz='),
        ('test', 'a.py a.pth --imgsz 640', '; use --size instead of --imgsz'),
        ('test', 'a.py --weights x.pt x', '; use CHECKPOINT instead of --weights'),
        ('predict', 'a.py x --out o --conf 0.5', '; use --score-threshold instead of --conf'),
        ('predict', 'a.py a.pth x.jpg conf=0.5 --out o', '--score-threshold instead of conf='),
        ('predict', 'a.py imgsz=640 x.jpg --out o', '; use --size instead of imgsz='),
        ('predict', 'a.py x --out o --source y', '; use INPUT instead of --source'),
    ],
)
def test_a_message_names_ours(verb, words, said, capsys):
    with pytest.raises(SystemExit) as stop:
        verb_parser(verb).parse_args(words.split())
    assert stop.value.code == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert 'unrecognized arguments: ' in error
    assert said in error


def test_settings_of_the_config_may_have_such_names():
    options = verb_parser('train').parse_args(['a.py', '--cfg-options', 'data.batch=3', 'a=b'])
    assert options.cfg_options == {'data.batch': 3, 'a': 'b'}


def test_nothing_is_known_of_other_words():
    assert advice(['--frobnicate', 'x', '=', ''], ['--size']) == ''
