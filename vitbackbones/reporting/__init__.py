"""What ``tools/test.py --report`` writes: one page with all that an evaluation has found.

=====================  ==========================================================================
module                 what it does
=====================  ==========================================================================
``parts``              what a page consists of: tables, matrices, pictures in sections
``page``               writes it, as one HTML file
``facts``              what was run: files, versions, the command
``confusion``          what confusion matrices of all tasks share
``detection``          reads the results of detectors: ``coco`` has the scores, ``matching`` says
                       which objects were missed, ``mistakes`` draws them
``recording``          keeps what a test predicts, for the other two
``segmentation``       counts pixels
``classification``     counts pictures
``curves``             draws precision over recall
=====================  ==========================================================================
"""
