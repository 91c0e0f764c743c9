"""The command line ``vitbackbones COMMAND ...``.

Only the modules of the given command are imported, and what computes only after its arguments
were read, so that lists, help and mistakes of typing appear at once.
"""

import os
import re
import shlex
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from itertools import zip_longest
from types import ModuleType

from ..configuration.doctor import import_needed
from ..utils.messages import command, did_you_mean, page, program
from ..utils.process_settings import print_any_letter, sleep_soon
from ..utils.started import started
from ..utils.verbs import MOVED, VERBS
from ..version import __version__
from .cli import option_texts
from .ending import run
from .other_words import advice

DESCRIPTION = """\
Vision-transformer backbones for detection, segmentation and classification.

commands:
"""
PAGES = re.compile(r'docs/([\w/]+)\.md')
EPILOG = "'%(prog)s COMMAND --help' shows the arguments of a command, with examples."


class Parser(ArgumentParser):
    """Says what an unknown option may be meant to be."""

    def parse_args(self, args=None, namespace=None) -> Namespace:
        for word in args or ():
            if not word or (word.startswith('--') and word.find('=') == len(word) - 1):
                self.error(f'an argument is empty (is a variable not set?): {shlex.join(args)}')
        options, unknown = self.parse_known_args(self._completed(args), namespace)
        known = [
            name for each in self._actions for name in each.option_strings or [str(each.metavar)]
        ]
        places = [vars(options).get(name) for name in ('config', 'checkpoint')]
        words = map(str, [*places, *(vars(options).get('inputs') or ())])
        # such as "imgsz=640" in the place of a config or an image
        unknown[:0] = [w for w in words if advice([w], known) and not os.path.exists(w)]
        if unknown:
            word = next((word for word in unknown if word.startswith('-')), unknown[0])
            hint = advice(unknown, known) or did_you_mean(
                word.partition('=')[0], known, cutoff=0.65
            )
            if '--data-root' in known and os.path.isdir(word):
                hint = '; give a folder of data with --data-root'
            self.error(f'unrecognized arguments: {shlex.join(unknown)}{hint}')
        return options

    def _completed(self, args: Sequence[str] | None) -> list[str] | None:
        """Give an option its default value where a word follows it that is none of its choices.

        argparse takes the word for a wrong choice: ``import masks --instances FOLDER OUT``.
        """
        if args is None:
            return None
        optional = {
            name: action
            for action in self._actions
            for name in action.option_strings
            if action.nargs == '?' and action.choices
        }
        completed = []
        for word, following in zip_longest(args, args[1:]):
            action = optional.get(word)
            is_left = action and following is not None and following not in action.choices
            completed.append(f'{word}={action.const}' if is_left else word)
        return completed


def main() -> int:
    """Run the command line of this process and return its exit status."""
    word, *arguments = sys.argv[1:] or ['--help']
    if word in VERBS:
        return run_verb(word, arguments)
    listed = (f'  {name:<12} {verb.help}\n' for name, verb in VERBS.items())
    parser = Parser(
        prog=shlex.join(program()),
        usage='%(prog)s COMMAND ...',
        description=DESCRIPTION + ''.join(listed),
        epilog=EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument('--version', action='version', version=f'vitbackbones {__version__}')
    if not word.startswith('-'):
        modules = {verb.module: name for name, verb in VERBS.items()}
        known = modules | {name: name for name in VERBS}
        hint = MOVED.get(word) or did_you_mean(word, known)
        hint = hint or f"; '{parser.prog} --help' lists the commands"
        parser.error(f'unknown command {word!r}{hint}')
    parser.parse_args([word, *arguments])
    return 0


def run_verb(verb: str, arguments: Sequence[str]) -> int:
    """Run one of ``VERBS`` with what follows it on the command line; return its exit status."""
    sleep_soon(os.environ)
    print_any_letter()

    def call() -> None:
        options = verb_parser(verb).parse_args(arguments)
        function = VERBS[verb].place.partition(':')[2]
        getattr(import_needed(f'commands.{VERBS[verb].module}', verb), function)(options)

    with started(is_command=True):
        return run(call)


def verb_parser(verb: str, kind: type[Parser] = Parser) -> Parser:
    """Return what reads the arguments of a verb.

    Raises:
        InputError: see :func:`module_of`.
    """
    text = VERBS[verb].help
    module = module_of(verb)
    parser = kind(
        prog=shlex.join(command(verb)),
        description=f'{text[0].upper()}{text[1:]}.',
        epilog=examples(module),
        formatter_class=RawDescriptionHelpFormatter,
        allow_abbrev=False,  # the command that continues a run is made from the arguments
    )
    module.add_arguments(parser)
    texts = option_texts(module.__doc__)
    for action in parser._actions:
        name = action.option_strings[0] if action.option_strings else action.dest
        action.help = action.help or texts[name]
    return parser


def examples(module: ModuleType) -> str:
    """Return the end of a verb's help: the docstring of its module, from the examples on.

    A page that is named there as ``docs/NAME.md`` is found in an installed wheel, too.
    """
    docstring = module.__doc__ or ''  # python -OO drops it
    start = docstring.find('\nexample') + 1
    return PAGES.sub(lambda page_name: page(page_name[1]), docstring[start:])


def module_of(verb: str) -> ModuleType:
    """Return the module of a verb's arguments, as :func:`import_needed` does."""
    return import_needed(f'commands.{VERBS[verb].arguments}', verb)
