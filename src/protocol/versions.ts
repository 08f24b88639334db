/** `capabilities.experimental.pi.version`. It rises when a client would break. */
export const PROTOCOL_VERSION = 1;

/** The newest pi that the tables describe. An older one knows less of them; their `notes` say where. */
export const PI_VERSION = "1.6.0";
