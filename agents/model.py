"""A model that answers by a script, on loopback: the APIs of Anthropic, OpenAI (responses, chat) and Gemini.

What an agent program tells its model is the proof of what it knows: every request is kept, as a line of JSON.
"""

from __future__ import annotations

import gzip
import itertools
import json
import re
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from person import Person

PORT = 9099
REQUEST_BYTES_MAX = 64 * 1024 * 1024
USED = 1000
"""Tokens that a request is said to take: far below what any program would shorten its history for."""

Json = dict[str, Any]
Part = list[Any]
"""`["say", TEXT]`, `["call", TOOL, INPUT]`, or `["patch", TOOL, TEXT]`, a call with a text in the place of an object.

A call of a tool that belongs to a group has the group's name behind its input: some programs keep the tools of a server so.
Before an answer is given a person may do something: `["meanwhile", COMMAND]`, or `["beside", COMMAND]`, which is not waited for.
"""
Scripts = dict[str, list[list[Part]]]
PERSONS = ("meanwhile", "beside")

numbers = itertools.count(1)


def fresh(prefix: str) -> str:
    return f"{prefix}_{next(numbers):06d}"


class Dialect:
    """One API: how many answers a conversation has, and what an answer looks like."""

    ending = ""
    program = ""
    """Whose requests come in it, if only one program's do."""

    def answers(self, body: Json) -> int:
        raise NotImplementedError

    def reply(self, body: Json, parts: list[Part], path: str) -> tuple[str, bytes]:
        """The content type and the body."""
        raise NotImplementedError


def plain(value: Json) -> tuple[str, bytes]:
    return "application/json", json.dumps(value).encode()


def streamed(events: list[Json], last: str = "") -> tuple[str, bytes]:
    lines = []
    for event in events:
        name = f"event: {event['type']}\n" if "type" in event else ""
        lines.append(f"{name}data: {json.dumps(event)}\n\n")
    return "text/event-stream", ("".join(lines) + last).encode()


