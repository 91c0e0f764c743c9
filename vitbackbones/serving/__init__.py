"""A model as an HTTP server: pictures in, the answers of ``predict`` out."""
