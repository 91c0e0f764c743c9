"""Classification data as tar files with an index, in any order at the speed of the disk."""
