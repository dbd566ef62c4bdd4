"""Queues of the standard library: `QUEUE FOLDER`; reads rounds of messages, answers how long each round took.

A round is a line `send N` or `trip N`, then N messages, each a line with its length and its bytes.
"""

import mailbox
import sqlite3
import sys
import time


class Maildir:
    """Forces each message's bytes to the disk, but not the folder that names it."""

    def __init__(self, folder):
        self.box = mailbox.Maildir(folder + "/box")

    def put(self, message):
        self.box.add(message)

    def take(self):
        key = next(iter(self.box.iterkeys()))
        message = self.box.get_message(key)
        message.set_subdir("cur")
        self.box[key] = message
        self.box.remove(key)


class Sqlite:
    """Forces its log to the disk with each transaction."""

    def __init__(self, folder):
        self.db = sqlite3.connect(folder + "/queue.db", isolation_level=None)
        self.db.execute("pragma journal_mode=wal")
        self.db.execute("pragma synchronous=full")
        self.db.execute("create table mail (id integer primary key, envelope blob, claimed integer not null default 0)")
        self.db.execute("create index waiting on mail (claimed, id)")

    def put(self, message):
        self.db.execute("insert into mail (envelope) values (?)", (message,))

    def take(self):
        rows = self.db.execute(
            "update mail set claimed = 1 where id = (select min(id) from mail where claimed = 0) returning id, envelope"
        ).fetchall()
        self.db.execute("delete from mail where id = ?", (rows[0][0],))


def main():
    queue = {"maildir": Maildir, "sqlite": Sqlite}[sys.argv[1]](sys.argv[2])
    for line in iter(sys.stdin.buffer.readline, b""):
        what, count = line.split()
        messages = []
        for _ in range(int(count)):
            length = int(sys.stdin.buffer.readline())
            messages.append(sys.stdin.buffer.read(length))
        began = time.perf_counter_ns()
        for message in messages:
            queue.put(message)
            if what == b"trip":
                queue.take()
        print(time.perf_counter_ns() - began, flush=True)


main()
