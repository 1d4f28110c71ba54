"""What `make refresh` runs for an author: stored outputs, starters, numbers and minutes."""
