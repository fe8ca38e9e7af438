"""A real worker with tasks of its own for `test_celery_worker.py`: run as a program, like `manage.py worker`."""

import os
import threading
from pathlib import Path

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"
django.setup()

from django.core.management import call_command  # noqa: E402

from console.celery import app  # noqa: E402


@app.task(name="probe.note")
def note(path: str) -> None:
    """Write down that it ran."""
    Path(path).write_text("ran")


@app.task(name="probe.hang_once")
def hang_once(folder: str) -> None:
    """Never end the first time, end at once the second time."""
    started = Path(folder, "started")
    if started.exists():
        Path(folder, "finished").touch()
        return
    started.touch()
    threading.Event().wait()


@app.task(name="probe.wait_for_leave")
def wait_for_leave(folder: str) -> None:
    """Run until a file `leave` appears."""
    Path(folder, "started").touch()
    while not Path(folder, "leave").exists():
        threading.Event().wait(0.02)
    Path(folder, "finished").touch()


if __name__ == "__main__":
    call_command("worker", quiet=True)
