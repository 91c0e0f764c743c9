"""Weights by name, URL or file, each downloaded only once.

A web server's file comes by torch.hub and is kept in its folder, under the whole address, as many
files are called ``model.safetensors``. Where the table or its own name says a hash, as in
``deit_small-cd65a155.pth``, the content must have it. A download is kept only after it was read
without an error, so that neither half a file nor the error page of a server stays behind. Files of
``hf-hub:OWNER/NAME`` come by huggingface_hub and its cache, those of ``pip:PACKAGE/FILE`` by pip
(:func:`find_installed`).
"""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlparse
from urllib.request import Request, urlopen

import torch
from filelock import FileLock
from torch.hub import tqdm

from ..errors import InputError
from ..utils.packages import import_optional
from .read.load import load_file
from .table import HUB_ADDRESS, PIP, find, is_name
from .trained import included

OTHERWISE = 'Download it in another way and give the file (train: --pretrained FILE, or --scratch).'
SCHEME = 'hf-hub:'
EXTRA = "'vitbackbones[pretrained]'"  # what pip installs the packages of the table by
WEB = ('http://', 'https://')
FILES = ('model.safetensors', 'pytorch_model.bin')  # of a repository, the first that it has
# The beginning of a file's SHA-256 in its name, as in torch.hub; OpenMMLab's names have dates, too.
HASH = re.compile(r'-(?!20\d{6}\.)([0-9a-f]{8,})\.')
LARGEST = 2**34  # bytes of an answer
CHUNK = 2**20
LONGEST = 60  # characters of a name, of up to 4 bytes; file systems take 255 bytes


def is_offline() -> bool:
    """Return whether ``HF_HUB_OFFLINE`` forbids connections, in the words of huggingface_hub."""
    return os.environ.get('HF_HUB_OFFLINE', '').upper() in ('1', 'ON', 'YES', 'TRUE')


@contextmanager
def fetching(address: str) -> Iterator[None]:
    """Turn any error of a download into an InputError that begins with the URL."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # network, disk, unknown names, clients that are not installed
        reason = str(error).strip().partition('\n')[0] or type(error).__name__
        raise InputError(f'{address}: cannot be downloaded ({reason}). {OTHERWISE}') from error


# ------------------------------------------------------------------------ content


def load_anywhere(source: str | Path) -> dict:
    """Read weights from a file, a name of published weights, or a URL.

    Args:
        source: the address may be ``hf-hub:OWNER/NAME``, or of any kind that mmengine knows
            (https://, torchvision:// ...).

    Raises:
        InputError: as :func:`load_file`, :func:`load_url` and :func:`fetch`.
    """
    scheme, is_address, rest = str(source).partition(':/')  # pathlib makes one slash of two
    if not is_address:
        return load_file(local(source))
    slashes = '///' if scheme == 'file' else '//'
    address = f'{scheme}:{slashes}{rest.lstrip("/")}'
    try:
        from mmengine.runner import CheckpointLoader  # lets one process of a run download for all
    except ImportError:
        loaders = {'http': load_url, 'https': load_url, 'file': load_local_address}
        if scheme in loaders:
            return loaders[scheme](address)
        text = f'{address}: addresses with {scheme}:// require mmengine. Give a file instead'
        raise InputError(text) from None
    return CheckpointLoader.load_checkpoint(address, 'cpu')


def load_local_address(address: str) -> dict:
    """Read the file behind ``file://...``."""
    return load_file(unquote(urlparse(address).path))


def load_url(url: str, model_dir: str | None = None, progress: bool = True) -> dict:
    """Read the file that :func:`fetch_url` downloads."""
    return load_file(fetch_url(url, model_dir, progress=progress))


# ------------------------------------------------------------------------ files


def local(source: str | Path) -> str | Path:
    """Return the file of a name, ``hf-hub:OWNER/NAME`` or ``pip:PACKAGE/FILE``; else ``source``.

    A file of that name comes first, then weights that come with the package.

    Raises:
        InputError: as of :func:`fetch`.
    """
    text = str(source)
    if os.path.exists(text) or not (is_name(text) or text.startswith((SCHEME, PIP))):
        return source
    return included().get(text) or fetch(text)


def fetch(source: str) -> Path:
    """Return a local file of weights; download it if it is not cached.

    Args:
        source: a name in the table, ``hf-hub:OWNER/NAME`` (:func:`fetch_from_hub`),
            ``pip:PACKAGE/FILE`` (:func:`find_installed`), or an address such as
            ``https://...``.

    Raises:
        InputError: nothing was published by that name, it cannot be downloaded, or its package is
            not installed; the message says what else can be done.
    """
    if source.startswith(SCHEME):
        return fetch_from_hub(source)
    if source.startswith(PIP):
        return find_installed(source)
    if source.lower().startswith(WEB):
        return fetch_url(source)
    row = find(source)
    if row.url is None:
        raise InputError(f'{source}: only a browser can download it ({row.source}). {OTHERWISE}')
    try:
        if row.url.startswith(PIP):
            return find_installed(row.url, row.sha256 or '', EXTRA)
        return fetch_url(row.url, sha256=row.sha256)
    except InputError as error:
        copy = f' The hub has a copy: {SCHEME}{row.hf_hub}' if row.hf_hub else ''
        raise InputError(f'{error}{copy}') from error


def fetch_url(
    url: str, folder: str | Path | None = None, sha256: str | None = None, progress: bool = True
) -> Path:
    """Return the local file of a URL; download it if it is not cached.

    Of several processes one downloads, and the others wait.

    Args:
        url: http:// or https://.
        folder: where downloads are kept; by default, where torch.hub keeps its own.
        sha256: of the content, or its beginning; by default what the file's name says.
        progress: whether to show a bar.

    Raises:
        InputError: the address is not one of http or https or names no file, there is no connection
            or none is allowed, the content has another hash or cannot be read, or the folder cannot
            be written to. Nothing is kept.
    """
    if not url.lower().startswith(WEB):
        raise InputError(f'{url}: must begin with https:// or http://')
    file = place_of(url, folder)
    if file.exists():
        return file
    if is_offline():
        raise InputError(
            f'{url}: not downloaded, because HF_HUB_OFFLINE is set. Put the file at {file}.'
        )
    said = HASH.search(file.name)
    with fetching(url):
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f'{file}.lock'):
            if file.exists():  # another process was faster
                return file
            for left in file.parent.glob('.new*'):  # by a process that was killed
                left.unlink()
            new = file.with_name(f'.new{file.suffix}')
            _download(url, new, sha256 or (said and said[1]), progress)
            try:
                load_file(new)
            except InputError as error:
                new.unlink()
                raise InputError(f'{error} It came from {url} and was not saved.') from error
            os.replace(new, file)
    return file


