"""What other packages print or warn of although nobody can act on it."""

from .patch import Patch

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
        'messages without a logger are printed: a run has them on the screen alone, those for '
        'debugging, too (`Could not import OneDL`); every inferencer warns that its toolbox has no '
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
        'mmengine.optim.optimizer.default_constructor:print_log',
        'a warning for every layer that parts of a model share, as in RTMDet, although the config '
        'allows for it (`bypass_duplicate=True`)',
        'none',
        'logs:leave_out_shared_layers',
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
