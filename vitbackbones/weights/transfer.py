"""One file from one address: complete and checked, or not there at all.

What was cut short is kept beside it as ``.part`` and goes on from there, if the server still has
the file that ``.tag`` tells from others. Of several processes that want the same file one
downloads, and the others wait.
"""

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from filelock import FileLock
from torch.hub import tqdm

from ..errors import InputError
from ..files import own_file

TRIES = 4  # after connections that broke
TIMEOUT = 30  # seconds without a byte
CHUNK = 1 << 20  # bytes
LARGEST = 1 << 35  # bytes, of a file whose size the server does not say
FULL = (errno.ENOSPC, errno.EDQUOT)
BROKEN = (ConnectionError, TimeoutError, HTTPException)
OTHERWISE = 'Fetch it by other means and give the file.'
RANGE_NOT_SATISFIABLE = 416


def is_offline() -> bool:
    """Return whether ``HF_HUB_OFFLINE`` forbids connections, in the words of huggingface_hub."""
    return os.environ.get('HF_HUB_OFFLINE', '').upper() in ('1', 'ON', 'YES', 'TRUE')


@dataclass(frozen=True)
class Wanted:
    """What is downloaded.

    Attributes:
        url: the address.
        checked: whether a hash will tell if the whole is one file.
        progress: whether to show a bar.
        largest: how many bytes it may have.
    """

    url: str
    checked: bool
    progress: bool
    largest: int


@contextmanager
def fetching(address: str) -> Iterator[None]:
    """Turn whatever prevents a download into one message that begins with the address.

    Raises:
        InputError: with the reason.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # network, disk, unknown names, clients that are not installed
        reason = str(error).strip().partition('\n')[0] or type(error).__name__
        raise InputError(f'{address}: cannot be downloaded ({reason}). {OTHERWISE}') from error


def download(
    url: str,
    file: Path,
    sha256: str | None = None,
    progress: bool = True,
    largest: int = LARGEST,
) -> None:
    """Bring what is at ``url`` to ``file``, unless it is there.

    Args:
        url: http:// or https://.
        file: its folder is made if need be.
        sha256: the content's hash, or the beginning of it.
        progress: whether to show a bar.
        largest: how many bytes the file may have.

    Raises:
        InputError: there is no connection or none is allowed, the server stops half-way or
            answers with a web page, the content is too large or has another hash and is not kept,
            or the folder cannot be written to.
    """
    if file.exists():
        return
    with fetching(url), _alone(url, file):
        part = file.with_name(f'{file.name}.part')
        goes_on = part.exists()
        while not file.exists():  # another process may have brought it meanwhile
            _transfer(Wanted(url, bool(sha256), progress, largest), part)
            _tag_file(part).unlink(missing_ok=True)
            if problem := _problem(part, sha256):
                part.unlink()
                if not goes_on:
                    raise InputError(f'{url}: cannot be downloaded ({problem}). {OTHERWISE}')
                goes_on = False  # its beginning may be that of another file: once from the start
            else:
                os.replace(part, file)


def size_of(url: str) -> int | None:
    """Ask for the size in bytes of what is at ``url``; None if the server does not say.

    Raises:
        InputError: it does not answer, or with a web page.
    """
    with fetching(url), urlopen(Request(url, method='HEAD'), timeout=TIMEOUT) as answer:
        _refuse_page(url, answer.headers)
        length = answer.headers.get('Content-Length')
    return int(length) if length else None


def _refuse_page(url: str, headers: Message) -> None:
    if headers.get_content_type() == 'text/html':
        raise InputError(f'{url}: the server answers with a web page, no file. {OTHERWISE}')


def _refuse_open_way(url: str, answering: str) -> None:
    if url.lower().startswith('https:') and not answering.startswith('https:'):
        raise InputError(f'{url}: leads to {answering}, where anybody could change it. {OTHERWISE}')


@contextmanager
def _alone(url: str, file: Path) -> Iterator[None]:
    """Keep other processes from downloading the same file while the block runs."""
    if is_offline():
        raise InputError(
            f'{url}: is not downloaded, as HF_HUB_OFFLINE is set. Bring the file here as {file}, '
            'or unset HF_HUB_OFFLINE.'
        )
    lock = FileLock(f'{file}.lock')  # stays, as another process may be about to lock it
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(lock.lock_file, 'a', opener=own_file):
            lock.acquire()
    except OSError as error:
        raise InputError(
            f'{url}: cannot be kept in {file.parent} ({error.strerror}). Name a folder that can be '
            f'written to with TORCH_HOME. {OTHERWISE}'
        ) from error
    try:
        yield
    finally:
        lock.release()


def _transfer(wanted: Wanted, part: Path) -> None:
    """Complete ``part``; go on after connections that break."""
    for left in reversed(range(TRIES)):
        try:
            _receive(wanted, part)
            return
        except HTTPError as error:
            if error.code != RANGE_NOT_SATISFIABLE or not left:
                raise
            part.unlink(missing_ok=True)  # it is longer than what is there now
        except BROKEN as error:
            if not left:
                raise InputError(
                    f'{wanted.url}: the connection broke {TRIES} times ({error}). What came so '
                    'far is kept: the same command goes on from there.'
                ) from error


def _receive(wanted: Wanted, part: Path) -> None:
    """Append what is missing of ``part``, or write all of it where that may be another file's."""
    url = wanted.url
    there = part.stat().st_size if part.exists() else 0
    tag = _read(_tag_file(part))
    can_go_on = there and (tag or wanted.checked)
    asked = {'Range': f'bytes={there}-'} if can_go_on else {}
    asked |= {'If-Range': tag} if can_go_on and tag else {}
    with urlopen(Request(url, headers=asked), timeout=TIMEOUT) as answer:
        _refuse_page(url, answer.headers)
        _refuse_open_way(url, answer.url)
        goes_on = answer.headers.get('Content-Range', '').startswith(f'bytes {there}-')
        if goes_on and tag and _tag(answer.headers) not in ('', tag):
            part.unlink()
            raise ConnectionError('the file there has changed')
        if not goes_on:
            part.unlink(missing_ok=True)  # before it could be taken for one of the new tag
            with open(_tag_file(part), 'w', opener=own_file) as file:
                file.write(_tag(answer.headers))
        _append(wanted, answer, part)


