import * as z from "zod";
import { once } from "../once.ts";

export const textContent = once(() =>
  z
    .object({
      type: z.literal("text"),
      text: z.string(),
      textSignature: z.string().exactOptional().describe("Opaque; of the provider."),
    })
    .meta({ id: "TextContent" }),
);

export const imageContent = once(() =>
  z
    .object({
      type: z.literal("image"),
      data: z.string().describe("Base64-encoded."),
      mimeType: z.string(),
    })
    .meta({ id: "ImageContent" }),
);

export const thinkingContent = once(() =>
  z
    .object({
      type: z.literal("thinking"),
      thinking: z.string(),
      thinkingSignature: z.string().exactOptional().describe("Opaque; of the provider."),
      redacted: z.boolean().exactOptional().describe("The provider withheld the text."),
    })
    .meta({ id: "ThinkingContent" }),
);

export const toolCall = once(() =>
  z
    .object({
      type: z.literal("toolCall"),
      id: z.string(),
      name: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      thoughtSignature: z.string().exactOptional().describe("Opaque; of the provider."),
      namespace: z.string().exactOptional(),
      argumentsError: z.string().exactOptional().describe("Why the model's arguments could not be read."),
    })
    .meta({ id: "ToolCall" }),
);

/** What a user, a tool or an extension says. */
export const richContent = once(() => z.array(z.union([textContent(), imageContent()])));

/** What the model says. */
export const assistantContent = once(() => z.array(z.union([textContent(), thinkingContent(), toolCall()])));
