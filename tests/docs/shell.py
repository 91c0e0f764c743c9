"""What is wrong with a shell command of a page, found without running it."""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

from vitbackbones.backbones.names import list_models
from vitbackbones.commands.main import verb_parser
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.names import find_config
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.export.runtime.runtimes import is_exported
from vitbackbones.utils.verbs import VERBS

from .pages import ROOT, Block

OUTPUT = re.compile(r'^\w+=\$\(.*\)$')
ASSIGNED = re.compile(r'[A-Z_a-z]+=')
INSIDE = re.compile(r'(?:configs|tools|docs|tests|vitbackbones)/[\w./-]+')
TARGETS = re.compile(r'^([\w-]+(?: [\w-]+)*):(?![=:])', re.MULTILINE)
# programs whose arguments are not looked at
OTHERS = {'.', 'apt-get', 'cat', 'cd', 'docker', 'git', 'ls', 'mkdir'}


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


def options_faults(block: Block, verbs: list[str]) -> Iterator[str]:
    """Yield the options of a list that no verb of its page takes."""
    known = {
        name
        for verb in verbs
        for action in verb_parser(verb)._actions
        for name in action.option_strings
    }
    for line in block.text.splitlines():
        name = line.split()[0]
        if name.startswith('--') and name not in known:
            yield f'{block.place}: {name} is an option of none of {", ".join(verbs)}'


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
    elif program == 'bash' or INSIDE.fullmatch(program):
        look_at_script(words)
    else:
        assert program in OTHERS, f'{program} is not a program that this test knows'


def look_at_python(arguments: list[str]) -> None:
    first, *rest = arguments
    if first == '-m' and rest[0] == 'vitbackbones':
        look_at_verb(*rest[1:])
    elif first == '-m' and rest[0] == 'torch.distributed.run':
        look_at_python(rest[rest.index('-m') :])
    elif first == '-m':
        path = ROOT.joinpath(*rest[0].split('.'))
        there = path.with_suffix('.py').is_file() or (path / '__main__.py').is_file()
        assert there or rest[0] in ('pip', 'venv', 'pytest', 'mkdocs')
    elif Path(first).stem in VERBS:
        look_at_verb(Path(first).stem, *rest)
    else:
        assert INSIDE.fullmatch(first), f'{first} is no script of the project'


def look_at_script(words: list[str]) -> None:
    """A script of ``tools/``: what it hands on goes to the verb that it is about."""
    words = [word for word in words if word != 'bash']
    if words[0] == 'tools/dist_train.sh':
        look_at_verb('train', words[1], *words[3:])


def look_at_make(arguments: list[str]) -> None:
    targets = {name for line in TARGETS.findall(makefile()) for name in line.split()}
    for word in arguments:
        assert '=' in word or word in targets, f'the Makefile has no target {word}'


def makefile() -> str:
    return (ROOT / 'Makefile').read_text()


def look_at_extras(arguments: list[str]) -> None:
    """Of ``pip install 'vitbackbones[onedl]'``: the extra is one of setup.py."""
    known = set(re.findall(r"^    '(\w+)': ", (ROOT / 'setup.py').read_text(), re.MULTILINE))
    for names in re.findall(r'(?:vitbackbones|\.)\[([\w,]+)\]', ' '.join(arguments)):
        assert {*names.split(',')} <= known, f'setup.py has no extra {names}'


def look_at_verb(verb: str, *arguments: str) -> None:
    if verb.startswith('--'):
        assert verb in ('--help', '--version')
        return
    if verb == 'VERB':
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
