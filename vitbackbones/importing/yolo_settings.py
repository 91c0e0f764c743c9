"""Classes and splits of a dataset in YOLO's form: what a YAML file or darknet's obj.data says."""

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..data.own.annotation_files import is_in_form
from ..data.own.folder import SPLIT_OF, lines_in, named_split, names_in_lines, own_words, read_text
from ..data.own.numbering import FILES
from ..errors import InputError
from ..utils.files import beginning, read_small
from ..utils.messages import command_line, cut, some
from .source import Source, by_name, meant

NAMES = (*FILES, '_classes.txt')  # one name in each line
NAMES_SUFFIXES = ('.names', '.labels')  # as of darknet's obj.names, Roboflow's _darknet.labels
DARKNET = '.data'
SETTINGS = ('.yaml', '.yml', DARKNET)  # suffixes
LARGEST = 2**18  # bytes; the names of 10000 classes take two thirds of it
NOTHING = ('', '~', 'null', 'None')  # values that say nothing
SAMPLE = 20  # lines of a list that are looked at
SHALLOWEST = 3  # parts of the path of a folder that is looked through


class Words(yaml.SafeLoader):
    """Leaves words as they are written: no, 010 and 12:30 are names as well."""

    yaml_implicit_resolvers = {'<': yaml.SafeLoader.yaml_implicit_resolvers['<']}  # merged keys

    def construct_mapping(self, node: Any, deep: bool = False) -> dict:
        keys = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
        if twice := [key for key, count in keys.items() if count > 1]:
            raise yaml.YAMLError(f'it contains {some(twice)} twice')
        return super().construct_mapping(node, deep)


def read_settings(file: Path) -> dict:
    """Return what a file says, all of it as text in lists and dictionaries.

    Raises:
        InputError: it cannot be read.
    """
    if file.suffix.lower() == DARKNET:
        rows = [line.split('=', 1) for line in read_text(file).splitlines() if '=' in line]
        return {key.strip(): value.strip() for key, value in rows}
    text = read_small(file, LARGEST)
    try:
        content = yaml.load(text, Words)  # makes no objects of other types
    except yaml.MarkedYAMLError as error:  # its text shows the lines, which one line cannot
        at = f' (line {error.problem_mark.line + 1})' if error.problem_mark else ''
        raise InputError(f'{file}: is not a readable YAML file: {error.problem}{at}') from error
    except Exception as error:  # yaml raises KeyError, IndexError ... where a tag does not fit
        raise InputError(f'{file}: is not a readable YAML file: {cut(str(error))}') from error
    return content if isinstance(content, dict) else {}


def folder_of(file: Path) -> Path:
    """Return the folder of a dataset whose YAML file is given.

    It is that of the file, or the one around the pictures to which the file leads.

    Raises:
        InputError: the file cannot be read, or leads to places without a folder of their own.
    """
    settings = read_settings(file)
    base = file.parent / _text(settings, 'path')
    places = []
    for _, text in _values(settings):
        place = Path(os.path.normpath(base / text))
        beside = text.lstrip('./')
        if place.suffix.lower() == '.txt' and os.path.isfile(place):
            lines = lines_in(place)[:SAMPLE]
            places += [Path(os.path.normpath(place.parent / line)) for line in lines]
        elif beside and 'path' not in settings and os.path.exists(file.parent / beside):
            return file.parent  # Roboflow writes .. before the folders beside the file
        else:
            places.append(place)
    places = [place for place in places if os.path.exists(place)]
    if not places or any(file.parent in place.parents for place in places):
        return file.parent
    common = Path(os.path.commonpath(places))
    while common.name and (common.is_file() or _says_nothing(common.name)):
        common = common.parent
    if len(common.parts) < SHALLOWEST or common == Path.home():
        raise InputError(
            f'{file}: leads to {some(places, str)}, which have only the folder {common} in '
            'common. Put them into a folder of their own.'
        )
    return common


def _says_nothing(name: str) -> bool:
    """Return whether the name of a folder has words of pictures, splits and years alone."""
    return all(word in SPLIT_OF or word.isdigit() for word in own_words(Path(name)))


@dataclass
class Told:
    """What a file says of the dataset in its folder."""

    file: Path
    settings: dict = field(default_factory=dict)
    names: list[str] = field(default_factory=list)  # of the classes, in their order
    claims: dict[Path, list[str]] = field(default_factory=dict)  # splits of pictures it leads to
    lists: set[Path] = field(default_factory=set)  # text files that were followed
    missing: list[str] = field(default_factory=list)  # what leads to no picture


def find_told(source: Source) -> Told:
    """Return what the YAML file that is meant says; of the folder alone, nothing.

    It is the one that names classes and leads to pictures, or else the uppermost that names
    classes, or else the one that leads to pictures.

    Raises:
        InputError: several files say different things, or the only one cannot be read.
    """
    if source.settings:
        return _read_told(source, source.settings)
    told, broken = [], {}
    for file in source.ending(*SETTINGS):
        try:
            told.append(_read_told(source, file))
        except InputError as error:
            broken[file] = error
    named = [each for each in told if each.names]
    for file, error in broken.items():
        if not named and b'names' in beginning(file):
            raise error
        source.change('unusable YAML files, left out', file)
    least = min((len(each.file.parts) for each in named), default=0)
    candidates = (
        [each for each in named if each.claims and 'download' not in each.settings]
        or [each for each in named if each.claims]
        or [each for each in named if len(each.file.parts) == least]
        or [each for each in told if each.claims]
        or [Told(source.root)]
    )
    chosen = candidates[0]
    if any((each.names, each.claims) != (chosen.names, chosen.claims) for each in candidates[1:]):
        files = some([each.file for each in candidates], str)
        command = command_line('import', 'yolo', str(chosen.file), 'OUT')
        raise InputError(
            f'{source.root}: {files} give different classes or splits. Give one of these files '
            f'instead of the folder, for example {command}.'
        )
    for each in named:
        if each not in candidates:
            source.change(f'YAML files besides {chosen.file.name}, left out', each.file)
    return chosen


