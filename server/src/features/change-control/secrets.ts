import type { ProposedChange } from '@sallyport/contract';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Conflict } from '../../platform/errors.ts';
import type { ChangeSet, StoredChange } from './store.ts';
import { resourceOf } from './work.ts';

/** Secret values by place, such as `0.password`. */
type Secrets = Readonly<Record<string, unknown>>;

const contextOf = (id: string, place: string) => `change_set_secret.value.${id}.${place}`;

/** Separates the secret values of changes from the rest. The changes name their fields. */
export function withoutSecrets(changes: readonly StoredChange[]): {
  readonly changes: StoredChange[];
  readonly secrets: Secrets;
} {
  const secrets: Record<string, unknown> = {};
  const rest = changes.map((change, index): StoredChange => {
    const { fields } = resourceOf(change.proposed);
    const body = { ...change.proposed.body };
    const names: string[] = [];
    for (const [name, { kind }] of Object.entries(fields)) {
      if (kind !== 'secret' || !(name in body)) continue;
      // A blank value keeps the stored secret.
      if (body[name] !== '') {
        names.push(name);
        secrets[`${index}.${name}`] = body[name];
      }
      delete body[name];
    }
    return names.length === 0
      ? { ...change, proposed: { ...change.proposed, body } }
      : { ...change, proposed: { ...change.proposed, body }, secrets: names };
  });
  return { changes: rest, secrets };
}

/** Seals the secrets of a change set until it ends. */
export async function keepSecrets(
  id: string,
  secrets: Secrets,
  { vault, tx }: { readonly vault: Vault; readonly tx: Tx },
): Promise<void> {
  for (const [place, value] of Object.entries(secrets))
    await sql`insert into change_set_secret (change_set_id, place, value)
      values (${id}, ${place}, ${vault.seal(JSON.stringify(value), contextOf(id, place))})`.execute(
      tx,
    );
}

/**
 * Returns the writes of a change set with their secrets.
 * @throws Conflict if a secret is lost
 */
export async function openWrites(
  { id, changes }: ChangeSet,
  { vault, tx }: { readonly vault: Vault; readonly tx: Tx },
): Promise<ProposedChange[]> {
  const { rows } = await sql<{ place: string; value: string }>`
    select place, value from change_set_secret where change_set_id = ${id}`.execute(tx);
  const sealed = new Map(rows.map(({ place, value }) => [place, value]));
  return changes.map(({ proposed, name, secrets = [] }, index) => {
    const opened = secrets.map((field): [string, unknown] => {
      const place = `${index}.${field}`;
      const value = sealed.get(place);
      if (value === undefined) throw new Conflict('change_set_stale', { name });
      return [field, JSON.parse(vault.open(value, contextOf(id, place)))];
    });
    return { ...proposed, body: { ...proposed.body, ...Object.fromEntries(opened) } };
  });
}

/** Deletes the secrets of proposals that can no longer be approved. */
export async function forgetExpiredSecrets(db: Db): Promise<void> {
  await sql`delete from change_set_secret k using change_set s
    where s.id = k.change_set_id and s.state = 'proposed' and s.date_expires <= now()`.execute(db);
}
