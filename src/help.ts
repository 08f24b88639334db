/** What `--help` prints behind the name and the version, and the README shows. */
export const HELP = `the pi coding agent as a language server.

Usage
  pi-language-server [--stdio] [options] [-- <pi options>]
  pi-language-server doctor         check all that pi needs here (--json: as JSON)
  pi-language-server demo           show a session in this terminal: needs pi, no key
  pi-language-server path <editor>  print the folder of the neovim or emacs client
  pi-language-server schema         print the protocol as an OpenRPC document
  pi-language-server replay <file>  serve a client from a --log file instead of pi
  pi-language-server play <file>    be the pi of a --log file, to test a client with

Options
  --stdio                 speak on stdin and stdout (default)
  --pipe <path>           connect to the editor, on a Unix socket or named pipe
  --socket <port>         connect to the editor, on a port of 127.0.0.1
  --clientProcessId <n>   end when this process ends
  --pi <command>          the pi executable (default: pi), or a JSON array of
                          words: '["ssh","host","pi"]'
  --cwd <folder>          pi's working directory (default: the workspace folder)
  --log <file>            append a log of the traffic with pi, as JSON lines
  --version               print the version
  --help                  print this text

What follows "--" goes to pi: pi-language-server -- --model sonnet --no-session
A client can set the same and more by initializationOptions, which beat these flags.
`;
