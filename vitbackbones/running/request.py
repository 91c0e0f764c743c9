"""What a run is asked for: the words of the commands ``train`` and ``test``, as typed fields.

A command makes a request of its command line, Python of keyword arguments (:func:`request_of`). The
fields have the names of the options.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from ..configuration.settings import as_list
from ..errors import InputError
from ..preparing.backbone import KEY as BACKBONE
from ..training.find_checkpoint import LATEST
from ..utils.messages import did_you_mean

LAUNCHERS = ('none', 'pytorch', 'slurm')
Kind = TypeVar('Kind', bound='RunRequest')


@dataclass(frozen=True)
class RunRequest:
    """What training and testing have in common.

    Attributes:
        config: name or file of a config.
        work_dir: where logs and checkpoints go; None for ``work_dirs/<config name>``.
        data_root: folder of the dataset, in place of the one that the config names.
        annotations, pictures, masks: which files of ``data_root`` are meant.
        backbone: name of a backbone, in place of the config's.
        cfg_options: key -> value, changes of the config.
        launcher: what has started the processes of the run.
        local_rank: of this process, where a launcher passes it on.

    Raises:
        InputError: a value is not one that the option takes, or two options exclude each other.
    """

    config: str
    _: KW_ONLY
    work_dir: str | None = None
    data_root: str | None = None
    annotations: tuple[str, ...] = ()
    pictures: str | None = None
    masks: str | None = None
    backbone: str | None = None
    cfg_options: Mapping[str, Any] = field(default_factory=dict)
    launcher: str = 'none'
    local_rank: int = 0

    def __post_init__(self) -> None:
        self.require_one_of('launcher', LAUNCHERS)

    @property
    def changes(self) -> dict[str, Any]:
        """All changes of the config, a backbone first: others may change what it is."""
        first = {BACKBONE: self.backbone} if self.backbone else {}
        return {**first, **self.cfg_options}

    @property
    def meant_files(self) -> dict[str, Any]:
        """Which files of ``data_root`` are meant, by the names of the options."""
        return {'annotations': self.annotations, 'pictures': self.pictures, 'masks': self.masks}

    def given(self) -> dict[str, Any]:
        """Return the options that are not at their defaults, by name."""
        given = {}
        for each in fields(self):
            default = {} if each.default is MISSING else each.default
            value = getattr(self, each.name)
            if each.kw_only and value != default:
                given[each.name] = value
        return given

    def words(self, *names: str) -> list[str]:
        """Return the words of a command line that gives these options, or all that are given."""
        words = []
        for name, value in self.given().items():
            if not names or name in names:
                words += [_option(name), *_values(value)]
        return words

    def require_one_of(self, name: str, choices: tuple[str, ...]) -> None:
        for value in as_list(self.given().get(name, ())):
            if value not in choices:
                raise InputError(f'{_option(name)} {value}: must be one of {", ".join(choices)}')

    def require_at_least(self, least: int, *names: str) -> None:
        for name in self.given().keys() & {*names}:
            value = getattr(self, name)
            if value < least:
                raise InputError(f'{_option(name)} {value}: must be at least {least}')

    def require_apart(self, *names: str) -> None:
        both = [_option(name) for name in names if name in self.given()]
        if len(both) > 1:
            raise InputError(f'{" and ".join(both)} exclude each other; leave one out')


def request_of(kind: type[Kind], *positional: str | Path, **options: Any) -> Kind:
    """Return the request of a call from Python: paths may be ``Path``, one of several stands alone.

    Raises:
        InputError: there is no such option, or as the requests say.
    """
    known = [each.name for each in fields(kind)]
    for name in options:
        if name not in known:
            raise InputError(f'{name}: there is no such option{did_you_mean(name, known)}')
    if options.get('resume') is True:
        options['resume'] = LATEST
    for name in ('annotations', 'track'):
        if name in options:
            options[name] = tuple(map(_plain, as_list(options[name] or ())))
    plain = {name: _plain(value) for name, value in options.items()}
    return kind(*map(_plain, positional), **plain)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else value


def _option(name: str) -> str:
    return f'--{name.replace("_", "-")}'


def _values(value: Any) -> list[str]:
    """Return what follows an option on a command line."""
    if value is True:
        return []
    if isinstance(value, Mapping):
        return [f'{key}={each}' for key, each in value.items()]
    return [str(each) for each in as_list(value)]
