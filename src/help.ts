/** What `--help` prints behind the name and the version, and the README shows. */
export const HELP = `the pi coding agent as a language server.

Usage
  pi-language-server [--stdio] [options] [-- <pi options>]
  pi-language-server schema        print the protocol as an OpenRPC document
  pi-language-server doctor        check all that pi needs here (--json: as JSON)
  pi-language-server demo          a scripted session in this terminal; needs pi, but no key and no network
  pi-language-server path <editor> print the folder of the package's client for neovim or emacs
  pi-language-server replay <file> serve a client from a --log file in place of pi; at its end, what it has not is refused
  pi-language-server play <file>   be the pi of a --log file, as replay runs it: a command for clients' tests

Options
  --stdio                 speak on stdin and stdout (default)
  --pipe <path>           connect to the editor's listener on a Unix socket or named pipe
  --socket <port>         connect to the editor's listener on 127.0.0.1
  --clientProcessId <n>   end when this process ends
  --pi <command>          the pi executable, or a JSON array of words: '["ssh","host","pi"]' (default: pi)
  --cwd <folder>          pi's working directory (default: the editor's workspace folder)
  --log <file>            append a log of the traffic with pi, as JSON lines
  --version               print the version
  --help                  print this text

What follows "--" goes to pi: pi-language-server -- --model sonnet --no-session
A client can set the same and more by initializationOptions; they come before these flags.
`;
