"""The runs of a study: the config, the folder and the commands of each."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from pprint import pformat

from mmengine.config import Config

from ...configuration.read import with_options
from ...errors import InputError
from ...results.analysis.run_log import value_after
from ...training.find_checkpoint import latest_checkpoint
from .study import Study

PROGRAM = [sys.executable, '-m', 'vitbackbones']


@dataclass(frozen=True)
class Run:
    """One training: a variant with a seed.

    Attributes:
        variant: the name of the variant.
        seed: of the run.
        folder: its work dir. Config and log lie beside it, where mmengine writes nothing.
        text: the config.
        metric: what counts.
        length: epochs or iterations.
        data_root: words that say where the data are.
    """

    variant: str
    seed: int
    folder: Path
    text: str
    metric: str
    length: int
    data_root: tuple[str, ...]

    @property
    def config(self) -> Path:
        return self.folder.with_suffix('.py')

    @property
    def log(self) -> Path:
        return self.folder.with_suffix('.log')

    def __str__(self) -> str:
        return f'{self.variant}, seed {self.seed}'

    def value(self) -> float | None:
        """Return the metric at the end, None if the run is not finished."""
        return value_after(self.folder, self.metric, self.length)

    def training(self) -> list[str]:
        """Return the command that starts the run, or goes on with it."""
        resume = ['--resume'] if latest_checkpoint(self.folder) else []
        return self._command('train') + resume

    def evaluation(self) -> list[str]:
        """Return the command for a run that was stopped between training and evaluation."""
        return self._command('test', self.folder)

    def _command(self, verb: str, *files: Path) -> list[str]:
        arguments = [self.config, *files, '--work-dir', self.folder, *self.data_root]
        return [*PROGRAM, verb, *map(str, arguments)]

    def require_same_settings(self) -> None:
        """Refuse to mix results of two configs in one table.

        Raises:
            InputError: the run was begun with other settings.
        """
        begun = self.folder.exists() and self.config.is_file()
        if begun and self.config.read_text() != self.text:
            raise InputError(
                f'{self.folder}: was begun with other settings ({self.config.name} beside it); '
                'remove it, or choose another --work-dir'
            )


def study_runs(
    study: Study, base: Config, folder: Path, data_root: Sequence[str] = ()
) -> Iterator[Run]:
    """Yield all runs, the first seed of every variant before the second of any.

    Args:
        study: what is to be run.
        base: its config without any variant.
        folder: where the runs go, each to VARIANT/seed_N.
        data_root: words that say where the data are.
    """
    configs = {
        name: with_options(base, variant.options) for name, variant in study.variants.items()
    }
    for seed in study.seeds:
        for name, config in configs.items():
            settings = config.to_dict()  # which needs no base
            settings['randomness'] = {**settings.get('randomness', {}), 'seed': seed}
            lines = [f'"""Study {study.name}: {name}, seed {seed}."""\n']
            lines += [f'{k} = {pformat(v, sort_dicts=False)}' for k, v in settings.items()]
            yield Run(
                name,
                seed,
                folder / name / f'seed_{seed}',
                '\n'.join([*lines, '']),
                study.metric,
                study.length,
                tuple(data_root),
            )
