"""What papers print: the results of training, and the sizes of models. Data alone."""

from .beyond import BEYOND, Beyond
from .results import RESULTS, TASKS, Result, Task, results_of
from .sizes import CONVENTIONS, FAMILIES, Convention, Family, Row

__all__ = [
    'BEYOND',
    'CONVENTIONS',
    'FAMILIES',
    'RESULTS',
    'TASKS',
    'Beyond',
    'Convention',
    'Family',
    'Result',
    'Row',
    'Task',
    'results_of',
]
