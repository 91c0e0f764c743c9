"""What is read of an input, and what of it is left alone."""

import cv2
import numpy as np
import pytest

from vitbackbones.data.loading.image_file import UnreadableImage
from vitbackbones.inference.sources import find_sources, read_frames

HLS = '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile://{}\n#EXT-X-ENDLIST\n'
CONCAT = 'ffconcat version 1.0\nfile {}\n'


def film(path, frames=3):
    path.parent.mkdir(exist_ok=True)
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*'mp4v'), 5, (64, 64))
    for _ in range(frames):
        video.write(np.zeros((64, 64, 3), np.uint8))
    video.release()
    return path


def frames_of(path):
    (source,) = find_sources([str(path)], path.parent / 'out')
    return [frame.number for frame in read_frames(source)]


@pytest.mark.parametrize('suffix', ['mp4', 'mov', 'avi', 'mkv', 'mpg', 'wmv'])
def test_videos_of_many_kinds(tmp_path, suffix):
    assert frames_of(film(tmp_path / f'film.{suffix}')) == [0, 1, 2]


@pytest.mark.parametrize('text', [HLS, CONCAT], ids=['HLS', 'concat'])
def test_a_playlist_that_is_called_a_video_reads_no_other_file(tmp_path, text):
    private = film(tmp_path / 'private' / 'film.mp4')
    (tmp_path / 'list.mp4').write_text(text.format(private))
    with pytest.raises(UnreadableImage, match=r'list\.mp4: not a video, or damaged'):
        frames_of(tmp_path / 'list.mp4')
