"""What papers print: the results of training, and the sizes of models. Data alone."""

from .results import RESULTS, TASKS, Result, Task, results_of
from .sizes import CONVENTIONS, FAMILIES, Convention, Family, Row

__all__ = [
    'CONVENTIONS',
    'FAMILIES',
    'RESULTS',
    'TASKS',
    'Convention',
    'Family',
    'Result',
    'Row',
    'Task',
    'results_of',
]
