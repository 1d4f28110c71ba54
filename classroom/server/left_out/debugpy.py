"""In the place of a package that a learner's kernel does without: it takes 8 MB, and no lesson uses the debugger."""

raise ImportError("The class server leaves out debugpy.")
