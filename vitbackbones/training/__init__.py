"""What a training run has besides mmengine's runner; ``hooks`` act inside of it."""
