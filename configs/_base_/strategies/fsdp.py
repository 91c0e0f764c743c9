"""Fully sharded data parallel: weights, gradients and optimizer states split over processes.

For models that do not fit on one GPU; the ones here do, and are faster without. Parts of 5 million
parameters and more are gathered one after the other. Checkpoints hold the whole model, as others,
but a run cannot be resumed. Tested in two CPU processes on a model of one layer; not tried on GPUs
yet.
"""

strategy = dict(
    type='vitbackbones.FSDPStrategy',
    model_wrapper=dict(
        type='MMFullyShardedDataParallel',
        use_orig_params=True,  # groups of the optimizer keep their own settings
        auto_wrap_policy=dict(
            type='torch.distributed.fsdp.wrap.size_based_auto_wrap_policy',
            min_num_params=5_000_000,
        ),
    ),
)
