"""Experiments: those of the papers, sweeps, calibration, sensitivity, realism, seating advice and evaluation of
tutors."""
