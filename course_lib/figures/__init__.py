"""Every figure of the course, one module for each lesson's topic; `style` holds what they share.

A figure function takes the data, checks it, and returns a Figure with its caption, which is computed from that data; a
function for sliders returns an Interactive. One claim per figure, stated by its caption.
"""
