"""What is found out: the papers' experiments, sweeps, calibration, sensitivity, realism and seating advice."""
