import type { Db, Tx } from '../../platform/db/database.ts';
import { within } from '../../platform/within.ts';
import type { AuditEntry } from '../../resources/hooks.ts';

/** A change by a user, as the logs have it. Later versions must read those of this one. */
export interface KeptChange {
  /** Id of its row in the operate log or the password change log. */
  readonly id: string;
  readonly organization: string;
  readonly user: string;
  readonly action: AuditEntry['action'];
  readonly resourceType: string;
  readonly resource: string;
  readonly resourceId: string;
  readonly remoteAddress: string;
  /** Null if there are none, or too many to keep. */
  readonly changes: AuditEntry['changes'] | null;
  /** Milliseconds since 1970. */
  readonly date: number;
}

type KeepChanges = (changes: readonly KeptChange[]) => Promise<void>;

/** Time that an answer waits for its changes to be kept. */
const PATIENCE_MS = 2_000;
/** Characters of the changes of one transaction that are kept; of later ones only the names. */
const MOST_CHARACTERS = 2_000_000;

const keepers = new WeakMap<Db, KeepChanges>();

/**
 * Calls `keep` with each committed change of a user, before the user learns of the commit. A later
 * state of the database may lack the change.
 */
export function keepChangesOf(db: Db, keep: KeepChanges): void {
  keepers.set(db, keep);
}

/** Keeps changes when their transaction is committed. */
export async function keepCommitted(tx: Db | Tx, changes: readonly KeptChange[]): Promise<void> {
  const keep = keepers.get(tx.root);
  if (!keep || changes.length === 0) return;
  let characters = 0;
  const kept = changes.map((change) => {
    characters += JSON.stringify(change.changes ?? null).length;
    return characters > MOST_CHARACTERS ? { ...change, changes: null } : change;
  });
  // The change is committed. A disk that fails or hangs reports itself.
  await tx.afterCommit(() =>
    within(keep(kept), PATIENCE_MS, () => undefined).catch(() => undefined),
  );
}
