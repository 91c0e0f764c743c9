"""What papers print: the results of training, the sizes of models, and ablations. Data alone.

The numbers are in the CSV files beside this one, whose columns ``records.py`` describes. They are
kept as printed, because their digits say how exact they are. What is empty was not printed, or is
not known to us.
"""
