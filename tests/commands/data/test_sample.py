"""A dataset to try things on, which ``import`` and ``predict`` take."""

import json

import pytest
from PIL import Image


def test_the_sample_can_be_imported(run, tmp_path):
    said = run('sample', 'shapes').out.splitlines()
    assert said == [
        '120 images in shapes/labeled, 20 in shapes/new',
        'next: vitbackbones import voc shapes/labeled my_data',
    ]
    assert len([*tmp_path.glob('shapes/labeled/Annotations/*.xml')]) == 120
    new = [*tmp_path.glob('shapes/new/*')]
    assert len(new) == 20
    with Image.open(new[0]) as image:
        assert image.size == (128, 128)
    run(*said[1].split()[2:])
    content = json.loads((tmp_path / 'my_data/annotations/instances.json').read_text())
    assert [each['name'] for each in content['categories']] == ['circle', 'square', 'triangle']
    assert len(content['images']) == 120


@pytest.mark.parametrize('kind', ['file', 'folder'])
def test_what_is_there_is_kept(tool, tmp_path, kind):
    place = tmp_path / 'mine'
    if kind == 'folder':
        place.mkdir()
        place /= 'notes.txt'
    place.write_text('mine')
    result = tool('sample', 'mine')
    assert (result.status, result.err) == (2, 'error: mine: is not empty; choose another folder\n')
    assert place.read_text() == 'mine'
