"""A sender and a worker by the Python adapter; the same lines as PowerLoad.java.

``power_load.py HIVE`` works until the power is cut.
"""

from __future__ import annotations

import os
import random
import sys
import time

from pheromone import Hive

INBOXES = ("code", "ops", "docs")
BODY_BYTES_MAX = 40_000
USUAL_BODY_BYTES_MAX = 1_500
SHORT_LEASE_S, LONG_LEASE_S = 3, 60
IDLE_PAUSE_S = 0.05
PAUSE_AFTER_TROUBLE_S = 0.2


def say(line: str) -> None:
    """Writes one line by one call, so that lines of several processes do not mix."""
    os.write(sys.stdout.fileno(), (line + "\n").encode())


def some_body() -> str:
    bytes_max = BODY_BYTES_MAX if random.random() < 0.1 else USUAL_BODY_BYTES_MAX
    return os.urandom(random.randrange(bytes_max) // 2).hex()


def send_once(hive: Hive) -> None:
    inbox = random.choice(INBOXES)
    envelope = hive.write(to=f"queen://{inbox}", lane="Code", topic="power by Python", body=some_body())
    receipt = hive.send(envelope)
    confirmed = [str(copy.inbox) for copy in receipt.copies if copy.state == "delivered"]
    if confirmed:
        say(f"S {envelope.id} {envelope.hash} {','.join(confirmed)} python")


def work_once(hive: Hive) -> None:
    inbox = random.choice(INBOXES)
    claim = hive.select(inbox, lease_s=random.choice((SHORT_LEASE_S, LONG_LEASE_S)))
    if claim is None:
        time.sleep(IDLE_PAUSE_S)
        return
    name = f"{claim.envelope.id} {inbox} {str(claim.token).split('.')[1]} python"
    say(f"C {name}")
    chance = random.randrange(20)
    if chance == 0:
        return  # The lease ends by itself.
    if chance == 1:
        hive.fail(claim, "by chance")
    elif chance == 2:
        hive.release(claim, "by chance")
    elif hive.ack(claim, "ok").state == "done" and not hive.problems:
        say(f"D {name}")


def repeat(root: str, actor: str, deed) -> None:
    random.seed(os.urandom(8))
    hive = Hive(root, actor)
    while True:
        try:
            deed(hive)
        except Exception as e:  # The load goes on; the runner counts these lines.
            say(f"X python {actor} {e!r}")
            time.sleep(PAUSE_AFTER_TROUBLE_S)


if __name__ == "__main__":
    if os.fork() == 0:
        repeat(sys.argv[1], "python-sender", send_once)
    else:
        repeat(sys.argv[1], "python-worker", work_once)