def _tag_file(part: Path) -> Path:
    return part.with_suffix('.tag')


def _read(file: Path) -> str:
    if not file.exists():
        return ''
    with open(file, opener=own_file) as opened:
        return opened.read()


def _tag(headers: Message) -> str:
    """Return what tells this file from a later one of its address, '' if the server does not."""
    strong, date = headers.get('ETag', ''), headers.get('Last-Modified', '')
    tag = strong if strong.startswith('"') else date
    return tag if tag.isprintable() else ''


def _append(wanted: Wanted, answer: HTTPResponse, part: Path) -> None:
    """Write an answer behind what is there of ``part``, and no more than the disk or the size take.

    Raises:
        InputError: the file is too large.
        ConnectionError: the answer ends too early.
    """
    there = part.stat().st_size if part.exists() else 0
    total = _total(answer.headers, there)
    _refuse_size(wanted, total, there, part)
    most = total or wanted.largest
    bar = tqdm(total=total, initial=there, disable=not wanted.progress, unit='B', unit_scale=True)
    try:
        with open(part, 'ab', opener=own_file) as file, bar:
            while data := answer.read(CHUNK):
                there += len(data)
                if there > most:
                    raise OSError(errno.ENOSPC, f'more than {most} bytes')
                file.write(data)
                bar.update(len(data))
    except OSError as error:
        if error.errno in FULL:
            part.unlink()
        raise
    if total is not None and there < total:
        raise ConnectionError(f'the server stopped, of {total} bytes')


def _refuse_size(wanted: Wanted, total: int | None, there: int, part: Path) -> None:
    """Refuse a file, of which ``there`` bytes are here, that is too large."""
    if total is None:
        return
    if total > wanted.largest:
        raise InputError(
            f'{wanted.url}: has {total} bytes, where at most {wanted.largest} are expected'
        )
    room = shutil.disk_usage(part.parent).free
    if total - there > room:
        raise InputError(f'{wanted.url}: has {total} bytes, but {part.parent} has room for {room}')


def _total(headers: Message, there: int) -> int | None:
    """Return the bytes of the whole file, after ``there`` of them; None if nothing says so."""
    whole = headers.get('Content-Range', '').partition('/')[2]
    if there and whole.isdecimal():  # an answer may be a part of what was asked for
        return int(whole)
    length = headers.get('Content-Length')
    return there + int(length) if length else None


def _problem(part: Path, sha256: str | None) -> str:
    """Say why a complete file is not the one that was asked for; '' if it may be."""
    if not sha256:
        return ''
    digest = hashlib.sha256()
    with part.open('rb') as file:
        while data := file.read(CHUNK):
            digest.update(data)
    found = digest.hexdigest()
    if found.startswith(sha256):
        return ''
    return f'the hash of its content differs: expected "{sha256}", got "{found}"'
