"""What is seen: charts and reports, made of tables."""
