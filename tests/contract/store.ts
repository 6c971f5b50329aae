/**
 * What every store promises, as one suite. A test file calls it with its adapter; other processes open the same store
 * through the adapter's opener module.
 */
import { describe } from "vitest";
import { environmentsContract } from "./store-environments-contract.ts";
import { keptContract } from "./store-kept-contract.ts";
import { leasesContract } from "./store-leases-contract.ts";
import { openedStore, type StoreAdapter } from "./store-opened.ts";
import { processesContract } from "./store-processes-contract.ts";
import { recordsContract } from "./store-records-contract.ts";

export function storeContract(adapter: StoreAdapter): void {
  describe(`the store on ${adapter.name}`, () => {
    const opened = openedStore(adapter);
    recordsContract(opened);
    keptContract(opened);
    environmentsContract(opened);
    leasesContract(opened);
    processesContract(opened);
  });
}
