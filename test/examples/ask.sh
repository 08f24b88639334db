#!/usr/bin/env bash
# ask.sh <question> [command …]: one answer of the agent on stdout. Needs jq.
set -euo pipefail

question=$1
shift
[[ $# -gt 0 ]] || set -- pi-language-server --stdio
coproc SERVER { exec "$@"; }

send() { # <message>
  local LC_ALL=C # so that ${#1} counts bytes
  printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1" >&"${SERVER[1]}"
}

receive() { # the next message, into $message
  local length line LC_ALL=C
  while IFS= read -r line <&"${SERVER[0]}" && line=${line%$'\r'} && [[ $line ]]; do
    [[ $line == Content-Length:* ]] && length=${line#*: }
  done
  IFS= read -r -d '' -N "$length" message <&"${SERVER[0]}"
}

send '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"capabilities":{}}}'
send "$(jq -cn --arg message "$question" '{jsonrpc: "2.0", id: 2, method: "bridge/run", params: {$message}}')"
until receive && [[ $(jq .id <<<"$message") == 2 ]]; do :; done
jq -r '(.error.message // .result.error) as $wrong | if $wrong then $wrong + "\n" | halt_error(1) else .result.text end' \
  <<<"$message"
