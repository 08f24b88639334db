import * as z from "zod";
import { once } from "../once.ts";

/** The parameters of a command that has none. */
export const noParams = once(() => z.strictObject({}));

/** The result of a command that pi answers without data. */
export const noResult = once(() => z.null());

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;

/** Stricter than `ImageContent` in what pi sends: a misspelt key here would reach the model as a broken image. */
export const imageInput = once(() =>
  z
    .union([
      z.strictObject({
        type: z.literal("image"),
        data: z.string().describe("The image, base64-encoded, without a `data:` prefix."),
        mimeType: z.string().describe("Its media type, such as `image/png`."),
      }),
      z.strictObject({
        type: z.literal("image"),
        path: z
          .string()
          .describe("A file (PNG, JPEG, GIF, WebP) that the bridge reads; relative to pi's working directory."),
      }),
    ])
    .meta({ id: "ImageInput", description: "An image that goes to the model with a message: itself, or its file." }),
);

export const images = once(() => z.array(imageInput()).exactOptional().describe("Images that go with the message."));

/** What a message to the agent consists of. */
export const promptParams = once(() =>
  z.strictObject({
    message: z.string().describe("The text of the message."),
    images: images(),
    streamingBehavior: z
      .enum(["steer", "followUp"])
      .exactOptional()
      .describe("While the agent runs: `steer` delivers after the current turn, `followUp` when it would stop."),
  }),
);