def _download(url: str, file: Path, sha256: str | None, progress: bool) -> None:
    """Write an answer to ``file``, of not more bytes than the server says, or ``LARGEST``.

    Raises:
        ValueError: it has more or fewer bytes than that, or another hash. Nothing is kept.
        OSError: there is no answer, or the disk is full.
    """
    try:
        with urlopen(Request(url, headers={'User-Agent': 'torch.hub'})) as answer:
            said = answer.headers.get('Content-Length')
            hashed = hashlib.sha256()
            left = min(int(said or LARGEST), LARGEST)
            bar = tqdm(total=said and int(said), disable=not progress, unit='B', unit_scale=True)
            with bar, open(file, 'wb') as new:
                while chunk := answer.read(CHUNK):
                    left -= len(chunk)
                    if left < 0:
                        raise ValueError(f'the response has more than {said or LARGEST} bytes')
                    new.write(chunk)
                    hashed.update(chunk)
                    bar.update(len(chunk))
        if said and left:
            raise ValueError(f'the response ends {left} bytes too early')
        digest = hashed.hexdigest()
        if sha256 and not digest.startswith(sha256):
            raise ValueError(f'invalid hash value (expected "{sha256}", got "{digest}")')
    except BaseException:  # Ctrl-C as well
        file.unlink(missing_ok=True)
        raise


def place_of(url: str, folder: str | Path | None = None) -> Path:
    """Return where the file of a URL is cached; ``folder`` as in :func:`fetch_url`.

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


def fetch_from_hub(address: str) -> Path:
    """Return a local file of ``hf-hub:OWNER/NAME``; download it if it is not cached.

    Args:
        address: may end in ``@REVISION``, ``:FILE`` or both, in this order.

    Raises:
        InputError: the address is not of this form, huggingface_hub is not installed, or there is
            no such file, no permission or no connection.
    """
    match = HUB_ADDRESS.fullmatch(address)
    if match is None:
        raise InputError(
            f'{address}: must be hf-hub:OWNER/NAME, optionally followed by @REVISION or :FILE'
        )
    hub = import_optional('huggingface_hub', 'huggingface_hub')
    options = {'revision': match['revision'], 'local_files_only': is_offline()}
    names = (match['file'],) if match['file'] else FILES
    missing = None
    with fetching(address):
        for name in names:
            try:
                return Path(hub.hf_hub_download(match['repository'], name, **options))
            except hub.errors.RepositoryNotFoundError as error:
                text = 'no such repository, or it is private or gated. Sign in with "hf auth login"'
                raise InputError(f'{address}: {text}') from error
            except hub.errors.EntryNotFoundError as error:  # of a cache without connections, too
                missing = error
        raise FileNotFoundError(f'no {" or ".join(names)}: {missing}')


# ------------------------------------------------------------------------ installed packages


ADDRESS = re.compile(r'pip:(?P<package>\w[\w.-]*)/(?P<file>.*[^/])')


def find_installed(address: str, sha256: str = '', needed: str = '') -> Path:
    """Return the file of an address.

    Args:
        address: ``pip:PACKAGE/FILE``.
        sha256: of the content, or its beginning.
        needed: what pip installs the package by; by default its name.

    Raises:
        InputError: the address is not of this form, the package is not installed, or it has no
            such file or another content; the message has the command that solves it.
    """
    from importlib.metadata import distributions  # takes a while

    match = ADDRESS.fullmatch(address)
    if match is None:
        raise InputError(f'{address}: must be {PIP}PACKAGE/FILE')
    package, name = match.groups()
    install = f'pip install {needed or package}'
    found = [*distributions(name=package)]  # several, if pip was interrupted
    if not found:
        raise InputError(f'{address}: {package} is not installed. Install it with "{install}".')
    files = [each for part in found for each in part.files or ()]
    places = [Path(str(each.locate())) for each in files if f'/{each}'.endswith(f'/{name}')]
    file = next(filter(Path.is_file, places), None)
    digest = sha256_of(file) if file else ''
    if file and digest.startswith(sha256):
        return file
    problem = f'its file has the SHA-256 {digest}, not {sha256}' if file else 'it has no such file'
    raise InputError(
        f'{address}: {package} {found[0].version} is installed, but {problem}. Install it '
        f'again with "pip uninstall --yes {package} && {install}".'
    )


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of the content of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
