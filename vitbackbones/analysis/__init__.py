"""What runs log and reach: curves, tables of studies, and their pictures."""
