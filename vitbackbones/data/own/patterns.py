"""Pictures and masks by patterns of their paths, ``--pictures`` and ``--masks``."""

import re
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ...utils.messages import some
from .pairing import EXAMPLE, Pairs, file_of, left_out, pictures_below


class Patterns(NamedTuple):
    """Which files are pictures and masks: paths with ``{}`` for the name that they share."""

    pictures: str
    masks: str

    @classmethod
    def of(cls, pictures: str | None, masks: str | None) -> 'Patterns | None':
        """Return those of two options, None without.

        Raises:
            InputError: one is given alone.
        """
        if pictures and masks:
            return cls(pictures, masks)
        if pictures or masks:
            raise InputError(f'--pictures and --masks: give both options, for example {EXAMPLE}')
        return None


def chosen_pairs(root: Path, patterns: Patterns) -> Pairs:
    """Pair the files of two patterns, in which ``*`` is a part of a name and ``**`` any folders.

    Raises:
        InputError: a pattern has no ``{}``, or no files, or two that have the same name.
    """
    files = pictures_below(root)
    sides = []
    options = ('--pictures', '--masks')
    for option, pattern in zip(options, patterns, strict=True):
        if pattern.count('{}') != 1:
            raise InputError(f'{option} {pattern}: requires one {{}} for the name, as in {EXAMPLE}')
    expressions = [_expression(pattern) for pattern in patterns]
    alike = expressions[0].groups == expressions[1].groups
    for option, pattern, expression in zip(options, patterns, expressions, strict=True):
        found = {}
        for file in files:
            match = expression.fullmatch(file.relative_to(root).as_posix())
            key = match and (match['name'], *(match.groups() if alike else ()))
            if key in found:
                raise InputError(
                    f'{option} {pattern}: matches both {found[key].path} and {file} for '
                    f'{match["name"]!r}. Add more of their folders or suffixes to the pattern.'
                )
            if match:
                found[key] = file_of(root, file)
        if not found:
            raise InputError(
                f'{option} {pattern}: no image in {root} matches. The folder contains '
                f'{some((file.relative_to(root) for file in files), str)}.'
            )
        sides.append(found)
    pictures, masks = sides
    pairs = Pairs([(file, masks[key]) for key, file in pictures.items() if key in masks])
    pairs.bare = [file.path for key, file in pictures.items() if key not in masks]
    pairs.notes = left_out(root, [file.path for key, file in masks.items() if key not in pictures])
    return pairs


def _expression(pattern: str) -> re.Pattern[str]:
    """Return what matches the paths of a pattern; only stars of folders are groups."""
    known = {'{}': '(?P<name>.+)', '**/': '(?:(.*)/)?', '**': '(.*)', '*': '([^/]*)'}
    folders, _, name = pattern.removeprefix('./').rpartition('/')
    parts = re.split(r'(\{\}|\*\*/?|\*)', f'{folders}/' if folders else '')
    expression = [known.get(part, re.escape(part)) for part in parts]
    for part in re.split(r'(\{\}|\*)', name):
        expression.append('[^/]*' if part == '*' else known.get(part, re.escape(part)))
    return re.compile(''.join(expression))
