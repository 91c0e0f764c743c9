"""Weights & Biases: one run there for all starts of a run here.

mmengine's backend begins a new run at each start and counts what it logs instead of iterations, so
that losses and evaluations are numbered together. The project, the name, the mode and all else are
those of wandb's own variables (``WANDB_PROJECT``, ``WANDB_NAME``, ``WANDB_MODE``, ...).
"""

import netrc
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from ..errors import InputError
from ..packages import import_optional
from .tracker import Start, Tracker
from .wandb_file import last_step

PROJECT = 'vitbackbones'
FIRST_HOST = 'api.wandb.ai'  # under which logins of earlier versions are kept
NO_UPLOAD = ('offline', 'dryrun', 'disabled')


class WeightsAndBiases(Tracker):
    """Logs to wandb's servers, or to a folder for ``wandb sync`` with ``WANDB_MODE=offline``."""

    @staticmethod
    def require() -> None:
        """Look for the package and a login.

        Raises:
            InputError: one is missing.
        """
        settings = import_optional('wandb', 'wandb').setup().settings
        if settings.mode not in NO_UPLOAD and not _is_logged_in(settings):
            raise InputError(
                'wandb: nobody is logged in. Type "wandb login" or set WANDB_API_KEY; '
                'WANDB_MODE=offline logs to the work dir alone.'
            )

    def start(self, start: Start) -> dict:
        import wandb

        known = start.known or {}
        self.work_dir = start.work_dir
        self.is_online = wandb.setup().settings.mode not in NO_UPLOAD
        self.run = wandb.init(
            project=os.environ.get('WANDB_PROJECT', PROJECT),
            name=os.environ.get('WANDB_NAME', start.name),
            dir=str(start.work_dir),
            id=known.get('id'),
            resume='allow' if self.is_online else None,
            config=start.settings,
            settings=wandb.Settings(console='off'),  # the progress bars are of no use there
        )
        file = Path(self.run.dir, 'config.py')
        file.write_text(start.config)
        self.run.save(str(file), base_path=self.run.dir, policy='now')
        return {'id': self.run.id, 'place': self.run.url if self.is_online else self.run.dir}

    def last(self) -> int:
        if self.is_online:
            return self.run.starting_step - 1
        return last_step(self.work_dir, self.run.id)

    def log(self, values: dict[str, float], iteration: int) -> None:
        self.run.log(values, step=iteration)

    def show(self, name: str, pixels: np.ndarray, iteration: int) -> None:
        import wandb

        self.run.log({name: wandb.Image(pixels)}, step=iteration)

    def finish(self, failed: bool) -> None:
        self.run.finish(exit_code=int(failed))


def _is_logged_in(settings) -> bool:
    """Return whether wandb finds a key without asking for it on the terminal."""
    if settings.api_key or settings.identity_token_file:
        return True
    hosts = [urlsplit(settings.base_url).netloc]
    if 'WANDB_BASE_URL' not in os.environ:
        hosts.append(FIRST_HOST)
    for file in (os.environ.get('NETRC'), '~/.netrc', '~/_netrc'):
        with suppress(OSError, netrc.NetrcParseError):
            known = netrc.netrc(Path(file).expanduser()).hosts if file else {}
            if any(host in known for host in hosts):
                return True
    return False
