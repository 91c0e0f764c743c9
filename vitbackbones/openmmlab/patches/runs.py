"""Patches of what happens in a run, and of what other packages print."""

from .patch import IN_RUN, IN_TRAINING, IN_WORKER, Patch

# What other packages print or warn of although nobody can act on it.
MESSAGES = (
    Patch(
        'warnings:filterwarnings',
        'mmdet and mmseg warn of what is as it should be: faster-coco-eval is not installed, a '
        'visualization hook does not draw, a loss copies a tensor or averages over all pixels, '
        'points are made by `torch.meshgrid`',
        'these five warnings are ignored',
        'logs:ignore_false_alarms',
    ),
    Patch(
        'mmengine.logging.logger:print_log',
        'messages without a logger are printed, also those for debugging (`Could not import '
        'OneDL`), and no log of a run has them; every inferencer warns that its toolbox has no '
        'registry of functions',
        "they go to a run's log, those for debugging and that warning nowhere",
        'logs:print_if_meant',
    ),
    *(
        Patch(
            target,
            'its module prints each step of reading and evaluating',
            "in a run it goes to the run's log",
            'logs:log_prints',
        )
        for target in (
            'pycocotools.coco:COCO',
            'pycocotools.cocoeval:COCOeval',
            'mmdet.datasets.api_wrappers.coco_api:COCOPanoptic',
        )
    ),
    Patch(
        'mmengine.logging.logger:MMLogger.get_current_instance',
        "a run's log does not show what is logged with Python's `logging`",
        "what this package logs goes to the present runner's log",
        'logs:log_with_runner',
    ),
    Patch(
        'torch._utils:ExceptionWrapper.reraise',
        'an error of a data worker arrives with its traceback as the message',
        'an `InputError` of this package arrives with its own message',
        'logs:keep_message',
    ),
)


RUNS = (
    Patch(
        'pycocotools.coco:COCO.loadRes',
        'where a model detects nothing in any image, mmdet measures nothing',
        'its AP is 0',
        'runs:take_none',
    ),
    Patch(
        'yapf.yapflib.yapf_api:FormatCode',
        'the text of a config is laid out five times before the first step, and again for every '
        'checkpoint, which takes a second and more',
        'the same text is laid out once',
        'runs:lay_out_once',
    ),
    Patch(
        'mmengine.fileio:register_backend',
        'local files are written over the old ones: after a kill in between, a run has neither '
        'checkpoint',
        'a file is either the old or the new one',
        'loading:write_atomically',
        when=IN_RUN,
    ),
    Patch(
        'multiprocessing.queues:Queue._on_queue_feeder_error',
        'a worker without shared memory for a batch prints a traceback; training waits forever',
        'the worker ends',
        'runs:end_with_error',
        when=IN_WORKER,
    ),
    Patch(
        'torch.utils.data._utils.signal_handling:_set_SIGCHLD_handler',
        'the death of a data worker raises an error in whatever training is doing, such as a step '
        'of the optimizer',
        "torch's handler is set before a run's own, which raises where training waits for data",
        'runs:set_handler_first',
        when=IN_TRAINING,
    ),
)
