"""Models side by side on a GPU: time, throughput and memory of a step.

As in ``comparing``, but what cannot run is a row with its message, and the others go on.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import torch

from ..model_sources import Source, build_model
from ..steps import Case, make_step
from ..timing import compare

Step = Callable[[], object]


def first_line(error: Exception) -> str:
    """Return what an error says, in one line."""
    lines = str(error).strip().splitlines()
    return f'{type(error).__name__}: {lines[0]}' if lines else type(error).__name__


def runnable(builders: Mapping[str, Callable[[], Step]]) -> tuple[dict[str, Step], dict[str, str]]:
    """Build steps and run each once.

    Args:
        builders: what returns the step of each name.

    Returns:
        The steps that run, and for each of the others what it failed with. An error of one, such
        as too little memory or a failed compilation, shall not end the measurement of the others.
    """
    steps, errors = {}, {}
    for name, build in builders.items():
        try:
            step = build()
            step()
        except Exception as error:
            errors[name] = first_line(error)
        else:
            steps[name] = step
    return steps, errors


def trainable(models: Sequence[str]) -> list[str]:
    """Return the models without those that are folded for inference."""
    return [spec for spec in models if not spec.startswith('fused:')]


def build_step(
    spec: str, case: Case, options: Namespace, sources: Mapping[str, Source], maps: bool = False
) -> Step:
    """Return a step of a model with random weights, made on the device.

    Args:
        spec: source and name of the model.
        case: what to measure.
        options: the command line.
        sources: where models come from.
        maps: whether the backbone's maps are the answer.
    """
    with options.device:
        model = build_model(spec, case.size, sources, maps)
    return make_step(model, case, options.device)


def timed(
    builders: Mapping[str, Callable[[], Step]], batch: int, options: Namespace
) -> Iterator[dict]:
    """Yield the row of ``timing.compare`` for each step, with images per second, or its error.

    Args:
        builders: as of :func:`runnable`.
        batch: number of images of a step.
        options: the command line: device, repeats and rounds before them.
    """
    steps, errors = runnable(builders)
    rows = compare(steps, options.device, options.repeats, options.warm_up) if steps else ()
    measured = {row['form']: row for row in rows}
    for name in builders:
        if name in errors:
            yield {'form': name, 'error': errors[name]}
        else:
            throughput = round(1e3 * batch / measured[name]['median_ms'], 1)
            yield {'form': name} | measured[name] | {'images_per_s': throughput}


def compared(
    models: Sequence[str],
    case: Case,
    options: Namespace,
    sources: Mapping[str, Source],
    maps: bool = False,
) -> Iterator[dict]:
    """Yield a row for each of several models that take turns; arguments as :func:`build_step`."""
    torch.manual_seed(0)
    specs = trainable(models) if case.step == 'train' else models
    builders = {spec: partial(build_step, spec, case, options, sources, maps) for spec in specs}
    for row in timed(builders, case.batch, options):
        yield case.columns() | row
