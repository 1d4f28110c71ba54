"""The worked cell of every exercise; its starter in the notebook is derived from it."""
