"""Models as files for other runtimes, and the proof that they answer alike."""
