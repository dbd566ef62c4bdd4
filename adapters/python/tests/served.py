"""A hive that a real ``rsm serve`` serves, to be killed and started again."""

from __future__ import annotations

import socket
import subprocess
import time

from pheromone import HttpHive
from tests.hives import PATIENCE_S
from tests.test_with_rsm import RsmTest


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class ServedTest(RsmTest):
    """A test with a served hive: ``OPTIONS`` is what else ``rsm serve`` is told, and ``CONFIG`` the hive's own."""

    OPTIONS: tuple[str, ...] = ()
    CONFIG = ""
    SCHEME = "http"

    def setUp(self) -> None:
        super().setUp()
        if self.CONFIG:
            (self.root / ".deia/hive.yaml").write_text(f"format: 1\n{self.CONFIG}")
        self.token_file = self.home / ".config/pheromone/serve.token"
        self.port = free_port()
        self.server: "subprocess.Popen[str] | None" = None
        self.addCleanup(self.kill)
        self.prepare()
        self.serve()

    def prepare(self) -> None:
        """What there must be before the server starts."""

    def serve(self) -> None:
        self.server = self.start("serve", "--bind", f"127.0.0.1:{self.port}", *self.OPTIONS, actor="you")
        end = time.monotonic() + PATIENCE_S
        while not self.is_up():
            if self.server.poll() is not None or time.monotonic() > end:
                self.kill()
                self.fail("rsm serve does not come up")
            time.sleep(0.05)

    def is_up(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except OSError:
            return False

    def kill(self) -> None:
        """As a power cut would: it has no time for a last word."""
        server, self.server = self.server, None
        if server is not None:
            server.kill()
            server.communicate(timeout=PATIENCE_S)

    def hive(self, actor: str = "py-1", **more: object) -> HttpHive:
        given: dict[str, object] = {"token_file": self.token_file, "timeout_s": 20.0, **more}
        return HttpHive(f"{self.SCHEME}://127.0.0.1:{self.port}", actor, **given)  # type: ignore[arg-type]

