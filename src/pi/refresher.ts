import type { Exchange } from "./exchange.ts";
import type { Status } from "./status.ts";

/** Keeps the status up to date with what pi tells only when it is asked. One question at a time, however much changes. */
export class Refresher {
  private readonly exchange: Exchange;
  private readonly status: Status;
  private readonly changed: () => void;
  private asking: "no" | "once" | "again" = "no";

  constructor(exchange: Exchange, status: Status, changed: () => void) {
    this.exchange = exchange;
    this.status = status;
    this.changed = changed;
  }

  /** Something has changed: asks pi, once more if something changes while it is being asked. */
  refresh(): void {
    if (this.asking !== "no") {
      this.asking = "again";
      return;
    }
    this.asking = "once";
    // Each is taken in when it comes: the record behind it may tell that the run is over, and the state is from before.
    const state = this.ask("get_state").then((data) => this.status.apply(data));
    const stats = this.ask("get_session_stats")
      .catch(() => ({}))
      .then((data) => this.status.applyStats(data));
    Promise.all([state, stats]).then(
      () => {
        const again = this.asking === "again";
        this.asking = "no";
        this.changed();
        if (again) this.refresh();
      },
      // pi has ended: the next one is asked when it is ready.
      () => {
        this.asking = "no";
      },
    );
  }

  /** The data of pi's answer to a command without parameters. */
  async ask(command: string): Promise<object> {
    return JSON.parse((await this.exchange.own(command).answer)?.toString("utf8") ?? "{}");
  }
}
