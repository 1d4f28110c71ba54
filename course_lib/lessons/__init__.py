"""Exercises, named mistakes, hints and quiz of each lesson, as data."""
