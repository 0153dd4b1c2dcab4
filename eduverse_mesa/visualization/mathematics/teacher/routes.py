"""Where the teacher's pages are."""

from __future__ import annotations

from eduverse_mesa.visualization.mathematics.asking import Answer
from eduverse_mesa.visualization.mathematics.teacher import (
    alerts,
    classes,
    counting,
    exporting,
    problems,
    sets,
    slips,
    transcript,
    watching,
)

_BOTH = ("GET", "POST")

ROUTES: tuple[tuple[str, Answer, tuple[str, ...]], ...] = (
    ("/class", classes.class_, ("GET",)),
    ("/class", classes.add_students, ("POST",)),
    (slips.PAGE, slips.slips, ("GET",)),
    (slips.PAGE, slips.have_them, ("POST",)),
    ("/class/passwords", classes.new_passwords, ("POST",)),
    ("/class/adult", alerts.name_the_adult, ("POST",)),
    ("/alerts", alerts.alerts, ("GET",)),
    ("/alerts/{alert}", alerts.settle, ("POST",)),
    ("/class/{student}/password", classes.new_password, ("POST",)),
    ("/class/{student}/erase", classes.erase, _BOTH),
    ("/groups", classes.add_the_group, ("POST",)),
    ("/groups/{group}", classes.group, _BOTH),
    ("/teachers", classes.add_teacher, ("POST",)),
    ("/teachers/{teacher}/password", classes.new_password_of_teacher, ("POST",)),
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
