"""Queues of the standard library: `QUEUE FOLDER`; reads rounds of messages, answers how long each round took.

A round is a line `send N` or `trip N`, then N messages, each a line with its length and its bytes.
"""

import concurrent.futures
import mailbox
import os
import sqlite3
import sys
import time


class Maildir:
    """Forces each message's bytes to the disk, and then the folder that names it."""

    def __init__(self, folder):
        self.box = mailbox.Maildir(folder + "/box")
        self.new = os.open(folder + "/box/new", os.O_RDONLY)
        self.cur = os.open(folder + "/box/cur", os.O_RDONLY)

    def put(self, message):
        self.box.add(message)
        os.fsync(self.new)

    def take(self):
        key = next(iter(self.box.iterkeys()))
        message = self.box.get_message(key)
        message.set_subdir("cur")
        self.box[key] = message
        os.fsync(self.cur)
        self.box.remove(key)
        os.fsync(self.cur)


class Sqlite:
    """Forces its log to the disk with each transaction."""

    def __init__(self, folder):
        self.db = sqlite3.connect(folder + "/queue.db", timeout=60, isolation_level=None, check_same_thread=False)
        self.db.execute("pragma journal_mode=wal")
        self.db.execute("pragma synchronous=full")
        self.db.execute(
            "create table if not exists mail"
            " (id integer primary key, envelope blob, claimed integer not null default 0)"
        )
        self.db.execute("create index if not exists waiting on mail (claimed, id)")

    def put(self, message):
        self.db.execute("insert into mail (envelope) values (?)", (message,))

    def take(self):
        rows = self.db.execute(
            "update mail set claimed = 1 where id = (select min(id) from mail where claimed = 0) returning id, envelope"
        ).fetchall()
        self.db.execute("delete from mail where id = ?", (rows[0][0],))


class ManySqlite:
    """As many connections to one database, each on a thread of its own; whoever meets another waits for it."""

    CONNECTIONS = 16

    def __init__(self, folder):
        self.queues = [Sqlite(folder) for _ in range(self.CONNECTIONS)]
        self.threads = concurrent.futures.ThreadPoolExecutor(self.CONNECTIONS)

    def put_all(self, messages):
        def share(first):
            for message in messages[first :: self.CONNECTIONS]:
                self.queues[first].put(message)

        list(self.threads.map(share, range(self.CONNECTIONS)))


def main():
    queue = {"maildir": Maildir, "sqlite": Sqlite, "sqlite-16": ManySqlite}[sys.argv[1]](sys.argv[2])
    for line in iter(sys.stdin.buffer.readline, b""):
        what, count = line.split()
        messages = []
        for _ in range(int(count)):
            length = int(sys.stdin.buffer.readline())
            messages.append(sys.stdin.buffer.read(length))
        began = time.perf_counter_ns()
        if isinstance(queue, ManySqlite):
            queue.put_all(messages)
        else:
            for message in messages:
                queue.put(message)
                if what == b"trip":
                    queue.take()
        print(time.perf_counter_ns() - began, flush=True)


main()
