"""What is wrong with a shell command of a page, found without running it."""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

from tools.compare import read_arguments
from vitbackbones.backbones.names import list_models
from vitbackbones.commands.main import verb_parser
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.names import find_config
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.runtime.runtimes import is_exported
from vitbackbones.utils.verbs import VERBS

from ..test_setup import project
from .pages import ROOT

OUTPUT = re.compile(r'^\w+=\$\(.*\)$')
ASSIGNED = re.compile(r'[A-Z_a-z]+=')
INSIDE = re.compile(r'(?:configs|tools|docs|tests|vitbackbones)/[\w./-]+')
TARGETS = re.compile(r'^([\w-]+(?: [\w-]+)*):(?![=:])', re.MULTILINE)
# programs whose arguments are not looked at
OTHERS = {'.', 'apt-get', 'benchmark_app', 'cat', 'cd', 'curl', 'docker', 'git', 'ls', 'mkdir'}


def faults(place: str, text: str) -> Iterator[str]:
    """Yield what is wrong with the commands of a text."""
    for words in commands(text):
        try:
            look(words)
        except (InputError, AssertionError) as error:
            yield f'{place}: {shlex.join(words)}: {error}'


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command, without assignments before it."""
    for line in text.replace('\\\n', ' ').splitlines():
        words = shlex.split(OUTPUT.sub('', line), comments=True)
        while words and ASSIGNED.match(words[0]):
            words.pop(0)
        if words:
            yield words


def look(words: list[str]) -> None:
    """Raise for a command that cannot work."""
    for path in filter(INSIDE.fullmatch, words):
        assert (ROOT / path).exists(), f'{path} is not there'
    program, *arguments = words
    program = program.lstrip('!').removeprefix('.venv/bin/')  # of a notebook, of a clone
    if program == 'python':
        look_at_python(arguments)
    elif program == 'vitbackbones':
        look_at_verb(*arguments)
    elif program == 'make':
        look_at_make(arguments)
    elif program == 'pip':
        look_at_extras(arguments)
    elif program == 'bash':
        look(arguments)
    elif program == 'tools/dist_train.sh':
        look_at_verb('train', arguments[0], *arguments[2:])
    else:
        known = program in OTHERS or INSIDE.fullmatch(program)
        assert known, f'{program} is not a program that this test knows'


def look_at_python(arguments: list[str]) -> None:
    first, *rest = arguments
    if first == '-m' and rest[0] == 'vitbackbones':
        look_at_verb(*rest[1:])
    elif first == '-m' and rest[0] == 'torch.distributed.run':
        look_at_python(rest[rest.index('-m') :])
    elif first == '-m':
        path = ROOT.joinpath(*rest[0].split('.'))
        there = path.with_suffix('.py').is_file() or (path / '__main__.py').is_file()
        assert there or rest[0] in ('pip', 'venv', 'pytest')
    elif first == 'tools/compare.py':
        read_arguments(rest)
    elif Path(first).stem in VERBS:
        look_at_verb(Path(first).stem, *rest)
    else:
        assert INSIDE.fullmatch(first), f'{first} is no script of the project'


def look_at_make(arguments: list[str]) -> None:
    text = (ROOT / 'Makefile').read_text()
    targets = {name for line in TARGETS.findall(text) for name in line.split()}
    for word in arguments:
        assert '=' in word or word in targets, f'the Makefile has no target {word}'


def look_at_extras(arguments: list[str]) -> None:
    """Of ``pip install 'vitbackbones[onedl]'``: the extra is one of pyproject.toml."""
    known = project()['optional-dependencies']
    for names in re.findall(r'(?:vitbackbones|\.)\[([\w,]+)\]', ' '.join(arguments)):
        assert {*names.split(',')} <= known.keys(), f'pyproject.toml has no extra {names}'


def look_at_verb(verb: str, *arguments: str) -> None:
    if verb.startswith('--'):
        assert verb in ('--help', '--version')
        return
    if verb == 'COMMAND':
        return
    assert verb in VERBS, f'there is no verb {verb}'
    words = [word.strip('[]') for word in arguments if word not in ('...', '[...]', '>')]
    if '--help' in words:
        return
    said = StringIO()
    try:
        with redirect_stderr(said):
            options = verb_parser(verb).parse_args(words)
    except SystemExit as error:
        raise AssertionError(said.getvalue().strip().splitlines()[-1]) from error
    if verb != 'export' or options.config not in list_models():
        look_at_config(getattr(options, 'config', None), getattr(options, 'cfg_options', None))


def look_at_config(text: str | None, changes: dict | None) -> None:
    """A name is one of ours, and the changes are those that its config takes."""
    if text is None or text.isupper() or is_exported(text):
        return
    if text.endswith('.py') and not INSIDE.fullmatch(text):
        return
    config = find_config(text)
    assert config, f'there is no config {text}'
    if changes:
        lint(read_config(config, changes))
