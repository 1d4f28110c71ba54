"""Read what was handed in, run its answers in limited processes (`runner`), and keep what comes of them (`results`)."""
