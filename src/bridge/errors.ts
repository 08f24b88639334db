import { ResponseError } from "vscode-jsonrpc/node";
import { cancelledError, responseError } from "../editor/connection.ts";
import { Cancelled, PiError, UnknownCommand } from "../pi/error.ts";
import { codes, type ErrorKind } from "../protocol/errors.ts";

const CODE_OF: Record<ErrorKind, number> = {
  invalid_params: codes.InvalidParams,
  rejected: codes.RequestFailed,
  unavailable: codes.RequestFailed,
  exited: codes.RequestFailed,
  too_large: codes.InvalidParams,
};

/** The error answer for whatever went wrong on the way. A fault of the bridge's own is an internal error, with its name. */
export function toResponseError(error: unknown): ResponseError<unknown> {
  if (error instanceof ResponseError) return error;
  if (error instanceof PiError) return responseError(CODE_OF[error.data.kind], error.message, error.data);
  if (error instanceof Cancelled) return cancelledError(error.message);
  if (error instanceof UnknownCommand) return responseError(codes.MethodNotFound, error.message);
  return responseError(codes.InternalError, `pi-language-server failed: ${String(error)}`);
}
