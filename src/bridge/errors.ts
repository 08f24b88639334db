import { ResponseError } from "vscode-jsonrpc/node";
import { cancelledError, responseError } from "../editor/connection.ts";
import { Cancelled, PiError, UnknownCommand } from "../pi/error.ts";
import { codes, errors } from "../protocol/errors.ts";

/** The error answer for whatever went wrong on the way. A fault of the bridge's own is an internal error, with its name. */
export function toResponseError(error: unknown): ResponseError<unknown> {
  if (error instanceof ResponseError) return error;
  if (error instanceof PiError) return responseError(errors[error.data.kind].code, error.message, error.data);
  if (error instanceof Cancelled) return cancelledError(error.message);
  if (error instanceof UnknownCommand) return responseError(codes.MethodNotFound, error.message);
  return responseError(codes.InternalError, `pi-language-server failed: ${String(error)}`);
}
