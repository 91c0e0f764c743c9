"""The page: nothing of a file's name is obeyed, nothing is loaded, everything can be read."""

import base64
import hashlib
import math
import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from mmengine.config import Config

from vitbackbones.errors import InputError
from vitbackbones.reports.page import NAME, Matrix, Picture, Section, Table, facts, write_page
from vitbackbones.version import __version__

EVIL = '<script>alert("1")</script> & \'"><img src=http://a.b/c onerror=x>'
VOID = {'meta', 'img', 'br'}


class Reader(HTMLParser):
    """Collects texts and attributes, and checks that what is opened is closed."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts, self.attributes, self.tags = [], [], [], set()
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def page(tmp_path):
    counts = np.array([[1234, 0]])
    matrix = Matrix(rows=[EVIL], columns=[EVIL, 'b'], counts=counts, text=EVIL)
    parts = [
        Table(head=['class', 'x'], rows=[[EVIL, 0.12345], ['none', math.nan], ['many', 12345]]),
        matrix,
        Picture(content=EVIL.encode(), kind='image/svg+xml', title=EVIL),
    ]
    summary, sections = {EVIL: '0.357'}, [Section(EVIL, parts, text=EVIL), Section('empty')]
    return write_page(tmp_path, EVIL, summary, sections, {'config': EVIL})


def test_names_are_text_numbers_are_short_and_nothing_is_loaded(page):
    reader = Reader(page.read_text())
    assert reader.texts.count(EVIL) == 12
    assert 'script' not in reader.tags
    addresses = [value for name, value in reader.attributes if name in ('src', 'href')]
    assert all(address.startswith(('#', 'data:image/')) for address in addresses)
    assert not any(name.startswith('on') for name, _ in reader.attributes)
    (picture,) = (address for address in addresses if address.startswith('data'))
    assert base64.b64decode(picture.partition(',')[2]).decode() == EVIL
    assert any('default-src' in (value or '') for _, value in reader.attributes)
    numbers = {'0.123', '–', '12\u202f345', '1\u202f234', '100 %', '0.357', 'None.'}
    assert numbers <= {*reader.texts}


def test_what_was_predicted_right_is_marked_on_the_diagonal_of_the_classes(tmp_path):
    counts = np.full((3, 3), 7)  # the last row and column are no classes
    sides = {'rows': ['a', 'b', 'nothing'], 'columns': ['a', 'b', 'missed']}
    matrix = Matrix(**sides, counts=counts)
    page = write_page(tmp_path, 'title', {}, [Section('matrix', [matrix])], {})
    marks = re.findall('<td( class="right")?', page.read_text())
    assert [place for place, mark in enumerate(marks) if mark] == [0, 4]
    assert len(marks) == 9


def test_the_page_is_whole_or_not_there(tmp_path):
    def failing():
        yield Section('first')
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_page(tmp_path, 'title', {}, failing(), {})
    assert not [*tmp_path.iterdir()]
    (tmp_path / NAME).mkdir()
    with pytest.raises(InputError, match=f'{NAME} cannot be written'):
        write_page(tmp_path, 'title', {}, [], {})
    assert [*tmp_path.iterdir()] == [tmp_path / NAME]
    (tmp_path / NAME).rmdir()  # a model that found nothing has no summary
    assert 'predicted nothing at all' in write_page(tmp_path, 'a', {}, [], {}).read_text()


def test_what_was_run_is_told_so_that_it_can_be_run_again(tmp_path, monkeypatch):
    (tmp_path / 'a.pth').write_bytes(b'weights')
    parts = [{'type': 'CocoDataset', 'data_root': 'x', 'ann_file': 'a.json'}, {'type': 'B'}]
    parts += [{'type': 'C', 'data_prefix': {'img': 'i', 'seg': 's'}}]
    parts += [{'type': 'D', 'data_prefix': 'val'}]
    config = Config({'test_dataloader': {'dataset': {'type': 'ConcatDataset', 'datasets': parts}}})
    monkeypatch.setattr(sys, 'argv', ['tools/test.py', 'my config.py', 'a.pth'])
    told = facts(config, tmp_path / 'a.pth', 7)
    digest = hashlib.sha256(b'weights').hexdigest()
    assert told['checkpoint'] == f'{tmp_path}/a.pth\nSHA-256 {digest}'
    assert told['dataset'].splitlines() == ['CocoDataset x a.json', 'B', 'C i s', 'D val']
    assert told['command'] == "tools/test.py 'my config.py' a.pth"
    assert told['images'] == '7'
    assert f'vitbackbones {__version__}' in told['versions']
    assert 'torch ' in told['versions']
