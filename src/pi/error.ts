import type { ErrorData } from "../protocol/errors.ts";

/** What went wrong with pi: one error, one discriminator (`data.kind`). The edge turns it into a JSON-RPC error. */
export class PiError extends Error {
  readonly data: ErrorData;

  constructor(message: string, data: ErrorData) {
    super(message);
    this.name = "PiError";
    this.data = data;
  }
}

/** The request was taken back: by the editor, or by an abort that overtook it. */
export class Cancelled extends Error {
  constructor(message = "The request was cancelled.") {
    super(message);
    this.name = "Cancelled";
  }
}

/** pi does not know the command. */
export class UnknownCommand extends Error {
  constructor(command: string) {
    super(`pi does not know the command "${command}".`);
    this.name = "UnknownCommand";
  }
}
