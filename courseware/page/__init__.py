"""How things are shown on a page: figures, sliders, tables, quizzes and verdicts."""
