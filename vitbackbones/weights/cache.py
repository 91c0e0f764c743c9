"""Weights as files of this machine, by name or address, each downloaded once.

A download is kept in torch.hub's folder under its whole address, as many files are called
``model.safetensors``. Where the table or its own name says a hash, as in
``deit_small-cd65a155.pth``, the content must have it.
"""

import hashlib
import re
from os.path import exists
from pathlib import Path
from urllib.parse import unquote, urlparse

import torch

from ..errors import InputError
from .by_name import find, is_name
from .transfer import OTHERWISE, SCHEME, download, fetch_from_hub, fetching

# The beginning of a file's SHA-256 in its name, as in torch.hub; OpenMMLab's names have dates, too.
HASH = re.compile(r'-(?!20\d{6}\.)([0-9a-f]{8,})\.')
LONGEST = 60  # characters of a name, of up to 4 bytes; file systems take 255 bytes


def local(source: str | Path) -> str | Path:
    """Return the file that a name or ``hf-hub:OWNER/NAME`` stands for; anything else as it is.

    A file of that name comes first.

    Raises:
        InputError: as of :func:`fetch`.
    """
    text = str(source)
    if exists(text) or not (is_name(text) or text.startswith(SCHEME)):
        return source
    return fetch(text)


def fetch(source: str) -> Path:
    """Return a file of weights, downloaded unless it was before.

    Args:
        source: a name in the table, ``hf-hub:OWNER/NAME`` (:func:`fetch_from_hub`), or an address
            such as ``https://...``.

    Raises:
        InputError: nothing was published by that name, or it cannot be downloaded; the message
            says what else can be done.
    """
    if source.startswith(SCHEME):
        return fetch_from_hub(source)
    if source.lower().startswith(('http://', 'https://')):
        return fetch_url(source)
    row = find(source)
    if row.url is None:
        raise InputError(f'{source}: only a browser can download it ({row.source}). {OTHERWISE}')
    try:
        return fetch_url(row.url, sha256=row.sha256)
    except InputError as error:
        copy = f' The hub has a copy: {SCHEME}{row.hf_hub}' if row.hf_hub else ''
        raise InputError(f'{error}{copy}') from error


def fetch_url(
    url: str,
    folder: str | Path | None = None,
    sha256: str | None = None,
    progress: bool = True,
) -> Path:
    """Return the file behind an address, downloaded unless it was before.

    Args:
        url: http:// or https://.
        folder: where downloads are kept; by default, where torch.hub keeps its own.
        sha256: of the content, or its beginning; by default what the file's name says.
        progress: whether to show a bar.

    Raises:
        InputError: as of :func:`~vitbackbones.weights.transfer.download`, or the address names no
            file.
    """
    file = place_of(url, folder)
    said = HASH.search(file.name)
    download(url, file, sha256 or (said and said[1]), progress)
    return file


def place_of(url: str, folder: str | Path | None = None) -> Path:
    """Return where the file behind an address is kept; ``folder`` as of :func:`fetch_url`.

    Raises:
        InputError: the address names no file.
    """
    with fetching(url):  # what is no address
        name = unquote(urlparse(url).path).rpartition('/')[2][-LONGEST:]
    if not name.strip('.'):
        raise InputError(f'{url}: does not name a file. {OTHERWISE}')
    folder = Path(folder or Path(torch.hub.get_dir(), 'checkpoints'))
    folder /= hashlib.sha256(url.encode()).hexdigest()[:16]
    return folder / name
