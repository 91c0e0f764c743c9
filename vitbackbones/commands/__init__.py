"""One module per tool, named as the tool in ``tools/``, and what several tools share."""
