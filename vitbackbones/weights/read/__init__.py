"""Reading of checkpoints, of files (``load``) and addresses (``downloads``); nothing runs code."""
