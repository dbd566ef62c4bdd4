"""Cuts the power of a real kernel again and again, and looks whether confirmed mail is still there.

``./test --power`` runs this file; README.md in this folder says what it proves.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from series import PLANS, QUICK_CUTS, Plan, Series, Tally
from system import TARGET, Kit, Missing, prepare, say

EXIT_FAILED = 1
EXIT_DID_NOT_RUN = 77
MINUTES_MAX = 360
QUICK_MINUTES_MAX = 90
COLUMNS = ("file system", "cuts", "sends", "dones", "lost", "undone", "again", "dead", "torn")
TROUBLES_SHOWN_MAX = 5


def read_arguments() -> argparse.Namespace:
    names = [plan.name for plan in PLANS]
    parser = argparse.ArgumentParser(prog="./test --power", description="Cuts the power of a real kernel.")
    parser.add_argument("plans", metavar="FS", nargs="*", help=f"only these: {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_CUTS} cuts each")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="of all chances taken")
    parser.add_argument("--keep", action="store_true", help="keep images and consoles, under target/power")
    parser.add_argument("--minutes", type=float, help="begin no more cuts after this time")
    arguments = parser.parse_args()
    for name in arguments.plans:
        if name not in names:
            parser.error(f"{name} is no file system or control here, expected {', '.join(names)}")
    return arguments


def chosen_plans(arguments: argparse.Namespace) -> list[Plan]:
    chosen = [plan for plan in PLANS if not arguments.plans or plan.name in arguments.plans]
    return [dataclasses.replace(plan, cuts=QUICK_CUTS) for plan in chosen] if arguments.quick else chosen


def why_failed(plan: Plan, tally: Tally) -> str:
    """Empty if the series is as it must be."""
    if plan.is_control:
        return "" if tally.lost else "lost no mail, as it must: a laboratory that finds nothing proves nothing"
    if tally.broken():
        return "broke a promise"
    if tally.cuts < plan.cuts:
        return f"came to {tally.cuts} of {plan.cuts} cuts, with {tally.bad_lives} guests that did not end as they should"
    return "" if tally.sends and tally.dones else "confirmed nothing"


def table_of(results: list[tuple[Plan, Tally]]) -> str:
    rows: list[tuple[str, ...]] = [COLUMNS]
    for plan, tally in results:
        found = (tally.lost, tally.undone, tally.again, tally.dead, tally.torn)
        name = f"{plan.name} (control)" if plan.is_control else plan.name
        rows.append((name, *map(str, (tally.cuts, tally.sends, tally.dones)), *(str(len(copies)) for copies in found)))
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = (
        "  ".join([row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))])
        for row in rows
    )
    return "\n".join(lines)


def tell_more(plan: Plan, tally: Tally) -> None:
    by_sender = ", ".join(f"{count} by {sender}" for sender, count in sorted(tally.senders.items()))
    say(f"{plan.name}: sends {by_sender or 'none'}")
    if tally.unmountable:
        say(f"{plan.name}: {tally.unmountable} images that the kernel itself can't mount, not counted as cuts")
    if tally.bad_lives:
        say(f"{plan.name}: {tally.bad_lives} guests that did not end as they should, not counted as cuts")
    for trouble, count in tally.troubles.most_common(TROUBLES_SHOWN_MAX):
        say(f"{plan.name}: {count} times {trouble.removeprefix('X ')}")


def run_all(plans: list[Plan], arguments: argparse.Namespace, kit: Kit, folder: Path) -> list[tuple[Plan, Tally]]:
    minutes = arguments.minutes or (QUICK_MINUTES_MAX if arguments.quick else MINUTES_MAX)
    latest = time.monotonic() + minutes * 60
    results = []
    for plan in plans:
        say(f"{plan.name}: {plan.cuts} cuts")
        series = Series(plan, folder / plan.name, kit, arguments.seed, latest, arguments.keep)
        results.append((plan, series.run()))
    return results


def sum_up(results: list[tuple[Plan, Tally]]) -> int:
    say("")
    for plan, tally in results:
        tell_more(plan, tally)
    say("")
    say(table_of(results))
    failures = [(plan.name, why) for plan, tally in results if (why := why_failed(plan, tally))]
    for name, why in failures:
        say(f"problem: {name} {why}")
    say(f"{len(results) - len(failures)} passed, {len(failures)} failed, 0 skipped")
    return EXIT_FAILED if failures else 0


def main() -> int:
    arguments = read_arguments()
    plans = chosen_plans(arguments)
    # A guest is ended where its life is, whatever ends this program.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, lambda number, frame: sys.exit(128 + number))
    folder = TARGET / f"run-{os.getpid()}"
    folder.mkdir(parents=True)
    try:
        try:
            kit = prepare(folder)
        except Missing as missing:
            say(f"  did not run: power, {', '.join(plan.name for plan in plans)} ({missing})")
            say(f"0 passed, 0 failed, {len(plans)} skipped")
            return EXIT_DID_NOT_RUN
        if not kit.node:
            say("  did not run: the load by the TypeScript adapter (no Node 20 or newer with npm)")
        names = " ".join(arguments.plans)
        say(f"to repeat: ./test --power{' --quick' if arguments.quick else ''} --seed {arguments.seed} {names}".rstrip())
        return sum_up(run_all(plans, arguments, kit, folder))
    finally:
        if arguments.keep:
            say(f"power: kept {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
