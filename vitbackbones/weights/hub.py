"""Weights on the Hugging Face hub, by ``hf-hub:OWNER/NAME``, in the cache of huggingface_hub."""

import re
from pathlib import Path

from ..errors import InputError
from .transfer import fetching, is_offline

SCHEME = 'hf-hub:'
ADDRESS = re.compile(
    r'hf-hub:(?P<repository>[\w.-]+/[\w.-]+)(@(?P<revision>[^:@]+))?(:(?P<file>[^:]+))?'
)
FILES = ('model.safetensors', 'pytorch_model.bin')  # of a repository, the first that it has


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
