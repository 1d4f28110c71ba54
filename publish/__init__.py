"""What turns the lessons into what readers see; never imported by course_lib."""
