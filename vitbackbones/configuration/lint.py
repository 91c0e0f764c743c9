"""Unknown keys and wrong values of a config stop the run before anything is built.

mmengine ignores a misspelled top-level key (``trian_cfg``) without a word and lets a misspelled
keyword surface as a ``TypeError`` out of the middle of a library, some only after an epoch. Here
each dict with a ``type`` is held against the signature of what it names, and all values against
:mod:`~vitbackbones.configuration.schema`.
"""

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from mmengine.config import Config
from mmengine.runner import Runner
from torch.utils.data import DataLoader

from ..backbones.shared.starting import InitCfgMixin
from ..errors import InputError
from ..registry import SCOPE, bare_name
from ..utils.messages import cut, did_you_mean
from ..utils.signatures import ANY, accepted_keywords, keywords_by_name, kinds_of
from .lookup import Lookup
from .schema import misfits
from .settings import entries, walk

# What a runner reads: its arguments, and the keys that it looks up in the config itself.
RUNNER_KEYS = accepted_keywords(Runner) - {'cfg'} | {
    *('activation_checkpointing', 'compile', 'custom_imports', 'efficient_conv_bn_eval'),
    *('find_unused_parameters', 'model_wrapper_cfg', 'strategy', 'sync_bn'),
}
# By --freeze, --lora, --fsdp and --data-root, and by test --tta.
READ_KEYS = RUNNER_KEYS | {'frozen', 'lora', 'fsdp', 'own_data', 'tta_model', 'tta_pipeline'}

# What cannot be changed on the command line, and what can be done instead.
INSTEAD = {
    'data_root': '; use --data-root',
    'custom_imports': '; it is read together with the file, so set it there',
}

# Keys of dicts, by their places in ``known_keys.csv``.
KNOWN: dict[str, dict[str, set[str]]] = {}
with open(Path(__file__).with_name('known_keys.csv'), newline='', encoding='utf-8') as _rows:
    for _row in csv.DictReader(_rows):
        KNOWN.setdefault(_row['table'], {})[_row['place']] = {*_row['keys'].split()}

# Dicts without a type whose keys are read one by one: a misspelled one would have no effect.
PARAMWISE = 'optim_wrapper.paramwise_cfg'
DATALOADER = accepted_keywords(DataLoader) | {'disable_subprocess_warning', 'num_batch_per_epoch'}
LOADERS = ('train_dataloader', 'val_dataloader', 'test_dataloader')
PLAIN_DICTS = KNOWN['plain'] | dict.fromkeys(LOADERS, DATALOADER)
# Dicts that a class reads key by key. Of other people's classes they are some of the keys, so only
# what looks like one of them is taken for misspelled. Of some classes they are all.
SETTINGS = KNOWN['some']
COMPLETE = KNOWN['all']
# Keys that a builder takes out before the class sees the rest, by kind of registry.
BUILDER_KEYS = KNOWN['builder']

# Dicts whose type is implied where it is left out.
DEFAULT_TYPES = {
    'val_cfg': 'ValLoop',
    'test_cfg': 'TestLoop',
    'log_processor': 'LogProcessor',
    'optim_wrapper': 'OptimWrapper',
}

PLACEHOLDER = re.compile(r'\{\{\s*[$\w].*\}\}')  # of mmengine

# Which registries know what stands in a part of a config; a name of another kind is no hint there.
KINDS = {
    '.pipeline': ('transform',),
    'hooks': ('hook',),
    'evaluator': ('metric', 'evaluator'),
    'model': ('model', 'task util', 'weight initializer'),
}

NOT_REGISTERED = 'is not registered in'

ALWAYS = {'type', '_scope_', '_delete_'}

# Inside of these keys and types ``type`` means something else than a registered name.
FOREIGN = {'metainfo', 'roi_layer', 'dcn', 'Albu'}


def lint(config: Config, options: Iterable[str] = ()) -> None:
    """Check every key that a runner will read, and the keys given as ``--cfg-options``.

    Raises:
        InputError: all unknown keys and types, each with the nearest known ones, and all values
            that cannot be meant.
    """
    wrong = []
    for option in options:
        section = option.partition('.')[0]
        if section not in READ_KEYS or section in INSTEAD:
            places = [f'{place}.{section}' for place, node in dicts(config) if section in node]
            places.sort(key=lambda place: (not place.startswith('train'), len(place)))
            meant = f'; did you mean {places[0]!r}?' if places else ''
            hint = INSTEAD.get(section) or meant or did_you_mean(section, READ_KEYS)
            said = f'{section} is not a setting of a run, so it has no effect{hint}'
            wrong.append(f'--cfg-options {option}: {said}')
    for key in sorted(set(config) - READ_KEYS):  # variables may have any name but a near one
        known = [section for section in RUNNER_KEYS if not key.startswith(f'{section}_')]
        if hint := did_you_mean(key, known, most=1, cutoff=0.85):
            wrong.append(f'{key}: unknown key{hint}')
    for place, text in walk(config):
        if isinstance(text, str) and PLACEHOLDER.search(text):
            wrong.append(
                f'{place}: is {cut(text)}, which nothing has replaced; an environment variable '
                'needs a default, such as {{$NAME:default}}'
            )
    walked: list[str] = []
    if config.get('default_scope') is None or isinstance(config.default_scope, str):
        lookup = Lookup(config.get('default_scope') or 'mmengine')
        for key in sorted(READ_KEYS & set(config)):
            walked += _walk(lookup, config, key, config[key])
    # an unknown class has values of its own
    unknown = {each.partition('.type: ')[0] for each in walked if NOT_REGISTERED in each}
    known = [each for each in misfits(config) if _owner(each) not in unknown]
    report(config, [*wrong, *known, *walked])


