"""In the place of a package that a learner's server does without: to load it takes 22 MB and about a second."""

raise ImportError("The class server leaves out rfc3987-syntax: jsonschema checks IRIs with it, and Jupyter has none.")
