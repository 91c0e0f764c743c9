"""What is run in a clone alone: scripts of commands, clusters, studies and the site."""
