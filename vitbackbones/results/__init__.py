"""What comes out of runs: analyses, benchmarks, reports, published numbers, files to share."""
