import * as z from "zod";
import { once } from "./once.ts";

export interface DialogSpec {
  readonly summary: string;
  readonly notes?: string;
  /** pi's whole record, its `id` included. */
  readonly record: () => z.ZodObject;
  /** What the editor answers. */
  readonly answer: () => z.ZodType;
  readonly example: { readonly record: unknown; readonly answer: unknown };
}

export interface AnnouncementSpec {
  readonly summary: string;
  readonly notes?: string;
  readonly record: () => z.ZodObject;
  readonly example: unknown;
}

const TYPE = "extension_ui_request";

const common = <M extends string>(method: M) => ({
  type: z.literal(TYPE),
  id: z.string().describe("pi's id of this record."),
  method: z.literal(method),
});

const timeout = () =>
  z.number().exactOptional().describe("Milliseconds after which pi goes on without an answer and the dialog closes.");

// Looked at first, as pi does: an answer that carries both is a cancelled one.
const cancelled = once(() => z.object({ cancelled: z.literal(true) }));

const text = once(() => z.union([cancelled(), z.object({ value: z.string() }), z.null()]));

/** pi asks and waits. Requests to the editor. */
export const dialogs = {
  select: {
    summary: "Ask the user to choose one of several options.",
    notes: "`value` must be one of `options`; any other one counts as cancelled.",
    record: once(() =>
      z.object({ ...common("select"), title: z.string(), options: z.array(z.string()), timeout: timeout() }),
    ),
    answer: text,
    example: {
      record: {
        type: TYPE,
        id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        method: "select",
        title: "Allow dangerous command?",
        options: ["Allow", "Block"],
        timeout: 10000,
      },
      answer: { value: "Block" },
    },
  },
  confirm: {
    summary: "Ask the user a yes/no question.",
    record: once(() => z.object({ ...common("confirm"), title: z.string(), message: z.string(), timeout: timeout() })),
    answer: once(() => z.union([cancelled(), z.object({ confirmed: z.boolean() }), z.null()])),
    example: {
      record: {
        type: TYPE,
        id: "7c9e6679-7425-40de-944b-e07fc1f90ae8",
        method: "confirm",
        title: "Clear session?",
        message: "All messages will be lost.",
      },
      answer: { confirmed: true },
    },
  },
  input: {
    summary: "Ask the user for one line of text.",
    record: once(() =>
      z.object({
        ...common("input"),
        title: z.string(),
        placeholder: z.string().exactOptional(),
        timeout: timeout(),
      }),
    ),
    answer: text,
    example: {
      record: {
        type: TYPE,
        id: "7c9e6679-7425-40de-944b-e07fc1f90ae9",
        method: "input",
        title: "Name of the branch",
        placeholder: "feature/…",
      },
      answer: { value: "feature/checkout" },
    },
  },
  editor: {
    summary: "Ask the user to write or edit a text of several lines.",
    record: once(() => z.object({ ...common("editor"), title: z.string(), prefill: z.string().exactOptional() })),
    answer: text,
    example: {
      record: {
        type: TYPE,
        id: "7c9e6679-7425-40de-944b-e07fc1f90aea",
        method: "editor",
        title: "Commit message",
        prefill: "Fix the cart\n",
      },
      answer: { value: "Fix the cart's rounding\n" },
    },
  },
} as const satisfies Record<string, DialogSpec>;

/** pi tells and goes on. Notifications to the editor. */
export const announcements = {
  notify: {
    summary: "Show the user a message.",
    record: once(() =>
      z.object({
        ...common("notify"),
        message: z.string(),
        notifyType: z.enum(["info", "warning", "error"]).exactOptional().describe("Absent means `info`."),
      }),
    ),
    example: {
      type: TYPE,
      id: "7c9e6679-7425-40de-944b-e07fc1f90aeb",
      method: "notify",
      message: "Command blocked by user",
      notifyType: "warning",
    },
  },
  setStatus: {
    summary: "Set or clear an extension's entry in the status line.",
    notes: "The text is meant for a terminal and may carry ANSI escape sequences.",
    record: once(() =>
      z.object({
        ...common("setStatus"),
        statusKey: z.string().describe("Whose entry it is."),
        statusText: z.string().exactOptional().describe("Absent: clear the entry."),
      }),
    ),
    example: {
      type: TYPE,
      id: "7c9e6679-7425-40de-944b-e07fc1f90aec",
      method: "setStatus",
      statusKey: "reviewer",
      statusText: "Turn 3 running…",
    },
  },
  setWidget: {
    summary: "Set or clear an extension's block of lines above or below the input.",
    notes: "The lines are meant for a terminal and may carry ANSI escape sequences.",
    record: once(() =>
      z.object({
        ...common("setWidget"),
        widgetKey: z.string().describe("Whose block it is."),
        widgetLines: z.array(z.string()).exactOptional().describe("Absent: remove the block."),
        widgetPlacement: z.enum(["aboveEditor", "belowEditor"]).exactOptional().describe("Absent means `aboveEditor`."),
      }),
    ),
    example: {
      type: TYPE,
      id: "7c9e6679-7425-40de-944b-e07fc1f90aed",
      method: "setWidget",
      widgetKey: "todo",
      widgetLines: ["[x] read the code", "[ ] write the test"],
      widgetPlacement: "aboveEditor",
    },
  },
  setTitle: {
    summary: "Set the title of the window.",
    record: once(() => z.object({ ...common("setTitle"), title: z.string() })),
    example: {
      type: TYPE,
      id: "7c9e6679-7425-40de-944b-e07fc1f90aee",
      method: "setTitle",
      title: "pi - shop",
    },
  },
  set_editor_text: {
    summary: "Put a text into the input where the user writes prompts.",
    record: once(() => z.object({ ...common("set_editor_text"), text: z.string() })),
    example: {
      type: TYPE,
      id: "7c9e6679-7425-40de-944b-e07fc1f90aef",
      method: "set_editor_text",
      text: "/review src/cart.ts",
    },
  },
} as const satisfies Record<string, AnnouncementSpec>;

export type DialogName = keyof typeof dialogs;
export type AnnouncementName = keyof typeof announcements;
export type DialogRecord<N extends DialogName> = z.infer<ReturnType<(typeof dialogs)[N]["record"]>>;
export type DialogAnswer<N extends DialogName> = z.infer<ReturnType<(typeof dialogs)[N]["answer"]>>;
export type AnnouncementRecord<N extends AnnouncementName> = z.infer<ReturnType<(typeof announcements)[N]["record"]>>;

export function isDialog(method: string): method is DialogName {
  return Object.hasOwn(dialogs, method);
}

export function isAnnouncement(method: string): method is AnnouncementName {
  return Object.hasOwn(announcements, method);
}
