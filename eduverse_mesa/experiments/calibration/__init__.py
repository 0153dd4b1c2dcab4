"""Calibration: the embedded policy's parameters fitted to published lessons and to real classes."""
