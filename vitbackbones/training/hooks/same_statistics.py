"""One set of running statistics for all processes of an evaluation."""

from mmengine.dist import broadcast
from mmengine.hooks import Hook


class SameStatisticsHook(Hook):
    """Gives the buffers of the first process to all others before they evaluate.

    A BatchNorm averages over the images of its own process, so that each would evaluate another
    model, none of them but the first's the one that is saved. torch's DDP sends the buffers before
    every step; while training they are not read, so that once before an evaluation is the same.
    """

    priority = 'LOW'  # after an average of the weights has taken their place

    def before_val_epoch(self, runner) -> None:
        for buffer in runner.model.buffers():
            broadcast(buffer)
