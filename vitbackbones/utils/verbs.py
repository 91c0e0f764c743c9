"""The commands of ``vitbackbones`` (its verbs), and how to write one for a user.

A clone works without installation: ``python -m vitbackbones COMMAND`` in its root, and for three
verbs a script in ``tools/``. A message names commands in the way in which the user has started
this one.
"""

import shlex
import sys
from pathlib import Path
from shutil import which
from typing import NamedTuple


class Verb(NamedTuple):
    """What ``vitbackbones COMMAND`` does.

    Attributes:
        place: ``'module:function'`` of ``vitbackbones.commands``. The module's ``add_arguments``
            describes the command line, its docstring says what options mean and ends with examples,
            and the function gets what was parsed.
        help: one line, in lower case and without a period.
    """

    place: str
    help: str

    @property
    def module(self) -> str:
        return self.place.partition(':')[0]


VERBS = {
    'train': Verb('train:train', 'train a model from a config, or test the config with --smoke'),
    'test': Verb('test:evaluate', 'evaluate a checkpoint with the metrics of its config'),
    'predict': Verb('predict:predict', 'run a model on images, folders and videos'),
    'serve': Verb('serve:serve', 'answer images over HTTP, with a page to try a model'),
    'export': Verb('export:export', 'write a model as a file for ONNX Runtime, OpenVINO or torch'),
    'sample': Verb('data.sample:sample', 'generate a small annotated dataset to try things on'),
    'check': Verb('data.check_dataset:check', 'check every file of a dataset before a run'),
    'browse': Verb('data.browse:browse', 'show images as training and evaluation see them'),
    'import': Verb('data.import_dataset:import_dataset', 'convert annotations from other formats'),
    'audit': Verb('data.audit:audit', 'find labels that are likely to be wrong, by training'),
    'convert': Verb('data.convert_dataset:convert', 'write annotations in other formats'),
    'analyze': Verb('analyze:analyze', 'plot the curves of several runs together'),
    'page': Verb('run_page:write', 'show a run on one page: curves, metrics and images'),
    'shards': Verb('data.make_shards:make_shards', 'write a classification dataset as tar shards'),
    'models': Verb('names.listing:models', 'list the models that can be created by name'),
    'configs': Verb('names.listing:configs', 'list the configs, with published numbers'),
    'weights': Verb('names.weights:weights', 'list and download published weights'),
    'publish': Verb(
        'names.publish:publish', 'write the weights and the model card of a trained run'
    ),
    'doctor': Verb('doctor:doctor', 'report what is wrong with the environment or a config'),
}
MOVED = {'compare': "; in a clone, type 'python tools/compare.py'"}  # early versions of 1.0
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
