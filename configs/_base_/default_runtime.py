"""Logging, checkpoints, seed and drawing: the same for every run."""

default_scope = 'mmdet'
# Reading the config imports the package, which prepares OpenMMLab before its models are loaded.
custom_imports = dict(imports=['vitbackbones'])

default_hooks = dict(
    timer=dict(type='IterTimerHook'),
    logger=dict(type='LoggerHook', interval=50),
    param_scheduler=dict(type='ParamSchedulerHook'),
    checkpoint=dict(type='CheckpointHook', interval=1, max_keep_ckpts=3, save_best='auto'),
    sampler_seed=dict(type='DistSamplerSeedHook'),
    visualization=dict(type='DetVisualizationHook'),  # draws when told to: draw=True
    exact_resume=dict(type='vitbackbones.ExactResumeHook'),
    same_statistics=dict(type='vitbackbones.SameStatisticsHook'),
    finite_loss=dict(type='vitbackbones.FiniteLossHook', skip=0),
    unreadable_images=dict(type='vitbackbones.UnreadableImagesHook', limit=0.001),
    curves=dict(type='vitbackbones.CurvesHook'),
)
vis_backends = [dict(type='LocalVisBackend')]
visualizer = dict(type='DetLocalVisualizer', vis_backends=vis_backends, name='visualizer')
log_processor = dict(type='LogProcessor', window_size=50, by_epoch=True)
log_level = 'INFO'

env_cfg = dict(
    cudnn_benchmark=False,
    # No threads inside data workers: they would fight the training for the same cores.
    mp_cfg=dict(mp_start_method='fork', opencv_num_threads=0),
    dist_cfg=dict(backend='nccl'),
)
randomness = dict(seed=0)
load_from = None
resume = False
