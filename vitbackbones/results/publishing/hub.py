"""Uploading a folder to the Hugging Face hub, on request only."""

import re
from pathlib import Path

from ...errors import InputError
from ...utils.packages import import_optional

REPOSITORY = re.compile(r'[\w.-]+/[\w.-]+')


def require_access(repository: str) -> None:
    """Check what can be known before anything is written.

    Raises:
        InputError: the name is not OWNER/NAME, huggingface_hub is not installed, or nobody is
            logged in.
    """
    if not REPOSITORY.fullmatch(repository):
        raise InputError(f'--push {repository}: must be OWNER/NAME')
    hub = import_optional('huggingface_hub', 'huggingface_hub')
    if hub.get_token() is None:
        raise InputError(
            f'--push {repository}: nobody is logged in to the Hugging Face hub; log in with '
            '"hf auth login", or set HF_TOKEN'
        )


def push(folder: Path, repository: str, private: bool = False) -> str:
    """Upload a folder, to a repository that is created if need be, and return its address.

    With ``private`` a repository that is created is seen by its owner alone, whatever the settings
    of the owner say. What the hub had before stays in its history.

    Raises:
        InputError: the hub refuses, or cannot be reached.
    """
    hub = import_optional('huggingface_hub', 'huggingface_hub')
    try:
        api = hub.HfApi()
        # None leaves it to the owner's settings
        api.create_repo(repository, private=private or None, exist_ok=True)
        api.upload_folder(repo_id=repository, folder_path=str(folder))
    except Exception as error:  # of the hub and of whatever carries its connections
        reason = str(error).strip().partition('\n')[0] or type(error).__name__
        raise InputError(
            f'--push {repository}: {reason}. The folder {folder} is complete; try again with '
            f'"hf upload {repository} {folder}"'
        ) from error
    return f'https://huggingface.co/{repository}'
