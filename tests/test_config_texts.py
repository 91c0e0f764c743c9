"""What the text of every config keeps to, run configs and bases alike."""

import ast
import re
import runpy
from pathlib import Path

from vitbackbones.configuration.names import config_files, config_name

from .commands.conftest import load_tool
from .shipped import PRINTED, numbers, shipped

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
            parts = {'backbone', 'data_preprocessor', 'neck', 'decode_head'}
            assert own['model'].keys() <= parts, name
            assert own['model'].get('decode_head', {}).keys() <= {'num_blocks'}, name


def test_what_headers_name_for_comparison_is_in_the_table():
    printed = {number for result in PRINTED.RESULTS for number in numbers(result.value, '')}
    named = {number for text in HEADERS.values() for number in numbers(text, 'Nearest published:')}
    assert named
    assert named <= printed


SETTINGS = {  # names that papers have for columns of docs/recipes.md
    'epochs': 'epochs',
    'batch size': 'batch',
    'optimizer': 'optimizer',
    'learning rate': 'rate',
    'weight decay': 'decay',
    'warm-up epochs': 'warm-up',
    'stochastic depth': 'depth',
    'drop path': 'depth',
}


def test_recipes_have_the_settings_that_papers_print():
    columns = load_tool('site/recipes').TABLES[0][2]
    rows = [row for row in PRINTED.SHEET if row.config and row.metric in SETTINGS]
    assert len(rows) > 50
    for row in rows:
        found = columns[SETTINGS[row.metric]](shipped(row.config))
        same = found == row.value or (found != 'AdamW' and float(found) == float(row.value))
        assert same or row.note, (row, found)
