"""Which pictures a classifier names right, for comparisons picture by picture."""

from io import BytesIO
from pathlib import Path

import numpy as np
from mmengine.dist import collect_results
from mmengine.hooks import Hook

from ...utils.files import write_file

CORRECT = 'correct.npy'  # in the work dir


class CorrectPicturesHook(Hook):
    """Writes ``correct.npy`` after an evaluation, a truth value for each picture in their order."""

    def before_val_epoch(self, runner) -> None:
        self.correct: list[bool] = []

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=()) -> None:
        self.correct += [bool(each.pred_label == each.gt_label) for each in outputs]

    def after_val_epoch(self, runner, metrics=None) -> None:
        count = len(runner.val_dataloader.dataset)
        correct = collect_results(self.correct, count, device='gpu')  # over the network
        if correct is not None:  # in the first process
            content = BytesIO()
            np.save(content, correct)
            write_file(Path(runner.work_dir, CORRECT), content.getvalue())
