/** One line of the doctor's report. */
export interface Check {
  name: string;
  status: "ok" | "warn" | "fail";
  /** What was found. */
  found: string;
  /** What to do, where there is something to do. */
  hint?: string;
}

export const ok = (name: string, found: string): Check => ({ name, status: "ok", found });
export const warn = (name: string, found: string, hint: string): Check => ({ name, status: "warn", found, hint });
export const fail = (name: string, found: string, hint: string): Check => ({ name, status: "fail", found, hint });
