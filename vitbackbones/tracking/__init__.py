"""Training followed from outside: trackers, pictures of predictions, and one page of a run.

===============  ================================================================================
module           what it does
===============  ================================================================================
``settings``     what ``--track`` adds to a config, and what is looked for before the run
``hook``         gives a run's values to its trackers; none of them ends the run
``backend``      trackers as backends of mmengine's visualizer
``tensorboard``  each a tracker: where it writes, and how a resumed run goes on there
``wandb``
``mlflow``
``record``       ``tracking.json``: how a run was started, and the names of it in the trackers
``pictures``     predictions beside the ground truth, at each evaluation
``run``          what a work dir says of its run
``run_page``     writes that as one HTML page
===============  ================================================================================
"""
