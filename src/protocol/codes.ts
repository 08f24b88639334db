/** The error codes that this bridge uses: those of JSON-RPC and of LSP. Without zod, for clients that import only this. */
export const codes = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  ServerNotInitialized: -32002,
  RequestFailed: -32803,
  RequestCancelled: -32800,
} as const;

export type ErrorCode = (typeof codes)[keyof typeof codes];
