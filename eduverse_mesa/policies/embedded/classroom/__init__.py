"""The embedded policy of the classroom: students, the teacher, and their words."""
