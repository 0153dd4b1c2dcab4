"""The people in a lesson: what each of them perceives, is asked, and does with the answer."""
