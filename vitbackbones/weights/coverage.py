"""What a state dict has for a module, key by key."""

from dataclasses import dataclass

from torch import Tensor, nn

# Batches that a norm has counted. No norm here reads the number, and older files lack it.
COUNTER = 'num_batches_tracked'


@dataclass(frozen=True)
class Comparison:
    """A state dict compared with a module; a missing or another ``num_batches_tracked`` is fine.

    Attributes:
        used: keys that both have, in one shape.
        missing: keys of the module that the state dict has nothing for.
        unused: keys of the state dict that the module has no place for.
        mismatched: keys that both have, in different shapes.
        shapes: each of these with the shape in the state dict and that in the module, in words.
    """

    used: tuple[str, ...]
    missing: tuple[str, ...]
    unused: tuple[str, ...]
    mismatched: tuple[str, ...]
    shapes: tuple[str, ...]

    def unexpected_inside(self) -> list[str]:
        """Return the unused keys that lie inside a part of the module that was filled.

        They tell of another variant: more blocks, a bias or a gate that the module lacks would
        change what the rest computes. What the module lacks as a whole, such as a head, would not.
        """
        filled = {_part(key) for key in self.used}
        return [key for key in self.unused if _part(key) in filled]


def _part(key: str) -> str:
    return key.removeprefix('backbone.').partition('.')[0]


def compare(module: nn.Module, state: dict[str, Tensor]) -> Comparison:
    """Compare a state dict with what ``module`` has."""
    everything = module.state_dict()
    own = {key: value for key, value in everything.items() if not key.endswith(COUNTER)}
    shared = [key for key in own if key in state]
    mismatched = tuple(key for key in shared if state[key].shape != own[key].shape)
    return Comparison(
        used=tuple(key for key in shared if key not in mismatched),
        missing=tuple(key for key in own if key not in state),
        unused=tuple(key for key in state if key not in everything),
        mismatched=mismatched,
        shapes=tuple(
            f'{key} {tuple(state[key].shape)} for {tuple(own[key].shape)}' for key in mismatched
        ),
    )
