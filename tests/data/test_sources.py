"""What is read of an input, and what of it is left alone."""

import os
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from vitbackbones.data.loading.image_file import UnreadableImage
from vitbackbones.data.sources import DEFAULT_RATE, count_frames, find_sources, read_frames
from vitbackbones.errors import InputError

HLS = '#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile://{}\n#EXT-X-ENDLIST\n'
CONCAT = 'ffconcat version 1.0\nfile {}\n'


def film(path, frames=3, codec='mp4v'):
    path.parent.mkdir(exist_ok=True)
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), 5, (64, 64))
    for _ in range(frames):
        video.write(np.zeros((64, 64, 3), np.uint8))
    video.release()
    return path


def frames_of(path):
    (source,) = find_sources([str(path)], path.parent / 'out')
    return [frame.number for frame in read_frames(source)]


@pytest.mark.parametrize('suffix', ['mp4', 'mov', 'avi', 'mkv', 'mpg', 'wmv', '3gp', 'm2ts'])
def test_videos_of_many_kinds(tmp_path, suffix):
    assert frames_of(film(tmp_path / f'film.{suffix}')) == [0, 1, 2]


@pytest.mark.parametrize(('suffix', 'codec'), [('flv', 'FLV1'), ('ts', 'mpeg')])
def test_videos_of_other_codecs(tmp_path, suffix, codec):
    file = film(tmp_path / f'film.{suffix}', 60, codec)
    assert frames_of(file) == [*range(60)]


@pytest.mark.parametrize('text', [HLS, CONCAT], ids=['HLS', 'concat'])
def test_a_playlist_that_is_called_a_video_reads_no_other_file(tmp_path, text):
    private = film(tmp_path / 'private' / 'film.mp4')
    (tmp_path / 'list.mp4').write_text(text.format(private))
    with pytest.raises(UnreadableImage, match=r'list\.mp4: not a video, or damaged'):
        frames_of(tmp_path / 'list.mp4')


@pytest.mark.parametrize('suffix', ['gif', 'jp2', 'jfif', 'JPE', 'mpo', 'avif', 'webp', 'pgm'])
def test_pictures_of_every_suffix_are_read_alone_and_in_a_folder(tmp_path, suffix):
    file = tmp_path / f'a.{suffix}'
    forms = {'jfif': 'JPEG', 'JPE': 'JPEG', 'mpo': 'JPEG', 'jp2': 'JPEG2000', 'pgm': 'PPM'}
    form = forms.get(suffix, suffix)
    if form == 'avif' and '.avif' not in Image.registered_extensions():
        pytest.skip('this Pillow reads no AVIF')
    Image.new('L', (40, 30), 99).convert('RGB').save(file, form)
    for given in (file, tmp_path):
        (source,) = find_sources([str(given)], tmp_path / 'out')
        (frame,) = read_frames(source)
        assert frame.pixels.shape == (30, 40, 3)
        assert abs(int(frame.pixels.mean()) - 99) < 3


def test_what_a_folder_has_beside_pictures_is_counted_and_named(tmp_path, capsys):
    folder, far = tmp_path / 'photos', tmp_path / 'far'
    for place in (folder, far):
        place.mkdir()
        cv2.imwrite(str(place / 'a.png'), np.zeros((8, 8, 3), np.uint8))
    (folder / 'notes.txt').write_text('')
    (folder / 'lost.jpg').symlink_to(folder / 'nowhere.jpg')
    (folder / 'linked').symlink_to(far)
    (folder / '.hidden').write_text('')
    (folder / '.ipynb_checkpoints').mkdir()
    Image.new('RGB', (40, 30)).save(folder / '.ipynb_checkpoints' / 'a-checkpoint.png')
    (folder / 'out').mkdir()
    (folder / 'out' / 'predictions.json').write_text('')
    assert [s.name for s in find_sources([str(folder)], folder / 'out')] == ['a.png']
    said = capsys.readouterr().out
    assert '3 other files skipped (linked, lost.jpg, notes.txt)' in said


@pytest.mark.parametrize(
    'given', ['http://a.example/b.jpg', 'rtsp://camera/1', 's3://bucket/a.jpg']
)
def test_an_address_is_told_from_a_file(tmp_path, given):
    with pytest.raises(InputError, match='is a web address. Save the image or video'):
        find_sources([given], tmp_path)


def test_a_list_of_images_is_told_from_an_image(tmp_path):
    (tmp_path / 'my list.txt').write_text('a.png')
    text = r"is a text file. Give .* \$\(cat '.*my list.txt'\). Only predict --ray reads lists"
    with pytest.raises(InputError, match=text):
        find_sources([str(tmp_path / 'my list.txt')], tmp_path / 'out')


def test_results_in_a_folder_of_inputs_are_no_inputs_however_it_is_named(tmp_path, monkeypatch):
    out = tmp_path / 'data' / 'out'
    for file in (tmp_path / 'data' / 'a.jpg', out / 'pictures' / 'a.jpg.jpg'):
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new('RGB', (4, 4)).save(file)
    (tmp_path / 'data' / 'sub').mkdir()
    (tmp_path / 'link').symlink_to('data')
    monkeypatch.chdir(tmp_path / 'data' / 'sub')
    upward = Path('../out').absolute()
    data, link = str(tmp_path / 'data'), str(tmp_path / 'link')
    for given, results in (('..', upward), (data, tmp_path / 'link' / 'out'), (link, out)):
        assert [source.name for source in find_sources([given], results)] == ['a.jpg']


def test_a_video_at_a_path_that_is_not_utf_8_is_refused(tmp_path):
    file = tmp_path / os.fsdecode(b'\xff.avi')
    film(tmp_path / 'a.avi', codec='MJPG').rename(file)
    (source,) = find_sources([str(file)], tmp_path / 'out')
    assert count_frames(source) == 0
    with pytest.raises(UnreadableImage, match='its path is not UTF-8. Rename it'):
        [*read_frames(source)]


@pytest.mark.parametrize('said', [90_000, 0, float('nan'), 1e-3])
def test_a_rate_that_no_video_has_is_not_believed(tmp_path, monkeypatch, said):
    class Video:
        def __init__(self, path):
            self.frames = [(True, np.zeros((4, 4, 3), np.uint8)), (False, None)]

        def get(self, key):
            return said if key == cv2.CAP_PROP_FPS else 1

        def read(self):
            return self.frames.pop(0)

        def release(self):
            pass

    (tmp_path / 'a.avi').touch()
    (source,) = find_sources([str(tmp_path / 'a.avi')], tmp_path / 'out')
    monkeypatch.setattr(cv2, 'VideoCapture', Video)
    assert [frame.rate for frame in read_frames(source)] == [DEFAULT_RATE]
