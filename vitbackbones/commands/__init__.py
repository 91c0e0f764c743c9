"""One module per verb, and what several verbs share."""
