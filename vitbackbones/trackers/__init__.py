"""Following a run: trackers, visualizations of predictions, and one page per run."""

NAMES = ('tensorboard', 'wandb', 'mlflow')
RUN_PAGE = 'run.html'  # in a work dir
