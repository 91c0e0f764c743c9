"""Pictures of one class each, cut from road scenes."""

import cv2
import numpy as np
import pytest

from examples import camvid_crops
from examples.camvid_crops import CLASSES, class_shares, write
from vitbackbones.errors import InputError

SIDE = 8  # of a window


@pytest.fixture
def scenes(tmp_path):
    """One frame: a stripe of every class, 3 windows wide, whose pixels have the label's value."""
    labels = np.repeat(np.array([*CLASSES], np.uint8), 3 * SIDE)
    mask = np.tile(labels[:, None], (1, 2 * SIDE))  # (24 * classes, 16)
    for kind, suffix, content in (
        ('annotations', 'png', mask),
        ('images', 'jpg', np.repeat(20 * mask[..., None], 3, 2)),
    ):
        folder = tmp_path / 'camvid' / kind / 'train'
        folder.mkdir(parents=True)
        cv2.imwrite(str(folder / f'frame.{suffix}'), content)
    return tmp_path / 'camvid'


def test_the_share_of_a_class_in_each_window():
    mask = np.zeros((8, 8), np.uint8)
    mask[:4, :6] = 5
    shares = class_shares(mask, 5, 4)  # at rows and columns 0, 2, 4
    assert shares.tolist() == [[1, 1, 0.5], [0.5, 0.5, 0.25], [0, 0, 0]]


def test_a_picture_shows_the_class_of_its_folder(scenes, tmp_path):
    write(scenes, tmp_path / 'crops', {'train': 4}, SIDE)
    for label, name in CLASSES.items():
        files = sorted((tmp_path / 'crops' / 'train' / name).iterdir())
        assert len(files) == 4
        for file in files:
            image = cv2.imread(str(file))
            assert image.shape == (SIDE, SIDE, 3)
            assert abs(np.median(image) - 20 * label) < 8  # a JPEG's accuracy
    write(scenes, tmp_path / 'again', {'train': 4}, SIDE)
    names = [
        sorted(file.name for file in (tmp_path / root).rglob('*.png'))
        for root in ('crops', 'again')
    ]
    assert names[0] == names[1]


@pytest.mark.parametrize(
    ('spoil', 'message'),
    [
        (lambda root: (root / 'images/train/frame.jpg').write_bytes(b''), 'missing, or not an'),
        (lambda root: (root / 'annotations/train/frame.png').write_bytes(b''), 'no label map of'),
        (lambda root: (root / 'annotations/train/frame.png').unlink(), '0 windows show sky'),
    ],
)
def test_a_bad_source_leaves_nothing_behind(scenes, tmp_path, spoil, message):
    spoil(scenes)
    with pytest.raises(InputError, match=message):
        write(scenes, tmp_path / 'crops', {'train': 2}, SIDE)
    assert [path.name for path in tmp_path.iterdir()] == ['camvid']
    with pytest.raises(InputError, match='camvid exists; remove it'):
        write(scenes, scenes, {'train': 2}, SIDE)


def test_the_command_line_names_what_is_missing(tmp_path, monkeypatch, capsys):
    arguments = ['camvid_crops', str(tmp_path / 'none'), str(tmp_path / 'crops')]
    monkeypatch.setattr('sys.argv', arguments)
    with pytest.raises(SystemExit, match='2'):
        camvid_crops.main()
    assert 'give the folder of CamVid' in capsys.readouterr().err
