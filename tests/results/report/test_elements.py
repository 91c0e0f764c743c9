"""The parts of a page."""

import io

import numpy as np
from PIL import Image

from vitbackbones.results.report.elements import Matrix, photograph


def test_shares_of_a_row():
    matrix = Matrix(rows='ab', columns='ab', counts=np.array([[1, 3], [0, 0]]))
    assert matrix.shares().tolist() == [[0.25, 0.75], [0, 0]]


def test_photographs_are_small_files():
    part = photograph(Image.new('RGBA', (40, 30), 'red'), 'red')
    assert Image.open(io.BytesIO(part.content)).size == (40, 30)
    assert (part.kind, part.title) == ('image/jpeg', 'red')
