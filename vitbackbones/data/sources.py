"""The inputs of ``predict``: images, folders and videos, frame by frame.

An image counts as one frame, without a number.
"""

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from ..errors import InputError, printable
from ..utils.messages import did_you_mean_path, plural, some
from .loading.image_file import ARRAY, HEIC, IMAGES, UnreadableImage, read_image

VIDEOS = ('.mp4', '.m4v', '.mov', '.avi', '.mkv', '.webm', '.mpg', '.mpeg', '.wmv', '.ogv')
VIDEOS += ('.flv', '.3gp', '.mts', '.m2ts', '.ts')
SUFFIXES = tuple(dict.fromkeys((*IMAGES, *HEIC, ARRAY, *VIDEOS)))
# FFmpeg writes about a damaged video to the screen, past Python; the message is ours to give.
os.environ.setdefault('OPENCV_FFMPEG_LOGLEVEL', '-8')
# It would also read playlists, whatever their suffix is, and the files anywhere that these name.
FORMATS = 'mov,avi,matroska,mpeg,mpegvideo,mpegts,m4v,asf,ogg,flv'
os.environ.setdefault('OPENCV_FFMPEG_CAPTURE_OPTIONS', f'format_whitelist;{FORMATS}')
DEFAULT_RATE = 25.0  # frames per second, of a video that does not say
RATES = (0.01, 10_000)  # beyond, a number is that of a clock, such as 90000


@dataclass(frozen=True)
class Source:
    """A file, and the name of its results: its path relative to the common folder of all inputs."""

    path: Path
    name: str

    @property
    def is_video(self) -> bool:
        return self.path.suffix.lower() in VIDEOS


@dataclass(frozen=True)
class Frame:
    """An image, or a frame of a video.

    Attributes:
        source: the file.
        pixels: (H, W, 3), uint8, BGR; (H, W, bands) for a model of other bands.
        number: of a video's frame, from 0.
        rate: frames per second.
    """

    source: Source
    pixels: np.ndarray
    number: int | None = None
    rate: float = DEFAULT_RATE

    def __str__(self) -> str:
        if self.number is None:
            return f'image file {self.source.path}'
        return f'video file {self.source.path}, frame {self.number}'

    @property
    def place(self) -> dict:
        """Where it comes from, as the entries of the results say it."""
        number = {} if self.number is None else {'frame': self.number}
        return {'file_name': self.source.name} | number

    @property
    def png(self) -> str:
        """The name of its PNG file in a folder of those of all frames."""
        place = '' if self.number is None else f'/{self.number:06d}'
        return f'{self.source.name}{place}.png'


def find_sources(inputs: Sequence[str], out: Path, role: str = 'INPUT') -> list[Source]:
    """Return all images and videos in files and folders, sorted by folder and without duplicates.

    Args:
        inputs: paths; a folder stands for all below it, except hidden files and folders, and
            what is in ``out``. A file is taken whatever its suffix is.
        out: the folder of the results.
        role: the argument that names the inputs, for messages.

    Raises:
        InputError: a path does not exist, or a folder has neither image nor video.
    """
    for given in inputs:
        require_no_address(given, role)
    found = [(path, _files(path, out, role)) for path in map(Path, map(os.path.abspath, inputs))]
    parents = [path if path.is_dir() else path.parent for path, _ in found]
    shared = Path(os.path.commonpath(parents))
    files = dict.fromkeys(file for _, files in found for file in files)
    return [Source(file, file.relative_to(shared).as_posix()) for file in files]


def require_no_address(given: str | Path, role: str) -> None:
    """Check that an input is no address of a file or stream.

    Raises:
        InputError: it is one.
    """
    if '://' in str(given):
        raise InputError(
            f'{role} {given}: is a web address. Save the image or video as a file, and give its '
            'path'
        )


def _files(path: Path, out: Path, role: str) -> list[Path]:
    if not path.exists():
        raise InputError(f'{role} {path}: no such file or folder{did_you_mean_path(path)}')
    if path.suffix.lower() == '.txt':
        raise InputError(
            f'{role} {path}: is a text file. Give a folder, or the images themselves, such as '
            f'$(cat {shlex.quote(str(path))}). Only predict --ray reads lists'
        )
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f'{role} {path}: neither a regular file nor a folder')
    files, others = [], []
    root = path.resolve()  # the paths given may lead there in other ways
    results = out.resolve()
    own = path / results.relative_to(root) if results.is_relative_to(root) else out
    for file in sorted(path.rglob('*')):
        hidden = any(part.startswith('.') for part in file.relative_to(path).parts)
        if hidden or own in (file, *file.parents):
            continue
        if file.is_file() and file.suffix.lower() in SUFFIXES:
            files.append(file)
        elif file.is_symlink() or not file.is_dir():
            others.append(file.relative_to(path))
    if not files:
        raise InputError(f'{role} {path}: no image or video there ({", ".join(sorted(SUFFIXES))})')
    if others:  # also links that lead nowhere, and links to folders
        print(
            printable(f'{path}: {plural(len(others), "other file")} skipped ({some(others, str)})')
        )
    return files


def count_frames(source: Source) -> int:
    """Return the number of frames in a video header, 0 if it cannot be opened; 1 for an image."""
    if not source.is_video:
        return 1
    if not can_be_opened(source.path):
        return 0
    return max(0, int(cv2.VideoCapture(str(source.path)).get(cv2.CAP_PROP_FRAME_COUNT)))


def can_be_opened(video: Path) -> bool:
    """Return whether OpenCV can open or write a file; at a path that is no UTF-8, it crashes."""
    try:
        str(video).encode()
    except UnicodeEncodeError:
        return False
    return True


def read_frames(source: Source, color: str | int = 'color') -> Iterator[Frame]:
    """Yield the image, or every frame of the video.

    Raises:
        UnreadableImage: the file cannot be read. For a video that breaks off, this comes after its
            last good frame.
    """
    if not source.is_video:
        yield Frame(source, read_image(str(source.path), color, advice=''))
        return
    if color != 'color':
        raise UnreadableImage(f'video file {source.path}: has 3 bands, but the model reads {color}')
    if not can_be_opened(source.path):
        raise UnreadableImage(f'video file {source.path}: its path is not UTF-8. Rename it')
    video = cv2.VideoCapture(str(source.path))
    said_rate = video.get(cv2.CAP_PROP_FPS)
    rate = said_rate if RATES[0] <= said_rate <= RATES[1] else DEFAULT_RATE  # it may be NaN
    number = 0
    good, pixels = video.read()
    while good:
        yield Frame(source, pixels, number, rate)
        number += 1
        good, pixels = video.read()
    video.release()
    if not number:
        raise UnreadableImage(f'video file {source.path}: not a video, or damaged')
    said = count_frames(source)
    if said - number > rate:  # a container's number is an estimate
        raise UnreadableImage(f'video file {source.path}: ends after {number} of {said} frames')
