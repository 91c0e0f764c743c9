"""What is installed, what can be imported and what the machine gives; and what is wrong with it."""
