"""Every command on a page is one that its program takes."""

import re

import pytest

from vitbackbones.commands.main import verb_parser
from vitbackbones.utils.verbs import VERBS

from .pages import PAGES, Block, blocks, name_of
from .shell import commands, faults, options_faults


def block(text, language='bash'):
    return Block('page.md:3', language, text, mark='', note='', file='')


@pytest.mark.parametrize('page', PAGES, ids=name_of)
def test_commands_are_taken_by_their_programs(page):
    verbs, found = [], []
    for each in blocks(page):
        if each.language == 'bash':
            verbs += [words[1] for words in commands(each.text) if words[0] == 'vitbackbones']
            found += [] if each.mark else faults(each)
        elif each.language == 'options':
            found += options_faults(each, verbs)
        elif each.language not in ('python', 'text'):
            found.append(f'{each.place}: no test looks at {each.language}')
    assert not found, '\n'.join(found)


@pytest.mark.parametrize(
    ('command', 'fault'),
    [
        ('vitbackbones trian CONFIG', 'there is no verb trian'),
        ('vitbackbones train CONFIG --smok', "did you mean '--smoke'"),
        ('vitbackbones train detr_aug_vit_s_coc', 'there is no config detr_aug_vit_s_coc'),
        (
            'vitbackbones train cls_deit_s_imagenet --cfg-options model.backbone.archh=s',
            "did you mean 'arch'",
        ),
        ('A=1 python tools/made_up.py CONFIG', 'tools/made_up.py is not there'),
        (
            'bash tools/dist_train.sh configs/coco/made_up.py 8',
            'configs/coco/made_up.py is not there',
        ),
        ('make dem', 'the Makefile has no target dem'),
        ("pip install 'vitbackbones[onnx]'", 'setup.py has no extra onnx'),
        ('python -m vitbackbones.data.shape data', ''),
        ('vitbackbone train', 'is not a program'),
    ],
)
def test_a_wrong_command_is_named_with_page_and_line(command, fault):
    (found,) = faults(block(f'make demo\n{command}  # a comment\n'))
    assert found.startswith('page.md:3: ')
    assert fault in found


@pytest.mark.parametrize('verb', VERBS)
def test_examples_of_the_help_are_taken(verb):
    epilog = verb_parser(verb).epilog % {'prog': f'vitbackbones {verb}'}
    lines = re.sub(r' *\\\n *', ' ', epilog).splitlines()
    # what follows two spaces says what the command does
    examples = [line[2:].partition('  ')[0] for line in lines if line.startswith('  vitbackbones')]
    assert examples
    assert not [*faults(block('\n'.join(examples)))]
