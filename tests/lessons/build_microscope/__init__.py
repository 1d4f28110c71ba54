"""Build 14."""
