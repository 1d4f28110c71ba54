"""What `start.py` runs for a learner: the first copies, updates that keep their cells, JupyterLab, and the pages."""
