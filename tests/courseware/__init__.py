"""Tests of courseware, one file for each module."""
