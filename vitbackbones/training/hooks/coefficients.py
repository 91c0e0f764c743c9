"""Learned residual coefficients of every epoch, in the log and in ``coefficients.csv``.

SReT's Fig. 6(2) and 16 show how they evolve; ``analyze coefficients`` draws them. An epoch is a
pass over the training data, also where a loop counts iterations. Under FSDP, where no process has
the parameters of a layer, nothing is written.
"""

from pathlib import Path

from mmengine.dist import master_only
from mmengine.hooks import Hook
from mmengine.model import is_model_wrapper

from ...errors import InputError
from ...results.analysis.coefficients import TABLE, find_coefficients, read_table, write_table
from ...utils.files import write_file


class CoefficientsHook(Hook):
    """Writes the table where a model has such coefficients; does nothing for other models."""

    def __init__(self) -> None:
        self.rows: list[dict[str, float]] = []
        self.is_wanted = False

    @master_only
    def before_train(self, runner) -> None:
        """Go on with the epochs before the present one, which a resumed run has written."""
        self.is_wanted = bool(_coefficients_of(runner))
        if not self.is_wanted:
            return
        table = Path(runner.work_dir, TABLE)
        if runner.iter and table.is_file():
            self.rows = [row for row in read_table(table) if row['iteration'] <= runner.iter]
        elif not runner.iter:
            self._note(runner, 0)

    @master_only
    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        done = runner.iter + 1
        # asked first, because a stream of data has no length
        if self.is_wanted and done % len(runner.train_dataloader) == 0:
            self._note(runner, done)

    def _note(self, runner, iteration: int) -> None:
        found = _coefficients_of(runner)
        place = {'epoch': iteration // len(runner.train_dataloader), 'iteration': iteration}
        self.rows.append(place | found)
        scalars = {f'coefficients/{name}': value for name, value in found.items()}
        runner.visualizer.add_scalars(scalars, step=iteration)
        try:
            write_file(Path(runner.work_dir, TABLE), write_table(self.rows))
        except InputError as error:  # a full disk; checkpoints decide whether the run can go on
            runner.logger.warning(str(error))


def _coefficients_of(runner) -> dict[str, float]:
    model = runner.model.module if is_model_wrapper(runner.model) else runner.model
    return find_coefficients(model.named_parameters())
