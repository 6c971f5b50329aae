/** Faults: what goes wrong with requests on purpose, and the limits on their rate. */

/** What goes wrong with a request. Times are milliseconds. */
export type Fault =
  /** 429 until the time is over, the first request included. */
  | { readonly rateLimitMs: number; readonly scope?: "user" | "shared" | "global" }
  /**
   * The connection is reset: before the request is carried out, or after, so that only the answer is lost. The client
   * tries again by itself; with `quietly` the connection just ends, which the client reports as an error at once.
   */
  | { readonly drop: "before" | "after"; readonly quietly?: true }
  /** The request is carried out late, or its answer comes late. */
  | { readonly delayMs: number; readonly when?: "before" | "after" }
  /** An answer of a broken server: 500, 502, 503. The request isn't carried out. */
  | { readonly status: number }
  /** A refusal by Discord's own code. */
  | { readonly status: number; readonly code: number; readonly message: string };

export interface PlannedFault {
  readonly route: string;
  readonly fault: Fault;
  /** Requests that it still meets. */
  left: number;
  /** Requests that it has met. */
  met: number;
  /** Lets the rest of the requests through. */
  cancel(): void;
}

/** The faults that tests plan. */
export class Faults {
  readonly #planned: PlannedFault[] = [];
  #limits: { readonly route: string; readonly until: number; readonly scope: string }[] = [];

  /**
   * Plans a fault for the next requests on a route, `times` of them (default 1).
   * A route is `POST /channels/:channel/messages`: a method (or `*`) and a path without `/api/v10`, where `:name` is any
   * one part of the path and `**` any rest. `* **` is every request, `PATCH **` every edit, `GET /cdn/**` every download.
   */
  add(route: string, fault: Fault, times = 1): PlannedFault {
    const planned: PlannedFault = {
      route,
      fault,
      left: times,
      met: 0,
      cancel() {
        planned.left = 0;
      },
    };
    this.#planned.push(planned);
    return planned;
  }

  /** Forgets every fault that was planned and ends every limit. */
  clear(): void {
    for (const planned of this.#planned) planned.left = 0;
    this.#limits = [];
  }

  /** The fault that meets a request, counted. */
  take(method: string, path: string): Fault | null {
    const now = performance.now();
    const limit = this.#limits.find(({ route, until }) => until > now && matches(route, method, path));
    if (limit !== undefined) return { rateLimitMs: limit.until - now, scope: scopeOf(limit.scope) };
    const planned = this.#planned.find(({ route, left }) => left > 0 && matches(route, method, path));
    if (planned === undefined) return null;
    planned.left -= 1;
    planned.met += 1;
    const { fault } = planned;
    if ("rateLimitMs" in fault) {
      const scope = fault.scope ?? "user";
      const route = scope === "global" ? "* **" : `${method} ${path}`;
      this.#limits.push({ route, until: now + fault.rateLimitMs, scope });
    }
    return fault;
  }
}

function scopeOf(text: string): "user" | "shared" | "global" {
  return text === "global" || text === "shared" ? text : "user";
}

/** Whether a route names a request. */
export function matches(route: string, method: string, path: string): boolean {
  const [wanted, pattern] = route.split(" ");
  if (wanted !== "*" && wanted !== method) return false;
  const source = (pattern ?? "**")
    .split(/(\*\*|:\w+)/)
    .map((part) =>
      part === "**" ? ".*" : part.startsWith(":") ? "[^/]+" : part.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${source}$`).test(path);
}
