"""What is taught: activations, networks and blocks, how they are trained, probed and counted."""
