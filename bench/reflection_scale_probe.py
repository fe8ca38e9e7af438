"""One step of `bench/reflection_scale.py`, in a process of its own: `fill`, `plan <space>` or `apply`."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from pathlib import Path
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, connections, transaction  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from reflection_scale_by_hand import write_by_hand  # noqa: E402
from reflection_scale_rows import FILL, INDEXES, LAYOUTS, PASSES, TABLES, fill_for_apply  # noqa: E402

from console.postgres import launcher  # noqa: E402
from console.postgres.context import everywhere, within  # noqa: E402
from memories.access import Actor, person  # noqa: E402
from memories.embedding import get_embedder  # noqa: E402
from memories.models import Membership, Team, User  # noqa: E402
from memories.models.people import Role  # noqa: E402
from reflection.models import ReflectPass  # noqa: E402
from reflection.services import decide  # noqa: E402
from reflection.services.apply import apply  # noqa: E402
from reflection.services.plan import plan  # noqa: E402

ROUNDS = 5


def fill() -> None:
    """The database with everything that is measured."""
    launcher.keep(Path(os.environ["MEMORY_CONSOLE_HOME"]))
    call_command("migrate", verbosity=0)
    with everywhere():
        fill_layouts()


def fill_layouts() -> None:
    """The memories of each layout, with fresh statistics."""
    with connections["owner"].cursor() as cursor:  # the same indexes, sooner
        cursor.execute(INDEXES, [TABLES])
        indexes = cursor.fetchall()
        cursor.execute(f"DROP INDEX {', '.join(name for name, _ in indexes)}")
    embedder = get_embedder()
    given = {"model": embedder.name, "dimension": embedder.dimension}
    for layout in LAYOUTS:
        owners = [User.objects.create_user(f"{layout.name}{n}") for n in range(layout.owners)]
        team = Team.objects.create(name="Bench") if layout.owners > 1 else None
        for owner in owners if team else []:
            Membership.objects.create(team=team, user=owner, role=Role.REVIEWER)
        with connections["owner"].cursor() as cursor:
            cursor.execute("SELECT setseed(0.5)")
            known = {"owners": [owner.pk for owner in owners], "team": team.pk if team else None}
            for statement in FILL:
                cursor.execute(statement, given | known | {"rows": layout.rows, "prefix": layout.prefix})
    User.objects.create_user("nobody")
    with connections["owner"].cursor() as cursor:
        for _, made in indexes:
            cursor.execute(made)
        cursor.execute(f"VACUUM ANALYZE {', '.join(TABLES)}")


def actor_of(space: str) -> Actor:
    return person(User.objects.get(username=f"{space}0" if space != "nobody" else space))


def given_of(space: str) -> dict[str, Any]:
    team = {"team_id": str(Team.objects.get().pk)} if space == "team" else {}
    return {"dry_run": True, **team}


def resident(name: str) -> float:
    """Megabytes of this process: `VmRSS` now, `VmHWM` at the peak since it was last set back."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) / 1024


@everywhere()
def processor_seconds() -> float:
    """What this process and its connection's server process have used: it says more than time on a busy machine."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        fields = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text().rsplit(")", 1)[1].split()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(space: str) -> dict[str, Any]:
    """Dry runs of all five actions in this space."""
    idle, actor, given = actor_of("nobody"), actor_of(space), given_of(space)
    with within(idle.spaces, idle.user_id):
        plan(given={"dry_run": True}, actor=idle)  # what is loaded once
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    seconds, processor = [], []
    for _ in range(ROUNDS):
        start, used = time.perf_counter(), processor_seconds()
        with within(actor.spaces, actor.user_id):
            made = plan(given=given, actor=actor)
        seconds.append(time.perf_counter() - start)
        processor.append(processor_seconds() - used)
    peak = resident("VmHWM")
    with within(actor.spaces, actor.user_id), CaptureQueriesContext(connection) as heard:
        plan(given=given, actor=actor)
    return {
        "memories": next(layout.rows for layout in LAYOUTS if layout.name == space),
        "seconds": statistics.median(seconds),
        "fastest": min(seconds),
        "slowest": max(seconds),
        "processor": statistics.median(processor),
        "megabytes": peak - before,
        "questions": len(heard),
        "counts": made.counts,
        "cut": made.cut,
    }


def approved(name: str) -> tuple[ReflectPass, Actor]:
    """A pass over a space filled for it, and who approved it."""
    owner = User.objects.create_user(name)
    fill_for_apply(owner)
    actor = person(owner)
    made = plan(given={"time_window_hours": 48}, actor=actor)
    return decide.approve(pass_id=made.pk, digest=made.digest, actor=actor), actor


@everywhere()
def measure_apply() -> dict[str, Any]:
    """Passes of 500 candidates applied, and equal ones written by hand, in turns."""
    product, by_hand, sizes = [], [], set()
    for number in range(PASSES):
        (ours, actor), (theirs, _) = approved(f"ours{number}-{os.getpid()}"), approved(f"theirs{number}-{os.getpid()}")
        sizes |= {sum(ours.counts.values()), sum(theirs.counts.values())}
        start = time.perf_counter()
        with within(actor.spaces, actor.user_id):
            done = apply(pass_id=ours.pk, actor=actor.through("job"))
        product.append(time.perf_counter() - start)
        assert sum(done.applied_counts.values()) == sum(done.counts.values())
        with transaction.atomic():
            write = write_by_hand(theirs)
        start = time.perf_counter()
        write()
        by_hand.append(time.perf_counter() - start)
    (candidates,) = sizes
    ours_, theirs_ = statistics.median(product), statistics.median(by_hand)
    return {
        "candidates": candidates,
        "seconds": ours_,
        "by_hand": theirs_,
        "ratio": ours_ / theirs_,
        "counts": done.counts,
    }


if __name__ == "__main__":
    step, *more = sys.argv[1:]
    if step == "fill":
        fill()
    elif step == "plan":
        print(json.dumps(measure(*more)))
    else:
        with everywhere():
            print(json.dumps(measure_apply()))
