"""One file from one address, by torch.hub: complete and checked, or not there at all."""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from filelock import FileLock
from torch.hub import download_url_to_file

from ..errors import InputError

OTHERWISE = 'Fetch it by other means and give the file.'
TIMEOUT = 30  # seconds without a byte


def is_offline() -> bool:
    """Return whether ``HF_HUB_OFFLINE`` forbids connections, in the words of huggingface_hub."""
    return os.environ.get('HF_HUB_OFFLINE', '').upper() in ('1', 'ON', 'YES', 'TRUE')


@contextmanager
def fetching(address: str) -> Iterator[None]:
    """Turn whatever prevents a download into an InputError that begins with the address."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # network, disk, unknown names, clients that are not installed
        reason = str(error).strip().partition('\n')[0] or type(error).__name__
        raise InputError(f'{address}: cannot be downloaded ({reason}). {OTHERWISE}') from error


def download(url: str, file: Path, sha256: str | None = None, progress: bool = True) -> None:
    """Bring what is at ``url`` to ``file``, in a folder of its own, unless it is there.

    Of several processes one downloads, and the others wait. ``sha256`` may be a beginning.

    Raises:
        InputError: the address is not one of http or https, there is no connection or none is
            allowed, the server stops half-way or answers with a web page, the content has another
            hash, or the folder cannot be written to. Nothing is kept.
    """
    if not url.lower().startswith(('http://', 'https://')):
        raise InputError(f'{url}: must begin with https:// or http://')
    if file.exists():
        return
    if is_offline():
        raise InputError(f'{url}: not downloaded (HF_HUB_OFFLINE is set). Bring it here as {file}.')
    with fetching(url):
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f'{file}.lock'):
            if not file.exists():  # another process may have been faster
                _receive(url, file, sha256, progress)


def _receive(url: str, file: Path, sha256: str | None, progress: bool) -> None:
    for left in file.parent.glob('*.partial'):  # by a process that was killed
        left.unlink()
    size, part = None, file.with_name('whole.partial')
    with suppress(HTTPError):  # of a server that does not answer this question
        size = size_of(url)
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(TIMEOUT)  # torch.hub takes none
    try:
        download_url_to_file(url, str(part), sha256, progress)
    finally:
        socket.setdefaulttimeout(before)
    came = part.stat().st_size
    if size not in (None, came):
        part.unlink()
        raise ConnectionError(f'{came} of {size} bytes came')
    os.replace(part, file)


def size_of(url: str) -> int | None:
    """Ask for the size in bytes of what is at ``url``; None if the server does not say.

    Raises:
        InputError: it answers with a web page, or leads from https to another scheme.
        OSError: it does not answer, or with an error.
    """
    with urlopen(Request(url, method='HEAD'), timeout=TIMEOUT) as answer:
        if answer.headers.get_content_type() == 'text/html':
            raise InputError(f'{url}: the server answers with a web page. {OTHERWISE}')
        if url.lower().startswith('https:') and not answer.url.startswith('https:'):
            raise InputError(f'{url}: leads to {answer.url}, which is not encrypted.')
        length = answer.headers['Content-Length']
    return int(length) if length else None
