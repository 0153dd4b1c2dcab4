"""Where the teacher's pages are."""

from __future__ import annotations

from eduverse_mesa.visualization.mathematics import counting, exporting, problems, sets, teacher, transcript, watching
from eduverse_mesa.visualization.mathematics.asking import Answer

_BOTH = ("GET", "POST")

ROUTES: tuple[tuple[str, Answer, tuple[str, ...]], ...] = (
    ("/class", teacher.class_, ("GET",)),
    ("/class", teacher.add_students, ("POST",)),
    ("/class/passwords", teacher.new_passwords, ("POST",)),
    ("/class/{student}/password", teacher.new_password, ("POST",)),
    ("/class/{student}/erase", teacher.erase, _BOTH),
    ("/groups", teacher.add_the_group, ("POST",)),
    ("/groups/{group}", teacher.group, _BOTH),
    ("/teachers", teacher.add_teacher, ("POST",)),
    ("/teachers/{teacher}/password", teacher.new_password_of_teacher, ("POST",)),
    ("/sets", sets.sets, ("GET",)),
    ("/sets", sets.add_set, ("POST",)),
    ("/sets/new", sets.new_set, ("GET",)),
    ("/sets/{assignment}", watching.one_set, ("GET",)),
    ("/sets/{assignment}/counted", counting.counted, ("GET",)),
    ("/sets/{assignment}/edit", sets.edit_set, _BOTH),
    ("/sets/{assignment}/end", sets.end_set, ("POST",)),
    ("/sets/{assignment}/delete", sets.delete_set, _BOTH),
    ("/sets/{assignment}/students", sets.add_to_set, ("POST",)),
    ("/sets/{assignment}/export/{file}", exporting.export, ("GET",)),
    ("/transcripts/{run}", transcript.transcript, ("GET",)),
    ("/problems", problems.problems, ("GET",)),
    ("/problems/edit", problems.edit, _BOTH),
    ("/problems/check", problems.check, ("POST",)),
    ("/problems/try", problems.try_it, ("GET",)),
    ("/problems/upload", problems.upload, ("POST",)),
    ("/problems/download", problems.download, ("GET",)),
    ("/problems/{own}/delete", problems.delete, _BOTH),
)
