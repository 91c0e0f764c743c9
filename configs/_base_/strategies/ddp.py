"""Data parallel: every process holds the whole model. What runs do without a strategy, too."""

strategy = dict(
    type='DDPStrategy',
    model_wrapper=dict(
        type='MMDistributedDataParallel', broadcast_buffers=False, find_unused_parameters=False
    ),
)
