"""What a folder of pictures and annotations holds, found out from its files alone."""
