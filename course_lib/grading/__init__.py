"""How an answer is judged, and how progress is kept."""
