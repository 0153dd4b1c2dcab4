"""Style sheets and scripts, as they are sent."""
