"""Checkpoints from addresses, each downloaded once.

A download is kept under its whole address, as many files are called ``model.safetensors``. It is
kept only after it was read without an error, so that neither a part of a file nor the error page of
a server stays behind. Where the name says a hash, as in ``deit_small-cd65a155.pth``, the content
must have it.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import unquote, urlparse

import torch

from ..errors import InputError
from .reading import load_file, read_safely

# The beginning of a file's SHA-256, as in torch.hub; OpenMMLab's names have dates, too.
HASH = re.compile(r'-(?!20\d{6}\.)([0-9a-f]{8,})\.')


def load_anywhere(source: str | Path) -> dict:
    """Read a file or an address of any kind that mmengine knows (https://, torchvision:// ...).

    Raises:
        InputError: as :func:`load_file` and :func:`load_url`.
    """
    scheme, is_address, rest = str(source).partition(':/')  # pathlib makes one slash of two
    if not is_address:
        return load_file(source)
    slashes = '///' if scheme == 'file' else '//'
    address = f'{scheme}:{slashes}{rest.lstrip("/")}'
    try:
        from mmengine.runner import CheckpointLoader  # lets one process of a run download for all
    except ImportError:
        loaders = {'http': load_url, 'https': load_url, 'file': load_local_address}
        if scheme in loaders:
            return loaders[scheme](address)
        text = f'{address}: addresses with {scheme}:// need mmengine; give a file'
        raise InputError(text) from None
    return CheckpointLoader.load_checkpoint(address, 'cpu')


def load_local_address(address: str) -> dict:
    """Read the file behind ``file://...``."""
    return load_file(unquote(urlparse(address).path))


def load_url(url: str, model_dir: str | None = None, progress: bool = True) -> dict:
    """Download a checkpoint, unless it was before, and read it as safely as :func:`load_file`.

    The file is kept where torch.hub keeps its own, or in ``model_dir``, in a folder of its own.

    Raises:
        InputError: the download failed, has another hash than its name says, or is refused.
    """
    folder = Path(model_dir or Path(torch.hub.get_dir(), 'checkpoints'))
    folder /= hashlib.sha256(url.encode()).hexdigest()[:16]
    file = folder / (Path(unquote(urlparse(url).path)).name or 'checkpoint')
    with fetching(url):
        if not file.exists():
            return _download(url, file, progress)
    try:
        return load_file(file)
    except InputError as error:
        raise InputError(f'{error} It came from {url}; delete it to download it again.') from error


def _download(url: str, file: Path, progress: bool) -> dict:
    """Download to a folder of this process, read, and only then keep it as ``file``."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix='download-', dir=file.parent) as folder:
        part = Path(folder, file.name)
        said = HASH.search(file.name)
        torch.hub.download_url_to_file(url, str(part), said and said[1], progress)
        try:
            with part.open('rb') as opened:
                content = read_safely(opened, file)
        except InputError as error:
            raise InputError(f'{error} It came from {url} and was not kept.') from error
        os.replace(part, file)
    return content


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
        raise InputError(
            f'{address}: cannot be downloaded ({reason}). '
            'Fetch it by other means and give the file.'
        ) from error
