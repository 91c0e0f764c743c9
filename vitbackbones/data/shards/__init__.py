"""Classification data in tar files with an index, which are read fast in any order."""
