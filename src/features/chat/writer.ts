import type { TextDocumentContentChangeEvent } from "vscode-languageserver-protocol";
import { applyChanges, applyEdits, type Edit, moved } from "./changes.ts";
import type { ClientManner } from "./clients.ts";
import { type Flight, growth, type Item, madeAmong, type Stray, strayOf } from "./flight.ts";
import { heading, type Job, type Plan, remove, type View } from "./jobs.ts";
import { eolOf, headingAfter, promptHeading, transcriptEnd } from "./layout.ts";
import { type Clock, Pace } from "./pace.ts";
import { hasSection, locate, locateAgain, type Own, ownOf } from "./place.ts";
import { Waiting } from "./waiting.ts";

/**
 * The document goes on without the answer (`detached`), has lost a part of it, the editor takes no edits, or the file of one
 * that no editor has open cannot be written.
 */
export type Trouble = "detached" | "incomplete" | "refused" | "unwritable";

export interface WriterEvents {
  /**
   * Asks the editor for EDITS. They count in TEXT, which was synced as VERSION, and may be made in no other one when they
   * are exact. Its reply comes back to `replied`.
   */
  send(id: number, edits: readonly Edit[], text: string, version: number, isExact: boolean): void;
  trouble(what: Trouble): void;
}

const TRUST_MS = 1000;
/** An edit that has no reply by then is one that the editor does not make. */
const SILENCE_MS = 10_000;
const TRIES = 5;
const TRUSTED_FLIGHTS = 8;

/**
 * Writes into a document that a person edits at the same time. One edit is under way at a time, and nothing is computed
 * from anything but the text as the editor has told it.
 */
export class Writer {
  /** With LF, whatever the editor has: some tell of their edits with other line breaks than those that were sent. */
  text = "";
  version = 0;
  private readonly manner: ClientManner;
  private readonly events: WriterEvents;
  private readonly clock: Clock;
  private isOpen = false;
  /** The line break that the editor has told of last. */
  private eol = "\n";
  private readonly waiting = new Waiting();
  private flights: Flight[] = [];
  private own: Own | undefined;
  private isKept = false;
  /** What was kept is gone from the document: what it was, the chunks that were on their way to it, and what came since. */
  private lostPlace: { own: Own; chunks: string[]; text: string } | undefined;
  private isTrusting = false;
  private isSilent = false;
  private nextId = 1;
  private readonly pace: Pace;
  private wake: (() => void) | undefined;

  constructor(manner: ClientManner, events: WriterEvents, clock: Clock) {
    this.manner = manner;
    this.events = events;
    this.clock = clock;
    this.pace = new Pace(manner, clock);
  }

  /** Nothing waits and nothing is under way. */
  get isIdle(): boolean {
    return this.waiting.first === undefined && this.flights.length === 0;
  }

  opened(text: string, version: number): void {
    // Some open a document twice. What is under way to an open one has not been answered yet.
    if (!this.isOpen) for (const flight of this.flights) flight.isReplied = true;
    this.isOpen = true;
    this.version = version;
    this.anew(text);
    this.became(this.text, version, []);
  }

  changed(changes: readonly TextDocumentContentChangeEvent[], version: number): void {
    for (const { text } of changes) if (text.includes("\n")) this.eol = eolOf(text);
    const plain = changes.map((change) => ({ ...change, text: change.text.replaceAll("\r\n", "\n") }));
    const { text, edits } = applyChanges(this.text, plain);
    this.became(text, version, edits);
  }

  closed(): void {
    this.isOpen = false;
  }

  /**
   * Writes all that waits into TEXT, which is the document's while no editor has it.
   * @returns the text with it; undefined when an editor has the document, or nothing is to be written
   */
  write(text: string): string | undefined {
    if (this.isOpen || this.isIdle) return undefined;
    for (const flight of this.flights) flight.isReplied = true;
    this.anew(text);
    this.settle();
    for (let item = this.waiting.take(); item; item = this.waiting.take()) {
      this.own ??= this.findOwn();
      const view = this.view();
      const plan = "job" in item ? item.job.plan(view) : this.grow(view, item);
      if (plan) {
        this.text = applyEdits(this.text, plan.edits);
        this.own = ownOf(this.text, plan.own ?? this.text.slice(0, plan.anchor), plan.anchor, this.own);
      }
      this.finish(item, plan !== undefined);
    }
    this.letGo();
    const written = this.text.replaceAll("\n", this.eol);
    return written === text ? undefined : written;
  }

  /** The editor's word on an edit. A refusal is believed; that it was applied is only believed of a trusted client. */
  replied(id: number, isApplied: boolean): void {
    const flight = this.flights.find((one) => one.id === id);
    // The change that proves an edit may come before the reply.
    if (!flight) return;
    if (isApplied) {
      flight.isReplied = true;
      this.pace.accepted();
      if (this.manner.isTrusted) this.clock.after(TRUST_MS, () => this.trust(flight));
      return;
    }
    this.takeBack(flight);
    if (this.pace.refused(flight.version !== this.version)) this.events.trouble("refused");
    this.pump();
  }

