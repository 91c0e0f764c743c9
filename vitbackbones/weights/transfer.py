"""One file from one address: complete and checked, or not there at all.

A web server's comes by torch.hub, that of ``hf-hub:OWNER/NAME`` by huggingface_hub and its cache.
"""

import os
import re
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
SCHEME = 'hf-hub:'
ADDRESS = re.compile(
    r'hf-hub:(?P<repository>[\w.-]+/[\w.-]+)(@(?P<revision>[^:@]+))?(:(?P<file>[^:]+))?'
)
FILES = ('model.safetensors', 'pytorch_model.bin')  # of a repository, the first that it has


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


# ------------------------------------------------------------------------ web servers


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


# ------------------------------------------------------------------------ the hub


def fetch_from_hub(address: str) -> Path:
    """Return a file of ``hf-hub:OWNER/NAME``, downloaded unless it was before.

    Args:
        address: may end in ``@REVISION``, ``:FILE`` or both, in this order.

    Raises:
        InputError: the address is not of this form, huggingface_hub is not installed, or there is
            no such file, no permission or no connection.
    """
    match = ADDRESS.fullmatch(address)
    if match is None or '..' in address.replace(':', '/').replace('@', '/').split('/'):
        raise InputError(f'{address}: must be hf-hub:OWNER/NAME, with @REVISION or :FILE behind it')
    names = (match['file'],) if match['file'] else FILES
    with fetching(address):
        for name in names:
            if file := _fetch(address, match['repository'], name, match['revision']):
                return file
    if is_offline():
        raise InputError(
            f'{address}: is not in the cache of huggingface_hub, and HF_HUB_OFFLINE is set. Fetch '
            'it where there is a connection ("hf download"), bring the cache here (HF_HOME), or '
            'give a file.'
        )
    raise InputError(f'{address}: has no file {" or ".join(names)}; name one with :FILE behind it')


def _fetch(address: str, repository: str, name: str, revision: str | None) -> Path | None:
    """Return one file of a repository, or None if it, or the cache without connections, has none.

    Raises:
        InputError: huggingface_hub is not installed, or the repository is hidden or not there.
        Exception: of huggingface_hub, if the hub cannot be reached.
    """
    try:
        from huggingface_hub import errors, hf_hub_download
    except ImportError as error:
        text = f'{address}: needs huggingface_hub; "pip install huggingface_hub" installs it'
        raise InputError(text) from error
    offline = is_offline()
    try:
        file = hf_hub_download(repository, name, revision=revision, local_files_only=offline)
    except errors.RepositoryNotFoundError as error:
        text = f'{address}: no such repository, or it is private: "hf auth login" signs in'
        raise InputError(text) from error
    except errors.EntryNotFoundError as error:
        if isinstance(error, errors.LocalEntryNotFoundError) and not offline:
            raise  # there is no connection
        return None
    return Path(file)