class Anthropic(Dialect):
    ending = "/messages"
    program = "claude"

    def answers(self, body: Json) -> int:
        return sum(message["role"] == "assistant" for message in body.get("messages", []))

    def reply(self, body: Json, parts: list[Part], path: str) -> tuple[str, bytes]:
        blocks = [self.block(part) for part in parts]
        calls = any(block["type"] == "tool_use" for block in blocks)
        reason = "tool_use" if calls else "end_turn"
        usage = {"input_tokens": USED, "output_tokens": 10}
        message = {"id": fresh("msg"), "type": "message", "role": "assistant", "model": body.get("model", "scripted")}
        message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        if not body.get("stream"):
            return plain({**message, "content": blocks, "stop_reason": reason})
        events: list[Json] = [{"type": "message_start", "message": message}]
        for index, block in enumerate(blocks):
            events += self.block_events(index, block)
        delta = {"stop_reason": reason, "stop_sequence": None}
        return streamed([*events, {"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}])

    def block(self, part: Part) -> Json:
        if part[0] == "say":
            return {"type": "text", "text": part[1]}
        return {"type": "tool_use", "id": fresh("toolu"), "name": part[1], "input": part[2]}

    def block_events(self, index: int, block: Json) -> list[Json]:
        if block["type"] == "text":
            start, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            text = json.dumps(block["input"])
            start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": text}
        return [
            {"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]


class Responses(Dialect):
    ending = "/responses"
    program = "codex"

    def answers(self, body: Json) -> int:
        """Items of the model that follow each other are one answer."""
        given = body.get("input", [])
        items = given if isinstance(given, list) else []
        return sum(own for own, _ in itertools.groupby(items, self.is_answer))

    def is_answer(self, item: Json) -> bool:
        calls = ("function_call", "custom_tool_call", "local_shell_call", "reasoning")
        return item.get("type") in calls or item.get("role") == "assistant"

    def reply(self, body: Json, parts: list[Part], path: str) -> tuple[str, bytes]:
        items = [self.item(part) for part in parts]
        started = {"id": fresh("resp"), "object": "response", "status": "in_progress", "output": []}
        usage: Json = {"input_tokens": USED, "output_tokens": 10, "total_tokens": USED + 10}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole = {**started, "status": "completed", "output": items, "usage": usage}
        if not body.get("stream"):
            return plain(whole)
        events: list[Json] = [{"type": "response.created", "response": started}]
        for index, item in enumerate(items):
            events.append({"type": "response.output_item.added", "output_index": index, "item": item})
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        return streamed([*events, {"type": "response.completed", "response": whole}])

    def item(self, part: Part) -> Json:
        if part[0] == "say":
            content = [{"type": "output_text", "text": part[1], "annotations": []}]
            return {"type": "message", "id": fresh("msg"), "role": "assistant", "content": content}
        call = {"id": fresh("fc"), "call_id": fresh("call"), "status": "completed", "name": part[1]}
        if part[0] == "patch":
            return {"type": "custom_tool_call", **call, "input": part[2]}
        group = {"namespace": part[3]} if len(part) > 3 else {}
        return {"type": "function_call", **call, **group, "arguments": json.dumps(part[2])}


class Chat(Dialect):
    ending = "/chat/completions"

    def answers(self, body: Json) -> int:
        return sum(message.get("role") == "assistant" for message in body.get("messages", []))

    def reply(self, body: Json, parts: list[Part], path: str) -> tuple[str, bytes]:
        message: Json = {"role": "assistant", "content": None}
        calls: list[Json] = []
        for part in parts:
            if part[0] == "say":
                message["content"] = part[1]
            else:
                function = {"name": part[1], "arguments": json.dumps(part[2])}
                calls.append({"index": len(calls), "id": fresh("call"), "type": "function", "function": function})
        if calls:
            message["tool_calls"] = calls
        reason = "tool_calls" if calls else "stop"
        usage = {"prompt_tokens": USED, "completion_tokens": 10, "total_tokens": USED + 10}
        head = {"id": fresh("chat"), "created": int(time.time()), "model": body.get("model")}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return plain({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        head["object"] = "chat.completion.chunk"
        first = {**head, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}
        second = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
        return streamed([first, second], "data: [DONE]\n\n")


class Gemini(Dialect):
    ending = "enerateContent"
    program = "gemini"

    def answers(self, body: Json) -> int:
        return sum(content.get("role") == "model" for content in body.get("contents", []))

    def reply(self, body: Json, parts: list[Part], path: str) -> tuple[str, bytes]:
        content = {"role": "model", "parts": [self.part(part) for part in parts]}
        usage = {"promptTokenCount": USED, "candidatesTokenCount": 10, "totalTokenCount": USED + 10}
        candidate = {"content": content, "finishReason": "STOP", "index": 0}
        answer = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
        return streamed([answer]) if "stream" in path else plain(answer)

    def part(self, part: Part) -> Json:
        if part[0] == "say":
            return {"text": part[1]}
        return {"functionCall": {"name": part[1], "args": part[2], "id": fresh("call")}}


DIALECTS = (Anthropic(), Responses(), Chat(), Gemini())
FOUND = "$found:"
COUNTERS = ("/count_tokens", ":countTokens")


def filled(value: Any, heard: str) -> Any:
    """The same, with each text `$found:PATTERN` replaced by what its group matched last in the request."""
    if isinstance(value, str) and value.startswith(FOUND):
        matches = re.findall(value.removeprefix(FOUND), heard)
        last = matches[-1] if matches else ""
        return int(last) if last.isdigit() else last
    if isinstance(value, list):
        return [filled(item, heard) for item in value]
    return {name: filled(item, heard) for name, item in value.items()} if isinstance(value, dict) else value


TITLE = "Generate a concise, single-line task title"


def is_aside(body: Json) -> bool:
    """Whether a program asks for a title or the like: no part of the conversation."""
    return not has_tools(body) or TITLE in json.dumps(body.get("input", ""))


def has_tools(body: Json) -> bool:
    given = body.get("input")
    items = given if isinstance(given, list) else []
    return bool(body.get("tools")) or any(item.get("type") == "additional_tools" for item in items)


class Model:
    """The scripts, and where requests are kept.

    There is a script for each program that is named, and one under "" for all others. The n-th answer of a conversation is the
    n-th of the script, however many conversations there are; beyond its end the model says "done".
    """

    def __init__(self, scripts: Scripts, log: Path, person: Person) -> None:
        self.scripts = scripts
        self.log = log
        self.person = person
        self.lock = threading.Lock()

    def parts(self, dialect: Dialect, body: Json) -> list[Part]:
        if is_aside(body):
            return [["say", "aside"]]
        step = dialect.answers(body)
        script = self.scripts.get(dialect.program, self.scripts.get("", []))
        return filled(script[step], json.dumps(body)) if step < len(script) else [["say", "done"]]

    def let_happen(self, parts: list[Part]) -> list[Part]:
        """Lets a person do what stands between a request and its answer, and returns the answer itself."""
        for what, command, *_ in parts:
            if what == "meanwhile":
                self.person.run(command)
            elif what == "beside":
                self.person.beside(command)
        return [part for part in parts if part[0] not in PERSONS]

    def note(self, path: str, body: Json, parts: list[Part]) -> None:
        line = {"at": time.time(), "path": path, "aside": is_aside(body), "body": body, "answer": parts}
        with self.lock, self.log.open("a") as log:
            log.write(json.dumps(line) + "\n")


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", PORT), Handler)
        self.model = model


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, *_: object) -> None:
        """Says nothing: the requests themselves are kept."""

    def do_HEAD(self) -> None:
        self.answer(200, "application/json", b"")

    def do_GET(self) -> None:
        models = [{"id": "scripted", "object": "model", "name": "models/scripted"}]
        self.answer(200, *plain({"object": "list", "data": models, "models": []}))

    def do_POST(self) -> None:
        path = self.path.split("?")[0].rstrip("/")
        try:
            body = json.loads(self.content() or b"{}")
        except ValueError:
            return self.answer(400, *plain({"error": {"message": "found no JSON, expected an object"}}))
        if path.endswith(COUNTERS):
            return self.answer(200, *plain({"input_tokens": USED, "totalTokens": USED}))
        for dialect in DIALECTS:
            if dialect.ending in path:
                parts = self.server.model.parts(dialect, body)
                self.server.model.note(path, body, parts)
                given = self.server.model.let_happen(parts)
                return self.answer(200, *dialect.reply(body, given, path))
        return self.answer(404, *plain({"error": {"message": f"no such path: {path}"}}))

    def content(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            content = b"".join(self.chunks())
        else:
            content = self.rfile.read(min(int(self.headers.get("content-length") or 0), REQUEST_BYTES_MAX))
        return gzip.decompress(content) if self.headers.get("content-encoding") == "gzip" else content

    def chunks(self) -> Iterator[bytes]:
        while length := int(self.rfile.readline().strip() or b"0", 16):
            yield self.rfile.read(length)
            self.rfile.readline()
        self.rfile.readline()

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(scripts: Scripts, log: Path, person: Person) -> None:
    """Answers from now on, in threads of this process."""
    server = Server(Model(scripts, log, person))
    threading.Thread(target=server.serve_forever, daemon=True).start()
