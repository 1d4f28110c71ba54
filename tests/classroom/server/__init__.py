"""Tests of the class server; they start hubs: pytest runs them where they are named, as root those with Unix users."""
