"""Drawn pictures and videos are complete or absent."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.sources import Frame, Source
from vitbackbones.drawing.sheet import save
from vitbackbones.errors import InputError
from vitbackbones.inference.writers import PictureWriter


def frame(name, number):
    source = Source(Path(name), name)
    return Frame(source, np.zeros((32, 32, 3), np.uint8), number, rate=5)


@pytest.mark.parametrize('stopped', [True, False])
def test_a_video_gets_its_name_when_it_is_complete(tmp_path, stopped):
    writer, picture = PictureWriter(tmp_path), Image.new('RGB', (32, 32))
    for number in range(3):
        writer.add(frame('a.avi', number), picture)
    assert [file.name for file in tmp_path.iterdir()] == ['a.avi.part.mp4']
    if not stopped:
        writer.end_video()
    writer.close()
    assert [file.name for file in tmp_path.iterdir()] == ['a.avi.mp4'] * (not stopped)


def test_a_picture_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    file = save(Image.new('RGB', (8, 8)), tmp_path / 'a' / 'x.png')
    before = file.read_bytes()

    def full(_):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('os.fsync', full)
    with pytest.raises(InputError, match='cannot be written .No space left'):
        save(Image.new('RGB', (9, 9)), file)
    assert file.read_bytes() == before
    assert [*file.parent.iterdir()] == [file]
