"""Every command on a page is one that its program takes."""

import re

import pytest

from vitbackbones.commands.cli import option_texts
from vitbackbones.commands.main import module_of, verb_parser
from vitbackbones.utils.verbs import VERBS

from .pages import PAGES, blocks, name_of
from .shell import faults


@pytest.mark.parametrize('page', PAGES, ids=name_of)
def test_commands_are_taken_by_their_programs(page):
    found = []
    for each in blocks(page):
        if each.language == 'bash':
            found += [] if each.mark else faults(each.place, each.text)
        elif each.language not in ('python', 'text'):
            found.append(f'{each.place}: no test looks at {each.language}')
    assert not found, '\n'.join(found)


@pytest.mark.parametrize('verb', VERBS)
def test_examples_of_the_help_are_taken(verb):
    parser = verb_parser(verb)
    assert all(action.help for action in parser._actions)
    epilog = parser.epilog % {'prog': f'vitbackbones {verb}'}
    lines = re.sub(r' *\\\n *', ' ', epilog).splitlines()
    # what follows two spaces says what the command does
    examples = [line[2:].partition('  ')[0] for line in lines if line.startswith('  vitbackbones')]
    assert examples
    assert not [*faults(verb, '\n'.join(examples))]


@pytest.mark.parametrize('verb', VERBS)
def test_a_docstring_describes_options_that_its_verb_has(verb):
    given = {
        name for each in verb_parser(verb)._actions for name in (each.dest, *each.option_strings)
    }
    texts = option_texts(module_of(verb).__doc__)
    assert not texts.keys() - given
    assert all(texts.values())
