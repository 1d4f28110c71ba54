"""Tests of course_lib, one file for each module."""
