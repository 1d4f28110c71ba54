"""Train the language model of lesson 10, and measure it."""
