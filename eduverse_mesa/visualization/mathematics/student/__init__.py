"""What a student sees: the work to do, the chat with the group, and the questions at the end."""
