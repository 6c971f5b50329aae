/** What every store promises about leases: one holder at a time, taken over once it ran out or its process died. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Lease } from "../../store/store.ts";
import { ended, message, type OpenedStore } from "./store-opened.ts";
import type { Job } from "./store-process.ts";

export function leasesContract(opened: OpenedStore): void {
  describe("leases", () => {
    test("are held by one, and given back", async () => {
      const lease = await held(opened.store.leases.acquire("round:r1", 60_000));
      expect(await opened.store.leases.acquire("round:r1", 60_000)).toBeNull();
      expect(await opened.store.leases.acquire("round:r2", 60_000)).not.toBeNull();
      expect(await opened.store.leases.holder("round:r1")).toEqual(lease);
      await opened.store.leases.release(lease);
      expect(await opened.store.leases.holder("round:r1")).toBeNull();
      const next = await held(opened.store.leases.acquire("round:r1", 60_000));
      expect(next.token).toBeGreaterThan(lease.token);
      expect(next.holder).not.toBe(lease.holder);
    });

    test("of another handle of a live process are respected", async () => {
      const other = await opened.another();
      await held(other.leases.acquire("round:r1", 60_000));
      expect(await opened.store.leases.acquire("round:r1", 60_000)).toBeNull();
      await other.close();
    });

    test("run out, and then can't be renewed or released by the old holder once taken", async () => {
      const old = await held(opened.store.leases.acquire("round:r1", 1));
      const taken = await eventually(() => opened.store.leases.acquire("round:r1", 60_000));
      expect(taken.token).toBeGreaterThan(old.token);
      expect(await opened.store.leases.renew(old, 60_000)).toBe(false);
      await opened.store.leases.release(old);
      expect(await opened.store.leases.holder("round:r1")).toEqual(taken);
    });

    test("are renewed by their holder", async () => {
      const lease = await held(opened.store.leases.acquire("round:r1", 1));
      expect(await opened.store.leases.renew(lease, 60_000)).toBe(true);
      expect(await opened.store.leases.acquire("round:r1", 60_000)).toBeNull();
      expect((await opened.store.leases.holder("round:r1"))?.expiresAt).toBeGreaterThan(lease.expiresAt);
      await opened.store.leases.release(lease);
      expect(await opened.store.leases.renew(lease, 60_000)).toBe(false);
    });

    test("of a live process are respected, of a killed one taken over at once", async () => {
      const child = await opened.start({ do: "hold", name: "round:r1", ttlMs: 3_600_000 });
      const { token } = z.object({ token: z.number() }).parse(await message(child));
      expect(await opened.store.leases.acquire("round:r1", 60_000)).toBeNull();
      await ended(child, "SIGKILL");
      expect(await opened.store.leases.holder("round:r1")).toBeNull();
      const lease = await held(opened.store.leases.acquire("round:r1", 60_000));
      expect(lease.token).toBeGreaterThan(token);
    });

    test("fought over by several processes never have two holders of one token", async () => {
      const job: Job = { do: "contend", name: "round:r1", times: 20 };
      const tokens = (await opened.together(z.array(z.number()), [job, job, job])).flat();
      expect(new Set(tokens).size).toBe(60);
      expect(Math.max(...tokens)).toBe(60);
    });
  });
}

async function held(acquiring: Promise<Lease | null>): Promise<Lease> {
  const lease = await acquiring;
  if (lease === null) throw new Error("somebody else holds the lease");
  return lease;
}

async function eventually(acquire: () => Promise<Lease | null>): Promise<Lease> {
  for (;;) {
    const lease = await acquire();
    if (lease !== null) return lease;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
