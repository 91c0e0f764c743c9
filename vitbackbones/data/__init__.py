"""The Shapes data, what OpenMMLab's data sets lack, and ``checks`` of data before a run."""
