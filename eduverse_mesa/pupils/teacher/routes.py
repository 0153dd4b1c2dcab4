"""Addresses of the teacher's pages."""

from __future__ import annotations

from eduverse_mesa.pupils.request import Answer
from eduverse_mesa.pupils.teacher import classes, counts, downloads, overview, problems, sets, transcript
from eduverse_mesa.pupils.teacher import classes as classes_module

_BOTH = ("GET", "POST")

ROUTES: tuple[tuple[str, Answer, tuple[str, ...]], ...] = (
    ("/class", classes.class_, ("GET",)),
    ("/class", classes.add_students, ("POST",)),
    (classes_module.SLIPS_PAGE, classes_module.slips, ("GET",)),
    (classes_module.SLIPS_PAGE, classes_module.have_them, ("POST",)),
    ("/class/passwords", classes.new_passwords, ("POST",)),
    ("/class/adult", classes_module.name_the_adult, ("POST",)),
    ("/alerts", classes_module.alerts, ("GET",)),
    ("/alerts/{alert}", classes_module.settle, ("POST",)),
    ("/class/{student}/password", classes.new_password, ("POST",)),
    ("/class/{student}/erase", classes.erase, _BOTH),
    ("/groups", classes.add_the_group, ("POST",)),
    ("/groups/{group}", classes.group, _BOTH),
    ("/teachers", classes.add_teacher, ("POST",)),
    ("/teachers/{teacher}/password", classes.new_password_of_teacher, ("POST",)),
    ("/sets", sets.sets, ("GET",)),
    ("/sets", sets.add_set, ("POST",)),
    ("/sets/new", sets.new_set, ("GET",)),
    ("/sets/{assignment}", overview.one_set, ("GET",)),
    ("/sets/{assignment}/counted", counts.counted, ("GET",)),
    ("/sets/{assignment}/edit", sets.edit_set, _BOTH),
    ("/sets/{assignment}/end", sets.end_set, ("POST",)),
    ("/sets/{assignment}/delete", sets.delete_set, _BOTH),
    ("/sets/{assignment}/students", sets.add_to_set, ("POST",)),
    ("/sets/{assignment}/export/{file}", downloads.export, ("GET",)),
    ("/transcripts/{run}", transcript.transcript, ("GET",)),
    ("/problems", problems.problems, ("GET",)),
    ("/problems/edit", problems.edit, _BOTH),
    ("/problems/check", problems.check, ("POST",)),
    ("/problems/try", problems.try_it, ("GET",)),
    ("/problems/upload", problems.upload, ("POST",)),
    ("/problems/download", problems.download, ("GET",)),
    ("/problems/{own}/delete", problems.delete, _BOTH),
)
