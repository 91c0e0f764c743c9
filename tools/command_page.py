"""Write docs/commands.md: every verb with its arguments, from the parsers that read them.

python tools/command_page.py
"""

import sys
from argparse import Action, ArgumentParser
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones.commands.main import verb_parser
from vitbackbones.verbs import VERBS

TARGET = Path(__file__).resolve().parents[1] / 'docs' / 'commands.md'
INTRODUCTION = """\
# Commands

This page has all verbs of the command `vitbackbones`, with their arguments and examples.
Made by `python tools/command_page.py`; a test compares it with the parsers.

`vitbackbones VERB ...` is the one command. In a clone that is not installed, `python -m
vitbackbones VERB ...` is the same, and so are the scripts named below, from any directory.

- CONFIG is a name that `vitbackbones configs` lists, or a file; `vitbackbones copy-config NAME`
  makes one of your own.
- An unknown verb, option or config is refused with the nearest one, before anything is computed.
- The exit status is 0 for done, 2 for wrong input, 128 + n after signal n (130 for Ctrl-C), and 1
  for a bug, with a file to report it with.
- `vitbackbones toolbox` runs the scripts of mmdet, mmseg and mmpretrain, which work without mmcv's
  compiled extension then.

**Completion.** `pip install shtab`, then once

```bash
vitbackbones --print-completion bash > ~/.local/share/bash-completion/completions/vitbackbones
vitbackbones --print-completion zsh > ~/.zfunc/_vitbackbones      # a folder of $fpath
vitbackbones --print-completion tcsh > ~/.vitbackbones.csh        # source it in ~/.tcshrc
```

completes verbs, options, their choices and the names of configs.
"""


def page() -> str:
    """Return the text of the file."""
    return '\n'.join([INTRODUCTION, *(line for verb in VERBS for line in _section(verb))])


def _section(verb: str) -> Iterator[str]:
    parser, entry = verb_parser(verb), VERBS[verb]
    script = TARGET.parents[1] / 'tools' / f'{entry.module}.py'
    also = f' Also `python tools/{script.name}`.' if script.is_file() else ''
    prog = f'vitbackbones {verb}'
    yield f'## {verb}\n\n{entry.help[0].upper()}{entry.help[1:]}.{also}\n'
    yield f'| argument | what it is |\n| --- | --- |\n{_rows(parser, prog)}\n'
    yield f'```text\n{(parser.epilog % {"prog": prog}).rstrip()}\n```\n'


def _rows(parser: ArgumentParser, prog: str) -> str:
    actions = [action for action in parser._actions if action.dest not in ('help', 'local_rank')]
    return '\n'.join(f'| `{_name(a)}` | {_help(a, prog)} |' for a in actions)


def _name(action: Action) -> str:
    names = ', '.join(action.option_strings) or action.metavar or action.dest
    if not action.option_strings or action.nargs == 0:
        return names
    value = ' '.join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar
    value = value or (action.dest.upper() if not action.choices else '')
    return f'{names} {value}'.rstrip()


def _help(action: Action, prog: str) -> str:
    text = (action.help % {**vars(action), 'prog': prog}).replace('<', '&lt;')
    known = ', '.join(f'`{choice}`' for choice in action.choices or ())
    return f'{text}; one of {known}' if known else text


if __name__ == '__main__':
    ArgumentParser(description=__doc__).parse_args()
    TARGET.write_text(page())
