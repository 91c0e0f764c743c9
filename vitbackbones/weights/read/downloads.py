"""Checkpoints from wherever they are: a file, an address, a name of published weights.

A download is kept only after it was read without an error, so that the error page of a server does
not stay behind.
"""

from pathlib import Path
from urllib.parse import unquote, urlparse

from ...errors import InputError
from ..cache import fetch, fetch_url, local
from ..transfer import SCHEME, is_offline
from .load import load_file


def load_anywhere(source: str | Path) -> dict:
    """Read a file, a name of published weights, or an address.

    Args:
        source: the address may be ``hf-hub:OWNER/NAME``, or of any kind that mmengine knows
            (https://, torchvision:// ...).

    Raises:
        InputError: as :func:`load_file`, :func:`load_url` and
            :func:`~vitbackbones.weights.cache.fetch`.
    """
    scheme, is_address, rest = str(source).partition(':/')  # pathlib makes one slash of two
    if not is_address:
        return _load_named(source)
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


def fetch_readable(source: str) -> Path:
    """Return a file as :func:`~vitbackbones.weights.cache.fetch` does, after it was read.

    Raises:
        InputError: it cannot be fetched, or not be read.
    """
    load = load_url if source.lower().startswith(('http://', 'https://')) else _load_named
    load(source)
    return fetch(source)


def _load_named(source: str | Path) -> dict:
    file = local(source)
    if file is source:
        return load_file(source)
    return _load_fetched(file, source)


def _load_fetched(file: Path, source: str | Path) -> dict:
    """Read a download, and drop it if it is none of weights, so that the next try fetches it."""
    try:
        return load_file(file)
    except InputError as error:
        if isinstance(error.__cause__, OSError):  # it may be readable another time
            raise
        if is_offline() or str(source).startswith(SCHEME):  # the hub's client has its own cache
            raise InputError(
                f'{error} {source} stands for it; delete it to fetch it again.'
            ) from error
        file.unlink(missing_ok=True)
        raise InputError(
            f'{error} It came from {source} and was not kept; the next try fetches it again.'
        ) from error


def load_local_address(address: str) -> dict:
    """Read the file behind ``file://...``."""
    return load_file(unquote(urlparse(address).path))


def load_url(url: str, model_dir: str | None = None, progress: bool = True) -> dict:
    """Download a checkpoint, unless it was before, and read it as safely as :func:`load_file`.

    The file is kept where torch.hub keeps its own, or in ``model_dir``, in a folder of its own.

    Raises:
        InputError: the download failed, has another hash than its name says, or is refused.
    """
    return _load_fetched(fetch_url(url, model_dir, progress=progress), url)
