"""A class server for one machine: JupyterHub, each learner a Unix user of their own."""
