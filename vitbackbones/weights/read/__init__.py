"""Checkpoints: read safely, brought to a model's keys, compared with it, and filled in.

==================================  ========================================================
``reading.load_file``               a file, whatever its format (``read_safely``: an open one)
``downloads.load_url``              an address, kept on the disk
``downloads.load_anywhere``         either of the two
``filling.load_pretrained``         any of them into a model, with a count of what was filled
``filling.load_model_file``         a file, for what mmengine loads into a model itself
==================================  ========================================================
"""
