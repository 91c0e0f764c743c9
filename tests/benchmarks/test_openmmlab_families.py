"""Each tool on each family is a row, and the page has the tables of what is measured."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import openmmlab_families as measured
from benchmarks.openmmlab_configs import MARK, folder, rows
from benchmarks.openmmlab_families import FAMILIES, TOOLS, arrays, examine, page
from vitbackbones.errors import InputError
from vitbackbones.runtime.answers import Detected, Segmented

pytestmark = pytest.mark.compat
DOCS = Path(__file__).parents[2] / 'docs' / 'lab'


@pytest.mark.parametrize('family', FAMILIES, ids=lambda family: family.name)
def test_a_toolbox_ships_the_config_of_each_family(family):
    toolbox, _, name = family.config.partition('::')
    assert (folder(toolbox) / name).is_file()


@pytest.mark.parametrize(
    ('error', 'result', 'reason'),
    [
        (None, 'works', 'fine'),
        (InputError('no | graph'), 'refused', 'no | graph'),
        (RuntimeError('x\ny'), 'failed', 'RuntimeError: x y'),
    ],
)
def test_a_tool_works_is_refused_or_fails(error, result, reason, tmp_path, monkeypatch):
    def tool(files):
        if error:
            raise error
        return 'fine'

    monkeypatch.setitem(TOOLS, 'tool', tool)
    files = measured.Subject(FAMILIES[0], tmp_path, tmp_path, tmp_path, tmp_path, '1x1')
    row = examine('tool', files)
    assert (row['family'], row['result'], row['reason']) == (FAMILIES[0].name, result, reason)


def test_answers_are_compared_inside_the_picture():
    boxes = np.array([[-5.0, 2, 900, 900]])
    given = arrays(Detected(boxes=boxes, scores=np.ones(1), labels=np.zeros(1)))
    assert given['boxes'].tolist() == [[[0, 2, 128, 96]]]
    assert 'masks' not in given
    assert arrays(Segmented(np.zeros((2, 3))))['mask'].shape == (1, 2, 3)


def test_the_page_of_the_docs_is_of_its_rows():
    found = rows(DOCS / 'openmmlab_families.csv')
    assert {row['result'] for row in found} <= {'works', 'refused'}
    text = (DOCS / 'openmmlab_families.md').read_text()
    assert text.partition(MARK)[2].strip() == '\n'.join(page(found))
