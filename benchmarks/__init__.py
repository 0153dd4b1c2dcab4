"""Benchmarks: `make bench`. Times are compared within one run; they are never a test."""
