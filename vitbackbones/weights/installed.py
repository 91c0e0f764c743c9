"""Weights in an installed Python package: ``pip:PACKAGE/FILE``, the end of a path in it.

The place of the file is in what pip noted when it installed the package. Nothing of the package is
imported, and its file is read like any other.
"""

import hashlib
import re
from pathlib import Path

from ..errors import InputError

SCHEME = 'pip:'
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
        raise InputError(f'{address}: must be {SCHEME}PACKAGE/FILE')
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