def _owner(finding: str) -> str:
    return finding.partition(': ')[0].rpartition('.')[0]


def report(config: Config, findings: Iterable[str]) -> None:
    """Raise all findings as one message, of those about one key the first.

    Raises:
        InputError: there are any.
    """
    by_key: dict[str, str] = {}
    for finding in findings:
        by_key.setdefault(finding.partition(': ')[0], finding)
    if by_key:
        raise InputError('\n  '.join([f'{config.filename}:', *by_key.values()]))


def _walk(lookup: Lookup, config: Config, path: str, node, owner: str = '') -> Iterator[str]:
    """Yield findings in ``node``, which stands at ``path`` inside a dict of type ``owner``."""
    if isinstance(node, dict):
        plain = PLAIN_DICTS.get(path, ANY)
        if path.startswith(f'{PARAMWISE}.custom_keys.'):
            plain = {'lr_mult', 'decay_mult', 'lars_exclude', 'fix_lr'}
        if path.startswith(PARAMWISE) and 'constructor' in config.optim_wrapper:
            plain = ANY  # another constructor has options of its own
        kind = '' if plain else node.get('type') or _implied_type(lookup, path, node, owner)
        if kind and not isinstance(kind, str) and not callable(kind):
            yield f'{path}.type: is {cut(kind)}, but it must be a name or a class'
            return
        if kind:
            yield from _check_typed(lookup, path, node, kind, owner)
        elif plain is not ANY:
            yield from _unknown(path, node, plain)
        for key in SETTINGS.keys() & node.keys():
            if not isinstance(node[key], dict):
                continue
            if known := COMPLETE.get(f'{bare_name(kind)}.{key}'):
                yield from _unknown(f'{path}.{key}', node[key], known)
                continue
            for name in sorted(map(str, node[key].keys() - SETTINGS[key])):
                if hint := did_you_mean(name.lower(), SETTINGS[key], most=1, cutoff=0.85):
                    yield f'{path}.{key}.{name}: unknown key{hint}'
        items = [(key, value) for key, value in node.items() if not {key, kind} & FOREIGN]
    else:
        kind = owner
        items = entries(node)
    for key, value in items:
        yield from _walk(lookup, config, f'{path}.{key}', value, kind)


def _implied_type(lookup: Lookup, path: str, node: dict, owner: str) -> str:
    if path == 'train_cfg':
        return 'EpochBasedTrainLoop' if node.get('by_epoch') else 'IterBasedTrainLoop'
    name = path.rpartition('.')[2]
    if name == 'recursion':
        return 'Recursion'
    if name.endswith(('attention', 'shortcut', 'stem')) and isinstance(owner, str):
        hosts = [host for host in lookup.find(owner).values() if hasattr(host, 'default_parts')]
        return hosts[0].default_parts.get(name, {}).get('type', '') if hosts else ''
    return DEFAULT_TYPES.get(path, '')


def _check_typed(lookup: Lookup, path: str, node: dict, kind, owner) -> Iterator[str]:
    found = lookup.find(kind) if isinstance(kind, str) else {'': kind}
    if kind == 'Pretrained':  # in an ``init_cfg`` of our classes, which read it so
        owners = lookup.find(owner).values() if isinstance(owner, str) else [owner]
        derived = any(isinstance(c, type) and issubclass(c, InitCfgMixin) for c in owners)
        if derived or str(owner).startswith(SCOPE):
            found = lookup.find(f'{SCOPE}.{kind}')
    if not found:
        bare = bare_name(kind).lower()
        known = lookup.spellings()
        # a mode of its owner, such as 'nms'
        mode = kind.islower() and (path.startswith('model.') or bare not in known)
        if not mode:
            kinds = next((kinds for part, kinds in KINDS.items() if part in path), ())
            hint = did_you_mean(bare, lookup.spellings(kinds))
            yield f'{path}.type: {kind!r} {NOT_REGISTERED} {lookup.scope} or {SCOPE}{hint}'
        return
    yield from _no_text(path, node, found.values())
    keywords = [accepted_keywords(target) for target in found.values()]
    if ANY not in keywords:
        tolerated = set().union(*(BUILDER_KEYS.get(registry, ()) for registry in found))
        tolerated |= {'by_epoch'} if path == 'train_cfg' else set()
        tolerated |= {'location'} if path.endswith('shortcut') else set()  # for build_shortcut
        yield from _unknown(path, node, set().union(*keywords), tolerated, f' of {kind}')


def _no_text(path: str, node: dict, targets: Iterable[Callable]) -> Iterator[str]:
    """Yield findings for text where all ``targets`` take a number, or True or False."""
    for key in [key for key, value in node.items() if isinstance(value, str)]:
        known = [keywords_by_name(target).get(key) for target in targets]
        kinds = [kinds_of(parameter) for parameter in known if parameter]
        if kinds and len(kinds) == len(known) and all(k and k <= {bool, int, float} for k in kinds):
            needed = 'True or False' if kinds[0] == {bool} else 'a number'
            yield f'{path}.{key}: is {cut(node[key])}, but it must be {needed}'


def _unknown(
    path: str, node: dict, known: set[str], tolerated: Iterable[str] = (), owner: str = ''
) -> Iterator[str]:
    for key in sorted(set(node) - known - ALWAYS - set(tolerated)):
        hint = did_you_mean(key, known) or f'; known: {", ".join(sorted(known))}'
        yield f'{path}.{key}: unknown key{owner}{hint}'


def dicts(node, key: str = '') -> Iterator[tuple[str, dict]]:
    """Yield all dicts in the sections of a config that a runner reads, with their keys."""
    if key and isinstance(node, dict):
        yield key, node
    for name, value in entries(node):
        if key or name in READ_KEYS:
            yield from dicts(value, f'{key}.{name}' if key else name)