  /** The transcript grows by TEXT. */
  append(text: string): void {
    if (text === "") return;
    if (this.lostPlace) {
      this.lostPlace.text += text;
      return;
    }
    this.waiting.add(text);
    this.pump();
  }

  do(job: Job): void {
    this.waiting.addJob(job);
    this.pump();
  }

  /**
   * From here on, until `release`, all that is written belongs together, wherever other headings appear. A run that is told
   * of twice is the same one: what has lost its place does not find another.
   */
  keep(): void {
    if (!this.isKept) this.lostPlace = undefined;
    this.isKept = true;
  }

  /** A new turn has a place of its own, though the run's may be lost. */
  turn(text: string): void {
    this.lostPlace = undefined;
    this.append(text);
  }

  release(): void {
    if (this.lostPlace) this.events.trouble("incomplete");
    this.lostPlace = undefined;
    this.isKept = false;
    this.letGo();
  }

  private became(text: string, version: number, edits: readonly Edit[]): void {
    const [flight] = this.flights;
    const isOurs = flight?.text === this.text && text === applyEdits(this.text, flight.edits);
    const made = flight && !this.isTrusting ? madeAmong(edits, this.text, flight) : undefined;
    const isAstray = made !== undefined && !made.isRight && flight?.chunk !== "";
    const stray = isAstray ? { start: made.start, text: flight?.edits[0]?.text ?? "" } : undefined;
    this.text = text;
    this.version = version;
    this.pace.changed(isOurs);
    for (const edit of edits) {
      if (this.own) this.own.anchor = moved(this.own.anchor, edit);
      for (const { place } of this.flights)
        Object.assign(place, { start: moved(place.start, edit), end: moved(place.end, edit) });
    }
    if (flight && made?.isRight && flight.chunk === "") this.landJob(flight);
    if (flight && stray) this.takeBack(flight);
    if (this.lostPlace) this.findAgain(this.lostPlace);
    this.settle(stray);
    if (stray) this.waiting.putFirst({ job: remove(stray, text), tries: 0 });
    this.letGo();
    this.pump();
  }

  /** TEXT is not what became of the last one, but what was saved at some time. */
  private anew(text: string): void {
    this.eol = eolOf(text);
    this.text = text.replaceAll("\r\n", "\n");
    if (this.own && !hasSection(this.text, this.own)) this.detach();
  }

  /** Holds what is known against the text as it is now, but for a STRAY that is in it. */
  private settle(stray?: Stray): void {
    const { own } = this;
    if (!own) return;
    if (stray) {
      const { start, text } = stray;
      const edit = { start, end: start + text.length, text: "" };
      const place = locate(applyEdits(this.text, [edit]), { ...own, anchor: moved(own.anchor, edit) }, []);
      if (!place) return this.detach();
      const anchor = moved(place.anchor, { start, end: start, text });
      return void Object.assign(own, ownOf(this.text, place.text ?? own.text, anchor, own));
    }
    for (const flight of this.flights)
      if (flight.chunk === "" && "job" in flight.item && flight.item.job.landed(this.text)) {
        this.landJob(flight);
      }
    const chunks = this.flights.filter(({ chunk }) => chunk !== "");
    const place = locate(
      this.text,
      own,
      chunks.map(({ chunk }) => chunk),
    );
    if (!place) return this.detach();
    const landed = chunks.slice(0, place.landed);
    const written = place.text ?? own.text + landed.map(({ chunk }) => chunk).join("");
    Object.assign(own, ownOf(this.text, written, place.anchor, own));
    for (const flight of landed) this.land(flight);
    for (const flight of this.flights.filter(({ isReplied }) => isReplied)) this.lost(flight);
    if (this.flights.length === 0 && !headingAfter(this.text, own.anchor))
      this.waiting.putFirst({ job: heading(), tries: 0 });
  }

  /** An edit was accepted, and the text that came after that does not have it. */
  private lost(flight: Flight): void {
    if (this.isTrusting && flight.chunk !== "") {
      // What else is under way rests on it, and what is sent twice is worse than what is missing.
      this.flights = this.flights.filter((one) => one !== flight);
      this.finish(flight.item, true);
      return this.events.trouble("incomplete");
    }
    const stray = this.own && strayOf(flight, this.text, this.own.anchor);
    this.takeBack(flight);
    if (stray) this.waiting.putFirst({ job: remove(stray, this.text), tries: 0 });
  }

  private land(flight: Flight): void {
    this.flights = this.flights.filter((one) => one !== flight);
    this.finish(flight.item, true);
  }

