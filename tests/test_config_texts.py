"""What the text of every config keeps to, run configs and bases alike."""

import ast
import re
import runpy
from pathlib import Path

from vitbackbones.configuration.names import config_files, config_name

from .shipped import PRINTED, numbers

CONFIGS = Path(__file__).parents[1] / 'configs'
FILES = sorted(CONFIGS.rglob('*.py'))
HEADERS = {config_name(path): ast.get_docstring(ast.parse(path.read_text())) for path in FILES}
RUNS = [*config_files()]


def places(pattern):
    """``file:line`` of every match in a config."""
    return [
        f'{path.relative_to(CONFIGS)}:{number}'
        for path in FILES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(pattern, line)
    ]


def test_steps_are_found_by_name_never_by_place():
    """A step that is put in before another would be changed in its place without a word."""
    assert places(r'(pipeline|steps|transforms)(\[-?\d|\.values\(\)\[|\.(insert|pop)\()') == []


def test_weights_are_read_by_our_initializer_which_refuses_what_does_not_fit():
    """A bare name means ours under our backbones only, and elsewhere mmengine's."""
    assert places(r"type='Pretrained'") == []


def test_a_config_of_a_paper_says_its_backbone_and_how_images_and_maps_are_read():
    """All else is in its recipe, where it has one."""
    for name in RUNS:
        with_recipe = '/recipes/' in config_files()[name].read_text()
        if with_recipe and name.endswith(('_coco', '_ade20k')):
            own = {k: v for k, v in runpy.run_path(config_files()[name]).items() if k[0] != '_'}
            assert own.keys() == {'model'}, name
            assert own['model'].keys() <= {'backbone', 'data_preprocessor', 'neck'}, name


def test_what_headers_name_for_comparison_is_in_the_table():
    printed = {number for result in PRINTED.RESULTS for number in numbers(result.value, '')}
    named = {number for text in HEADERS.values() for number in numbers(text, 'Nearest published:')}
    assert named
    assert named <= printed