def find_names(source: Source, told: Told) -> list[str]:
    """Return the names of the classes, [] where nothing tells them.

    Raises:
        InputError: several files tell different ones.
    """
    if source.names:
        return [*source.names]
    texts = [file for file in source.files if is_names(file)]
    if told.names:
        count = _text(told.settings, 'nc')
        if count not in (*NOTHING, str(len(told.names))):
            note = 'nc that differs from the number of names, not used'
            source.change(note, f'{told.file}: {cut(count)}')
        for file in texts:
            lines = map(str.strip, beginning(file).decode('utf-8', 'replace').splitlines())
            if [*filter(None, lines)] != told.names:
                source.change(f'text files with other names than {told.file.name}, not used', file)
        return told.names
    listed = {tuple(names_in_lines(file)) for file in texts}
    longest = max(listed, key=len, default=())
    # LabelImg writes a file into each folder, and adds names where they are used first
    if any(longest[: len(names)] != names for names in listed):
        raise InputError(
            f'{source.root}: {some(texts, str)} name different classes. Import each folder '
            'separately, or give the names in the order of their numbers: --names cat dog.'
        )
    return [*longest]


def is_names(file: Path) -> bool:
    """Return whether a file names classes, by its name and as it has no labels."""
    return (file.name in NAMES or file.suffix in NAMES_SUFFIXES) and not is_label(file)


def is_label(file: Path) -> bool:
    """Return whether a text begins with a line of a label file."""
    return is_in_form('yolo', file)


def _read_told(source: Source, file: Path) -> Told:
    settings = read_settings(file)
    told = Told(file, settings, [] if source.names else _names(source, file, settings))
    _follow(source, told)
    return told


def _names(source: Source, file: Path, settings: dict) -> list[str]:
    """Return the names in a YAML file or in the text to which it leads, [] without any."""
    names = settings.get('names', '')
    if isinstance(names, str):
        text = meant(names, (file.parent, source.root), by_name(source.files))
        if names in NOTHING or text:
            return names_in_lines(text) if text else []
    if isinstance(names, dict) and {*names} == {str(number) for number in range(len(names))}:
        names = [names[str(number)] for number in range(len(names))]
    if isinstance(names, list) and names and all(isinstance(name, str) for name in names):
        names = [name.strip() for name in names]
        if len({*names, ''}) > len(names):
            return names
    raise InputError(
        f'{file}: names must be a list of different names, or give one name for each number from '
        f'0. It has {_in_short(names)}.'
    )


def _in_short(names: Any) -> str:
    """Return what is wrong with names, for a message."""
    if isinstance(names, dict):
        return f'names for {some(names, str)}'
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        wrong = [name for name, count in Counter(names).items() if count > 1 or not name]
        return f'empty or equal names: {some(wrong)}' if wrong else 'none'
    return cut(names)


def _follow(source: Source, told: Told) -> None:
    """Find the pictures of each split: in a folder, in a list of paths, or in several of these."""
    folders = {picture.parent for picture in source.pictures}
    folders |= {up for folder in folders for up in folder.parents if up.is_relative_to(source.root)}
    beside = told.file.parent.glob('*.txt') if source.settings else ()
    places = by_name({*folders, *source.ending('.txt'), *beside})
    for split, text in _values(told.settings):
        place = source.root
        if text.strip('./\\'):
            place = meant(text, _bases(source, told), places)
        found = place and named_split(os.path.relpath(place, source.root))
        if not place or (found and named_split(text) not in (None, found)):  # an end alone agrees
            told.missing.append(f'{told.file}, {split}: {cut(text)}')
        elif place.suffix.lower() == '.txt':
            add_list(source, told, place, split)
        else:
            for picture in source.pictures:
                if place in picture.parents:
                    told.claims.setdefault(picture, []).append(split)


def add_list(source: Source, told: Told, file: Path, split: str) -> None:
    """Add the pictures that a text file names for a split, one path in each line."""
    told.lists.add(file)
    pictures = by_name(source.pictures)
    for line in lines_in(file):
        if picture := meant(line, [file.parent, *_bases(source, told)], pictures):
            told.claims.setdefault(picture, []).append(split)
        else:
            told.missing.append(f'{file}: {cut(line)}')


def _bases(source: Source, told: Told) -> list[Path]:
    """Return the folders from which paths may start."""
    folder = told.file.parent
    return [folder / _text(told.settings, 'path'), folder, source.root]


def _values(settings: dict) -> list[tuple[str, str]]:
    """Return the splits that settings name, each with the text of one place."""
    return [
        (split, text)
        for word, split in SPLIT_OF.items()
        for text in _as_list(settings.get(word))
        if isinstance(text, str) and text not in NOTHING
    ]


def _text(settings: dict, key: str) -> str:
    value = settings.get(key, '')
    return value if isinstance(value, str) else ''


def _as_list(value: Any) -> list:
    return value if isinstance(value, list) else [value]
