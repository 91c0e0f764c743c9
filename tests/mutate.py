"""Change the package in one place at a time, and see whether a test fails.

python tests/mutate.py
python tests/mutate.py vitbackbones/layers --number 40 --seed 1

What no test sees is printed as ``file:line: old -> new``, at the end the share that was seen. A
survivor is a missing test, or a change that makes no difference. The same seed draws the same
changes. The clone stays as it is: a copy of it is changed. The toolboxes are imported once and
tests run in forks of that process, so a change costs seconds.
"""

import importlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import cache_from_source
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from mutations import Change, changes

ROOT = Path(__file__).resolve().parents[1]
PARTS = ['vitbackbones/layers', 'vitbackbones/weights', 'vitbackbones/training']
TOOLBOXES = ['mmengine.runner', 'mmdet.apis', 'mmseg.apis', 'mmpretrain.models', 'timm']
# What tests the files whose path begins so, besides the tests of the same name.
ALSO = {
    '__main__.py': ['commands/test_main.py'],
    'backbones': ['backbones', 'test_reference.py', 'test_golden.py'],
    'commands/analyze.py': ['commands/test_analyze.py', 'commands/test_analyze_runs.py'],
    'commands/benchmark': ['commands/test_benchmark.py'],
    'commands/names/copy_config.py': ['commands/names/test_configs.py'],
    'commands/predict.py': ['commands/predict'],
    'commands/run_page.py': ['commands/test_track.py'],
    'commands/smoke.py': ['test_run_configs.py', 'commands/test_end_to_end.py'],
    'commands/studies/study_runs.py': ['commands/studies/test_compare.py'],
    'commands/test.py': [
        'commands/test_classification.py',
        'commands/test_messages.py',
        'commands/test_end_to_end.py',
    ],
    'commands/train.py': ['commands/test_messages.py', 'commands/test_end_to_end.py'],
    'configuration/checks/agreement.py': ['configuration/checks/test_mistakes.py'],
    'configuration/checks/bug_report.py': ['commands/test_cli.py', 'commands/test_messages.py'],
    'configuration/checks/explain.py': [
        'configuration/checks/test_mistakes.py',
        'commands/test_messages.py',
    ],
    'configuration/checks/trial.py': ['configuration/checks/test_mistakes.py'],
    'configuration/checks/work_dir.py': ['commands/test_used_work_dir.py'],
    'configuration/lint.py': [
        'configuration/checks/test_mistakes.py',
        'commands/test_messages.py',
        'test_run_configs.py',
    ],
    'configuration/classes.py': ['commands/predict'],
    'configuration/schema.py': ['configuration/checks/test_mistakes.py'],
    'configuration/settings.py': ['configuration', 'test_run_configs.py'],
    'configuration/value_types.py': ['configuration/checks/test_mistakes.py'],
    'data/public_sets.py': ['test_colors.py'],
    'data/shapes': ['data/shapes'],
    'data/importing': ['data/importing', 'commands/data/test_import_dataset.py'],
    'data/loading/byte_tables.py': [
        'data/loading/test_rand_augment.py',
        'data/loading/test_segmentation_steps.py',
    ],
    'data/loading/given.py': ['commands/data/test_browse.py'],
    'data/loading/image_file.py': ['data/loading/test_load_image.py', 'commands/predict'],
    'data/loading/labels.py': ['data/loading/test_load_mask.py', 'inference/drawing/test_masks.py'],
    'errors.py': ['commands/test_cli.py', 'data/loading/test_load_image.py'],
    'export': ['export'],
    'export/formats.py': ['export/test_writing.py'],
    'export/in_test.py': ['commands/test_exported.py'],
    'export/runtime': ['export/runtime'],
    'inference/configured.py': [
        'commands/predict',
        'commands/test_export.py',
        'commands/test_analyze.py',
    ],
    'inference/journal.py': ['commands/predict'],
    'inference/open.py': ['commands/predict/test_exported.py', 'commands/test_export.py'],
    'inference/predictor.py': ['commands/predict'],
    'inference/run.py': ['commands/predict'],
    'inference/sources.py': ['commands/predict'],
    'inference/subjects.py': ['commands/test_analyze.py'],
    'inference/writers.py': ['commands/predict'],
    'layers': ['layers', 'test_golden.py', 'test_reference.py'],
    'layers/tokens_to_token.py': ['backbones/test_t2t.py'],
    'openmmlab': ['openmmlab', 'test_attacks.py'],
    'openmmlab/frames.py': [
        'configuration/test_read.py',
        'configuration/checks/test_explain.py',
    ],
    'openmmlab/runs.py': ['training/hooks/test_data_workers.py', 'commands/test_toolbox.py'],
    'registry.py': [
        'backbones/test_guest.py',
        'configuration/test_lookup.py',
        'commands/test_earlier_run.py',
    ],
    'results/analysis': ['results/analysis', 'commands/test_analyze.py'],
    'results/benchmark': ['results/benchmark', 'commands/test_benchmark.py'],
    'results/publishing': ['commands/weights/test_publish.py'],
    'results/report': ['results/report', 'commands/test_report.py'],
    'tasks': ['tasks', 'configuration/checks/test_agreement.py'],
    'tasks/detection/detr.py': ['weights/convert/test_detr.py'],
    'tasks/detection/agreement.py': ['configuration/checks/test_trial.py'],
    'tasks/detection/own_data.py': ['configuration/checks/test_own_data.py'],
    'tasks/maps.py': ['configuration/checks/test_trial.py'],
    'tasks/own_data.py': ['configuration/checks/test_own_data.py'],
    'tasks/segmentation/own_data.py': ['configuration/checks/test_own_data.py'],
    'training/dataset_proxy.py': [
        'training/hooks/test_exact_resume.py',
        'training/hooks/test_unreadable_images.py',
    ],
    'training/distributed.py': ['commands/test_messages.py'],
    'training/find_checkpoint.py': [
        'configuration/checks/test_work_dir.py',
        'commands/test_end_to_end.py',
        'commands/predict',
    ],
    'training/fsdp.py': ['training/test_distributed.py'],
    'training/hooks/data_workers.py': [
        'training/hooks/test_interrupt.py',
        'training/test_distributed.py',
    ],
    'training/hooks/ema.py': ['commands/test_weight_average.py'],
    'training/hooks/evaluation.py': [
        'tasks/classification/test_classifier.py',
        'training/test_distributed.py',
    ],
    'training/hooks/exact_resume.py': ['training/test_distributed.py'],
    'training/hooks/finite_loss.py': ['training/test_distributed.py'],
    'training/hooks/fitting_checkpoint.py': [
        'training/hooks/test_ema.py',
        'commands/test_messages.py',
    ],
    'training/hooks/interrupt.py': ['training/test_distributed.py'],
    'training/trackers': ['training/trackers', 'commands/test_track.py'],
    'training/views.py': ['commands/data/test_browse.py'],
    'utils/packages.py': [
        'export/runtime',
        'results/report/test_run_facts.py',
        'commands/test_cli.py',
    ],
    'utils/processes.py': ['training/test_cores.py', 'training/test_distributed.py'],
    'utils/signatures.py': ['configuration/checks/test_mistakes.py'],
    'weights/convert': ['weights/convert'],
    'weights/filling.py': ['weights', 'test_hand_over.py'],
    'weights/read': ['weights', 'weights/test_filling.py', 'test_attacks.py'],
}


