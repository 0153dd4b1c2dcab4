"""Visualization: charts, frames, widgets and components of lessons and groups, reports, and the words of the
interface."""
