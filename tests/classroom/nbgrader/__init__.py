"""Tests with nbgrader itself, which has an environment of its own: `make test-assignment` runs them."""
