"""Tests of what a teacher uses."""
