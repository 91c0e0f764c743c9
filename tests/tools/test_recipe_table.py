"""docs/recipes.md says what the configs do."""

import pytest

from .conftest import ROOT, load_tool

pytestmark = pytest.mark.compat


@pytest.fixture(scope='module')
def text():
    return load_tool('recipe_table').table()


def test_the_file_is_current(text):
    assert (ROOT / 'docs' / 'recipes.md').read_text() == text


def test_every_config_is_in_it_once(text):
    names = [path.stem.removeprefix('cls_') for path in (ROOT / 'configs').glob('cls_*.py')]
    for name in names:
        assert text.count(f'`{name}`') == (not name.endswith('_shapes')), name


def test_a_recipe_reads_as_its_header(text):
    (row,) = [line for line in text.splitlines() if '`tnt_s_imagenet`' in line]
    cells = [cell.strip() for cell in row.strip('|').split('|')][1:]
    assert cells[:6] == ['AdamW 0.001', '0.05', '1024', '5', '310', '0.1']
    assert cells[7:10] == ['reported', '248 / 224 bicubic', '0.5']
    assert cells[-1] == '0.25 after'
