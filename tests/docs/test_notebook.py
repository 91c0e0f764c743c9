"""The notebook is the page that it is made from, and was run."""

import json
import re

import pytest

from ..tools.conftest import load_tool
from .pages import ROOT, blocks

pytest.importorskip('jupytext', reason='of the extra docs')
pytest.importorskip('nbconvert', reason='of the extra docs')
PAGE = ROOT / 'docs' / 'tutorials' / 'first_detector.md'


@pytest.fixture(scope='module')
def cells():
    return json.loads(PAGE.with_suffix('.ipynb').read_text())['cells']


def source(cell):
    return ''.join(cell['source'])


def test_the_notebook_says_what_its_page_says(cells):
    made = load_tool('notebook').notebook()
    assert [source(cell) for cell in cells] == [cell.source for cell in made.cells]
    code = [cell for cell in cells if cell['cell_type'] == 'code']
    assert len(code) == len([*blocks(PAGE)]) >= 8


def test_every_cell_was_run_and_nothing_of_the_machine_is_left(cells):
    code = [cell for cell in cells if cell['cell_type'] == 'code']
    assert [cell['execution_count'] for cell in code] == [*range(1, len(code) + 1)]
    printed = [''.join(output['text']) for cell in code for output in cell['outputs']]
    assert len(printed) == len(code)
    assert not [text for text in printed if re.search(r'(^|\s)/(home|root|tmp|work)/', text)]
