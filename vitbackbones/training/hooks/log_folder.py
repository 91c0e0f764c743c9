"""A log folder that is deleted during a run is made again: weights are worth more than their log.

mmengine would end the run at the next line of its log, with nothing saved.
"""

import logging
from pathlib import Path

from mmengine.dist import master_only
from mmengine.hooks import Hook

from ...utils.files import prepare_folder


class LogFolderHook(Hook):
    """Looks after the log folder before anything is logged.

    Raises:
        InputError: the folder cannot be made again.
    """

    priority = 'VERY_HIGH'

    @master_only
    def before_train(self, runner) -> None:
        self.folder = Path(runner.log_dir, 'vis_data')  # mmengine's, for losses and metrics
        self.folder.mkdir(parents=True, exist_ok=True)

    @master_only
    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None) -> None:
        if self.folder.is_dir():
            return
        prepare_folder(self.folder, 'the log folder')
        for handler in runner.logger.handlers:
            if isinstance(handler, logging.FileHandler):
                log = open(handler.baseFilename, 'a')  # noqa: SIM115 (the handler keeps it)
                handler.setStream(log).close()
        runner.logger.warning(f'{self.folder} was deleted; the log goes on in a new one')

    @master_only
    def after_val_epoch(self, runner, metrics=None) -> None:
        self.after_train_iter(runner, 0)