  private landJob(flight: Flight): void {
    this.land(flight);
    if (flight.own !== undefined && this.own)
      Object.assign(this.own, ownOf(this.text, flight.own, flight.anchor, this.own));
  }

  private takeBack(flight: Flight): void {
    this.flights = this.flights.filter((one) => one !== flight);
    if (flight.before !== undefined) this.own = undefined;
    const { item } = flight;
    if ("job" in item && flight.chunk === "") {
      item.tries += 1;
      if (item.tries >= TRIES) return this.finish(item, false);
    }
    this.waiting.putFirst(item);
  }

  private finish(item: Item, isLanded: boolean): void {
    if ("job" in item) item.job.done(isLanded);
  }

  /** The own section is gone. Outside of a run, what waits finds another place. */
  private detach(): void {
    if (!this.isKept || this.lostPlace) {
      for (const flight of this.flights) this.takeBack(flight);
      this.own = undefined;
      return;
    }
    const { own, flights } = this;
    const waiting = this.waiting.takeAll();
    if (own) {
      const chunks = flights.flatMap(({ item, chunk }) => ("text" in item ? [chunk] : []));
      this.lostPlace = { own, chunks, text: waiting.map((item) => ("text" in item ? item.text : "")).join("") };
    }
    this.flights = [];
    this.own = undefined;
    for (const item of [...flights.map(({ item }) => item), ...waiting]) this.finish(item, false);
    this.events.trouble("detached");
  }

  /** Whoever has deleted too much takes it back: the answer goes on behind what is there again. */
  private findAgain({ own, chunks, text }: NonNullable<Writer["lostPlace"]>): void {
    const place = locateAgain(this.text, own, chunks);
    if (!place) return;
    this.lostPlace = undefined;
    const written = own.text + chunks.slice(0, place.landed).join("");
    this.own = ownOf(this.text, written, place.anchor, own);
    this.waiting.putFirst({ text: chunks.slice(place.landed).join("") + text });
  }

  /** Told once: an editor that says nothing to this edit says nothing to the next. */
  private silent(flight: Flight): void {
    if (this.isSilent || flight.isReplied || !this.flights.includes(flight)) return;
    this.isSilent = true;
    this.events.trouble("refused");
  }

  private trust(flight: Flight): void {
    if (!this.flights.includes(flight)) return;
    this.isTrusting = true;
    this.finish(flight.item, true);
    if ("job" in flight.item) flight.item = { text: "" };
    this.pump();
  }

  /** Where the transcript ends is looked for anew by what is written next. */
  private letGo(): void {
    if ((!this.isKept || this.lostPlace) && this.isIdle) this.own = undefined;
  }

  private pump(): void {
    this.wake?.();
    this.wake = undefined;
    const limit = this.isTrusting ? TRUSTED_FLIGHTS : 1;
    const item = this.waiting.first;
    if (!item || !this.isOpen || this.flights.length >= limit) return;
    const { wait } = this.pace;
    if (wait > 0) {
      this.wake = this.clock.after(wait, () => this.pump());
      return;
    }
    this.waiting.take();
    this.own ??= this.findOwn();
    const view = this.view();
    const plan = "job" in item ? item.job.plan(view) : this.grow(view, item);
    if (!plan) {
      this.finish(item, false);
      this.letGo();
      return this.pump();
    }
    const flight: Flight = {
      ...plan,
      id: this.nextId++,
      item,
      position: view.anchor,
      text: view.text,
      version: this.version,
      isReplied: false,
      place: { start: plan.edits[0]?.start ?? 0, end: plan.edits[0]?.end ?? 0 },
    };
    if (plan.before !== undefined) this.own = ownOf(this.text, plan.before, plan.before.length);
    this.flights.push(flight);
    this.pace.sent();
    this.clock.after(SILENCE_MS, () => this.silent(flight));
    const edits = plan.edits.map((edit) => ({ ...edit, text: edit.text.replaceAll("\n", this.eol) }));
    this.events.send(flight.id, edits, view.text, this.version, plan.isExact === true);
  }

  private grow(view: View, item: { text: string }): Plan {
    const { plan, rest } = growth(view, item.text);
    item.text = item.text.slice(0, item.text.length - rest.length);
    this.waiting.putFirst({ text: rest });
    return plan;
  }

  private view(): View {
    const view = { text: this.text, anchor: this.own?.anchor ?? 0 };
    for (const flight of this.flights) {
      view.text = applyEdits(view.text, flight.edits);
      view.anchor = flight.anchor;
    }
    return view;
  }

  private findOwn(): Own {
    const last = promptHeading(this.text);
    const anchor = last ? transcriptEnd(this.text, last.start) : this.text.trimEnd().length;
    return ownOf(this.text, this.text.slice(0, anchor), anchor);
  }
}
