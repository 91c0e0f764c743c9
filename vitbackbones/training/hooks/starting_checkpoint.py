"""Report what ``load_from`` fills, and reject a checkpoint of another model.

mmengine loads whatever fits and names the rest in a message of many lines, which no screen shows.
"""

from pathlib import Path

from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper

from ...errors import InputError
from ...layers import Origin
from ...utils.messages import shorten
from ...weights.convert import take_state_dict
from ...weights.convert.state_dict import stored_size
from ...weights.filling import adapt_state, compare, errors_name_file, require_finite
from ...weights.trained import trained_backbones
from .fitting_checkpoint import in_todays_keys

LEAST = 0.5  # of the tensors of the backbone, or of the model where it has none


class StartingCheckpointHook(Hook):
    """Counts the loaded tensors before mmengine copies anything.

    Args:
        path: the checkpoint file, for messages.
    """

    priority = 'VERY_HIGH'  # before averages of the weights take what they need

    def __init__(self, path: str) -> None:
        self.path = path

    def after_load_checkpoint(self, runner, checkpoint: dict) -> None:
        """Name the tensors that stay as initialized.

        Weights of the package that do not fit are left out.

        Raises:
            InputError: next to nothing fits, or a value is not finite.
        """
        model = runner.model.module if is_model_wrapper(runner.model) else runner.model
        with errors_name_file(self.path):
            state = take_state_dict(checkpoint)
            given = adapt_state(model, dict(state), Origin(stored_size(state)))
            given = in_todays_keys(model, given)
        filled = compare(model, given)
        require_finite(self.path, {key: given[key] for key in filled.used})
        own = [*filled.used, *filled.missing, *filled.mismatched]
        lists = {
            'of another size': filled.mismatched.values(),
            'not in the file': filled.missing,
            'only in the file': filled.unused,
        }
        rest = [
            f'{len(keys)} {what}: {shorten([*keys][:1])}{", ..." if len(keys) > 1 else ""}'
            for what, keys in lists.items()
            if keys
        ]
        text = '; '.join([f'{len(filled.used)} of {len(own)} tensors are loaded', *rest])
        backbone = [key for key in own if key.startswith('backbone.')] or own
        if len({*backbone} & {*filled.used}) < LEAST * len(backbone):
            if Path(self.path) in trained_backbones().values():  # inherited; 1.0 had none there
                checkpoint['state_dict'] = model.state_dict()
                name = Path(self.path).stem
                runner.logger.warning(f'load_from {name}: is for another backbone, so not used')
                return
            raise InputError(
                f'load_from {self.path}: is not a checkpoint of this model: {text}. Use the config '
                'that it was trained with. For a file with only the backbone, use --pretrained.'
            )
        checkpoint['state_dict'] = state
        # a head of other classes is what a training on other data has
        expected = all('head' in key for key in [*filled.missing, *filled.mismatched])
        log = runner.logger.info if expected else runner.logger.warning
        log(f'load_from {Path(self.path).name}: {text}')
