"""The Shapes data, what OpenMMLab's datasets lack, and ``checks`` of data before a run."""
