"""One step of a model on random images, in one case of a benchmark."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import torch
from torch import Tensor, nn

from ...errors import InputError

STEPS = ('forward', 'train')
ENGINES = {'eager': lambda model: model, 'compiled': partial(torch.compile, dynamic=False)}
PRECISIONS = {'float32': torch.float32, 'bfloat16': torch.bfloat16}


@dataclass(frozen=True)
class Case:
    """What a step is measured with.

    Attributes:
        step: one of :data:`STEPS`.
        engine: a key of :data:`ENGINES`.
        precision: a key of :data:`PRECISIONS`, of weights and images.
        size: (height, width) of the images.
        batch: number of images.
    """

    step: str
    engine: str
    precision: str
    size: tuple[int, int]
    batch: int

    def columns(self) -> dict:
        """Return the fields as columns of a table."""
        return asdict(self) | {'size': 'x'.join(map(str, self.size))}

    def __str__(self) -> str:
        return ' '.join(map(str, self.columns().values()))


def make_step(model: nn.Module, case: Case, device: torch.device) -> Callable[[], object]:
    """Return a function that runs the model on a batch of images, and back if it is a training.

    Args:
        model: maps images (N, 3, H, W) to logits or to a list of maps.
        case: what to measure.
        device: where to compute.
    """
    dtype = PRECISIONS[case.precision]
    model.to(device).train(case.step == 'train')
    if dtype != torch.float32:  # a model that is fused for bfloat16 stays in it in any case
        model.to(dtype)
    generator = torch.Generator().manual_seed(0)  # the same images for all
    image = torch.randn(case.batch, 3, *case.size, generator=generator).to(device, dtype)
    run = ENGINES[case.engine](model)
    if case.step == 'forward':
        return torch.inference_mode()(lambda: run(image))
    optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=1e-4)

    def step() -> None:
        outputs = run(image)
        outputs = [outputs] if isinstance(outputs, Tensor) else outputs
        sum(x.float().square().mean() for x in outputs).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def outputs_of(spec: str, case: Case, step: Callable[[], object]) -> list[Tensor]:
    """Run a step once and return its outputs in float32; none of a training step.

    Raises:
        InputError: the model ``spec`` cannot take such images, or cannot be compiled.
    """
    try:
        outputs = step()
    except (AssertionError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise InputError(f'{spec} cannot run this case ({case}): {reason[0]}') from error
    outputs = [outputs] if isinstance(outputs, Tensor) else outputs or []
    return [x.float() for x in outputs]
