"""Find the small fix that makes a wrong answer right: the table of edits, how each rewrites code, and the search."""
