/**
 * Going back to earlier weights of a policy. History never changes: a rollback is one more version, whose weights are those
 * of an older one. What is being played goes on with the version that it is pinned to; training on it comes too late then.
 */
import { hash } from "node:crypto";
import { InputError } from "../../config/errors.ts";
import type { PolicyRecord } from "../../store/records.ts";
import { audit } from "../decisions.ts";
import type { Services } from "../services.ts";
import { policyOf } from "./look-up.ts";

/** Times that a rollback tries again because another version was made meanwhile. */
const tries = 10;

/**
 * Stores a new newest version with the weights of `version`, and an audit line. Throws `input.not-found` for a version
 * that there is not, and `input.conflict` where the newest version has these weights already.
 */
export async function rollback(services: Services, version: string, by: string): Promise<PolicyRecord> {
  const { store, now } = services;
  const target = await policyOf(store, version);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const newest = await store.policies.latest(target.provider);
    if (newest === null || newest.version === target.version) {
      throw new InputError(
        "input.conflict",
        `${version} is the newest version of ${target.provider} already.`,
      );
    }
    if (newest.weightsId === target.weightsId) {
      throw new InputError(
        "input.conflict",
        `The newest version of ${target.provider}, ${newest.version}, has the weights of ${version} already.`,
      );
    }
    const record: PolicyRecord = {
      version: nameOf(newest, target),
      parent: newest.version,
      provider: target.provider,
      weightsId: target.weightsId,
      restores: target.version,
      note: `rolled back to ${target.version} by ${by}`,
      createdAt: now(),
    };
    if (await store.policies.insert(record)) {
      await audit(services, by, "policy.rollback", record.version, `${newest.version} → ${target.version}`);
      return record;
    }
  }
  throw new InputError(
    "input.conflict",
    `New versions of ${target.provider} are made all the time: try again.`,
  );
}

/** Begins as the versions of its model do. */
function nameOf(newest: PolicyRecord, target: PolicyRecord): string {
  const digits = hash("sha256", `${newest.version} restores ${target.version}`).slice(0, 12);
  return `${target.version.replace(/-[^-]*$/, "")}-${digits}`;
}
