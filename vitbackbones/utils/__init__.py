"""Parts of every program: files, messages, literals, processes, and the names of the verbs."""