def tests_of(file: str) -> list[str]:
    """The tests of a file of the package: first those of its own name, then those of ``ALSO``."""
    inside = Path(file).relative_to('vitbackbones')
    names = [str(inside.with_name(f'test_{inside.name}'))]
    names += [
        name for path, tests in ALSO.items() if str(inside).startswith(path) for name in tests
    ]
    return [f'tests/{name}' for name in dict.fromkeys(names) if Path('tests', name).exists()]


def survives(change: Change) -> bool:
    """Whether all tests of the changed file pass."""
    tests = tests_of(change.file)
    if not tests:
        sys.exit(f'{change.file}: ALSO in tests/mutate.py names no tests of it')
    for test in tests:
        limit = time_limit(test)
        with applied(change):
            if not passes(test, limit):
                return False
    return True


@contextmanager
def applied(change: Change) -> Iterator[None]:
    """Have the file changed inside."""
    file, compiled = Path(change.file), Path(cache_from_source(change.file))
    before = file.read_bytes()
    try:
        file.write_bytes(change.content)
        compiled.unlink(missing_ok=True)  # changes within a second would be taken for the same
        yield
    finally:
        file.write_bytes(before)
        compiled.unlink(missing_ok=True)


@cache
def time_limit(test: str) -> float:
    """How many seconds a test may take; it must pass as long as nothing is changed."""
    start = time.monotonic()
    if not passes(test):
        sys.exit(f'{test}: does not pass before anything is changed')
    return 20 + 3 * (time.monotonic() - start)


def passes(test: str, limit: float | None = None) -> bool:
    """Whether a file or folder of tests passes in a fork of this process, within ``limit``."""
    child = get_context('fork').Process(target=_run, args=(test,))
    child.start()
    child.join(limit)
    if child.is_alive():
        os.killpg(child.pid, 9)
        child.join()
    return child.exitcode == 0


def _run(test: str) -> None:
    os.setpgrp()  # what the tests start ends with them
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    sys.exit(pytest.main(['-x', '-q', '-p', 'no:cacheprovider', test]))


def enter_copy(folder: Path) -> None:
    """Copy the project to ``folder`` and enter it, so that imports are taken from there."""
    command = ['git', 'ls-files', '--cached', '--others', '--exclude-standard']
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.splitlines():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    os.chdir(folder)
    sys.path[0] = str(folder)


def import_toolboxes() -> None:
    """Import what takes long and is not changed."""
    stand_in = MagicMock(__spec__=ModuleSpec('mmcv._ext', loader=None))  # see missing_packages.py
    sys.modules.setdefault('mmcv._ext', stand_in)
    for name in TOOLBOXES:
        importlib.import_module(name)


def draw(parts: Sequence[str], number: int, seed: int) -> list[Change]:
    """Some of all changes of the files in ``parts``, by file and line."""
    files = {file for part in parts for file in [Path(part), *Path(part).rglob('*.py')]}
    files = sorted(str(file) for file in files if file.is_file())
    every = [change for file in files for change in changes(file, Path(file).read_bytes())]
    chosen = random.Random(seed).sample(range(len(every)), min(number, len(every)))
    return [every[i] for i in sorted(chosen)]


def parse() -> Namespace:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('parts', nargs='*', default=PARTS, help=f'files or folders (default: {" ".join(PARTS)})')
    add('--number', type=int, default=120, help='how many changes (default: %(default)s)')
    add('--seed', type=int, default=0, help='which ones (default: %(default)s)')
    return parser.parse_args()


def main() -> None:
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        enter_copy(Path(folder))
        import_toolboxes()
        drawn, survivors = draw(options.parts, options.number, options.seed), 0
        for change in drawn:
            if survives(change):
                survivors += 1
                print(change, flush=True)
        seen = len(drawn) - survivors
        print(f'{seen} of {len(drawn)} changes were seen: {seen / len(drawn):.0%}')
        os.chdir(ROOT)


if __name__ == '__main__':
    main()
