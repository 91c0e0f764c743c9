"""Parts of messages: lists and values truncated, misspelled names, pages of the docs, commands."""

import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from shutil import which

from ..errors import InputError, printable
from .processes import process_rank

LONGEST = 60  # characters of a value
LONGEST_NAME = 120  # of a key or a class: longer than any that a person has written
ADDRESS = re.compile(r'<(?:\w+\.)*(\w+) object at 0x[0-9a-f]+>')  # how Python shows most objects


def some(items: Iterable, show: Callable[[object], str] = repr, most: int = 5) -> str:
    """Return the first ``most`` items, separated by commas, and how many more there are.

    >>> some('abcdefg')
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    items = list(items)
    more = f' and {len(items) - most} more' if len(items) > most else ''
    return ', '.join(map(show, items[:most])) + more


def shorten(keys: Iterable[str]) -> str:
    """Return the first eight keys or names of a list as :func:`some` does, without quotes.

    >>> shorten(['norm.weight', 'norm.bias'])
    'norm.weight, norm.bias'
    """
    return some(map(str, keys), _in_its_line, most=8)


def _in_its_line(name: str) -> str:
    """Return a name of a file as a part of one line, cut where it is endless."""
    text = printable(name[: LONGEST_NAME + 1], kept='')
    return text if len(name) <= LONGEST_NAME else f'{text[:LONGEST_NAME]}...'


def plural(count: int, noun: str) -> str:
    """Return a number and what is counted.

    >>> plural(1, 'picture'), plural(0, 'picture'), plural(2, 'fault')
    ('1 picture', '0 pictures', '2 faults')
    """
    return f'{count} {noun}{"" if count == 1 else "s"}'


def cut(value: object) -> str:
    """Return ``repr(value)``, with the middle left out where it is long.

    >>> cut('a' * 300)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaa...aaaaaaaaaaaaaaaaaaaaaaaaaaa'"
    """
    text = repr(value)
    half = (LONGEST - 3) // 2
    return text if len(text) <= LONGEST else f'{text[:half]}...{text[-half:]}'


def did_you_mean(
    word: str, known: Iterable[str] | Mapping[str, str], most: int = 3, cutoff: float = 0.6
) -> str:
    """Ask whether one of the known words was meant; '' if none is like ``word``.

    Args:
        word: what was written.
        known: the words that exist, or what to show for each of them.
        most: how many to show.
        cutoff: least likeness, from 0 (anything) to 1 (the same); see ``difflib``.

    >>> did_you_mean('modell', ['data', 'model', 'models'])
    "; did you mean 'model' or 'models'?"
    """
    near = get_close_matches(word, list(known), most, cutoff)
    shown = dict.fromkeys(known[each] for each in near) if isinstance(known, Mapping) else near
    return f'; did you mean {" or ".join(map(repr, shown))}?' if near else ''


def did_you_mean_path(missing: Path) -> str:
    """Ask whether a file or folder that exists was meant; '' if none has a name like it.

    Args:
        missing: a path; the first of its parts that is not there is compared with its neighbors.
    """
    missing = missing.absolute()
    try:
        gone = [part for part in (*reversed(missing.parents), missing) if not part.exists()]
        neighbors = [each.name for part in gone[:1] for each in part.parent.iterdir()]
    except OSError:  # the name is too long, or the folder is a file or may not be read
        return ''
    return did_you_mean(gone[0].name, neighbors) if neighbors else ''


def in_one_line(error: BaseException, longest: int | None = None) -> str:
    """Return what an error says in one line, cut behind ``longest`` characters if they are given.

    >>> in_one_line(ValueError('no\\n  pixels')), in_one_line(ValueError())
    ('no pixels', 'ValueError')
    >>> in_one_line(ValueError('no pixels'), 2)
    'no...'
    >>> in_one_line(ValueError('no place for <some.Thing object at 0x7f30e8c11750>'))
    'no place for Thing'
    """
    words = ADDRESS.sub(r'\1', str(error)).split()
    text = ' '.join(words) or type(error).__name__
    return text if longest is None or len(text) <= longest else f'{text[:longest]}...'


@contextmanager
def named_errors(what: str, longest: int | None = None) -> Iterator[None]:
    """Turn errors of any kind, as of another package, into an InputError that begins with ``what``.

    An InputError stays as it is. ``longest`` is that of :func:`in_one_line`.
    """
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        raise InputError(f'{what}: {in_one_line(error, longest)}') from error


def on_terminal() -> bool:
    """Return whether a person watches the output."""
    return sys.stdout.isatty()


INSTALLED = Path(__file__).resolve().parents[1] / '.mim' / 'docs'


def page(name: str) -> str:
    """Return a page as messages write it: ``docs/NAME.md``, or the whole path in a wheel."""
    file = INSTALLED / f'{name}.md'
    return str(file) if file.is_file() else f'docs/{name}.md'


def show_warnings(warnings: list[str]) -> None:
    """Print what deserves attention but stops nothing, one line each."""
    for warning in warnings if process_rank() == 0 else ():
        print(printable(f'warning: {warning}'), file=sys.stderr)  # it may name files and classes


# ------------------------------------------------------------------------ commands
# A clone works without installation: ``python -m vitbackbones COMMAND`` in its root, and for three
# verbs a script in ``tools/``. A message names commands in the way in which the user has started
# this one.

TOOLS = Path(__file__).resolve().parents[2] / 'tools'  # of a clone
MODULE = ('vitbackbones', '__main__.py')


def command(verb: str) -> list[str]:
    """Return the words that run a verb in the way in which this process was started."""
    started = Path(sys.argv[0])
    if started.suffix == '.py' and started.parent.resolve() == TOOLS:
        script = started.with_name(f'{verb}.py')
        return ['python', *([str(script)] if script.is_file() else ['-m', MODULE[0], verb])]
    if started.name == MODULE[0] or started.parts[-2:] == MODULE:
        return [*program(), verb]
    return ['vitbackbones', verb]


def command_line(verb: str, *arguments: object) -> str:
    """Return a command line for a message; see :func:`command`."""
    return shlex.join([*command(verb), *map(str, arguments)])


def program() -> list[str]:
    """Return the words that start the program of this process again; see :func:`command`."""
    started = Path(sys.argv[0])
    if started.parts[-2:] == MODULE:
        return ['python', '-m', MODULE[0]]
    if started.suffix == '.py':
        return ['python', str(started)]
    if which(started.name) == str(started):
        return [started.name]
    return [str(from_here(started))]  # of an environment that is not activated


def from_here(path: Path) -> Path:
    """Return a path as short as the current directory allows."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
