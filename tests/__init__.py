"""The tests; before any of them is imported, what a user has set on this machine is taken out."""

import atexit
import os
import shutil
import tempfile

# starts of variables by which a user tells this package, and what it stands on, about a machine
OF_A_USER = ('CUDA_', 'HF_', 'HUGGING', 'LOCAL_', 'MASTER_', 'MLFLOW_', 'MMENGINE_', 'MPL', 'OMP_')
OF_A_USER += ('RANK', 'SLURM_', 'TENSORBOARD', 'TORCH_', 'TORCHELASTIC_', 'WANDB_', 'WORLD_')
OF_A_USER += ('XDG_',)

PREFIX = 'tests_cache_'
if PREFIX not in os.environ.get('XDG_CACHE_HOME', ''):  # else a test has started this process
    for name in [name for name in os.environ if name.startswith(OF_A_USER)]:
        del os.environ[name]
    CACHE = tempfile.mkdtemp(prefix=PREFIX)
    atexit.register(shutil.rmtree, CACHE, ignore_errors=True)
    os.environ.update(XDG_CACHE_HOME=CACHE, OMP_NUM_THREADS='1')
