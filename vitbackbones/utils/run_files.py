"""The checkpoints of a run, by the names of their files in its work dir."""

import re

LATEST = 'latest'  # stands for the latest checkpoint of a work dir
SUFFIXES = ('.pth', '.pt', '.safetensors')
STEP = re.compile(r'(epoch|iter)_(\d+)\.pth$')  # how the name of a checkpoint ends, also of a best
BEST_FILES = 'best_*.pth'
INTERRUPTED = 'interrupted.pth'
POINTER = 'last_checkpoint'  # names the latest
PUBLISHED = 'model.safetensors'  # the weights in a folder that ``publish`` wrote
# What a run leaves; other files of the folder are the user's own.
LEFT = ('epoch_*.pth', 'iter_*.pth', BEST_FILES, INTERRUPTED, POINTER, 'adapter/adapter_*')
