"""Tests of the class server; they start hubs: `make test-hub` runs them, as root those with Unix users."""
