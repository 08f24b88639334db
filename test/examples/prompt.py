#!/usr/bin/env python3
"""prompt.py <question> [command ...]: streams the agent's answer to stdout."""
import json
import os
import subprocess
import sys

question = sys.argv[1] if len(sys.argv) > 1 else "Hello"
command = sys.argv[2:] or ["pi-language-server", "--stdio"]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


def messages():
    while True:
        length = None
        while (line := server.stdout.readline().strip()) != b"":
            name, value = line.split(b":", 1)
            if name.lower() == b"content-length":
                length = int(value)
        if length is None:
            return
        yield json.loads(server.stdout.read(length))


opt_in = {"experimental": {"pi": {"events": True}}}
send(id=1, method="initialize", params={"processId": os.getpid(), "rootUri": None, "capabilities": opt_in})
send(method="initialized", params={})
send(id=2, method="bridge/run", params={"message": question})
for message in messages():
    if message.get("method") == "pi/message_update":
        event = message["params"]["assistantMessageEvent"]
        if event["type"] == "text_delta":
            print(event["delta"], end="", flush=True)
    elif message.get("id") == 2:
        break
print()
send(id=3, method="shutdown")
send(method="exit")
server.wait()
sys.exit(message["error"]["message"] if "error" in message else message["result"].get("error"))
