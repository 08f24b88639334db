import type { Item } from "./flight.ts";
import type { Job } from "./jobs.ts";

/** What is to be written and is not under way, in order. Texts that follow each other are one. */
export class Waiting {
  private items: Item[] = [];

  get first(): Item | undefined {
    return this.items[0];
  }

  add(text: string): void {
    const last = this.items.at(-1);
    if (last && "text" in last) last.text += text;
    else this.items.push({ text });
  }

  addJob(job: Job): void {
    this.items.push({ job, tries: 0 });
  }

  /** Before all else. */
  putFirst(item: Item): void {
    const { first } = this;
    if ("text" in item && item.text === "") return;
    if ("text" in item && first && "text" in first) first.text = item.text + first.text;
    else this.items.unshift(item);
  }

  take(): Item | undefined {
    return this.items.shift();
  }

  takeAll(): Item[] {
    return this.items.splice(0);
  }
}
