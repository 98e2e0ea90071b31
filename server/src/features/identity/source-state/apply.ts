import { SHUT_STATES, type SourceState } from '@sallyport/contract';
import { type Caller, displayName } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { saveGood } from '../../../resources/write/imported-rows.ts';
import type { Writer } from '../../../resources/write/writer.ts';
import { writeOperateLog } from '../../audits/index.ts';

/** The state of an account as the source says it now. */
export interface ToldState {
  readonly id: string;
  readonly state: SourceState;
}

interface ChangedState extends ToldState {
  readonly username: string;
  readonly name: string;
  readonly before: SourceState;
  readonly is_active: boolean;
  readonly shut_by_source: boolean;
}

export interface ApplyContext {
  readonly writer: Writer;
  readonly caller: Caller;
  readonly tx: Tx;
}

export const isShut = (state: SourceState): boolean => SHUT_STATES.includes(state);

/**
 * Stores the states of accounts. An account that its source disabled, expired or no longer lists
 * becomes inactive, which ends every way in and every session; it becomes active again when the
 * source lists it. An account that an administrator disabled stays disabled.
 */
export async function applySourceStates(
  told: readonly ToldState[],
  { writer, caller, tx }: ApplyContext,
): Promise<void> {
  if (told.length === 0) return;
  const { rows } = await sql<ChangedState>`
    with told as (
      select * from jsonb_to_recordset(${JSON.stringify(told)}::jsonb) as r (id uuid, state text)),
    before as (
      select a.id, a.source_state from account a join told on told.id = a.id for update of a)
    update account a set source_state = told.state, date_source_state = now()
    from told join before on before.id = told.id
    where a.id = told.id and a.source <> 'local' and (a.source_state <> told.state
      or a.is_active and not a.shut_by_source and told.state = any (${[...SHUT_STATES]}))
    returning a.id, a.username, a.name, a.is_active, a.shut_by_source,
      a.source_state as state, before.source_state as before`.execute(tx);
  const entries = rows
    .filter(({ before, state }) => before !== state)
    .map((row) => ({
      action: 'update' as const,
      resourceType: 'user',
      resource: displayName(row),
      resourceId: row.id,
      changes: { source_state: [row.before, row.state] as const },
    }));
  if (entries.length > 0) await writeOperateLog(tx, caller, ...entries);
  const toShut = rows.filter(({ is_active, state }) => is_active && isShut(state));
  const toOpen = rows.filter(
    ({ is_active, shut_by_source, state }) => !is_active && shut_by_source && !isShut(state),
  );
  const drafts = [...toShut, ...toOpen].map(({ id, state }) => ({
    id,
    body: { is_active: !isShut(state) },
    mode: 'change' as const,
  }));
  await saveGood(writer, drafts, caller, tx);
}

/**
 * Returns true if the source of an account may make it active: an account that an administrator
 * disabled stays disabled.
 */
export async function maySourceOpen(id: string, tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ shut_by_source: boolean }>`
    select shut_by_source from account where id = ${id}`.execute(tx);
  return rows[0]?.shut_by_source === true;
}

/**
 * Stores who made an account inactive or active: its source, or an administrator. The state says
 * the same as the source.
 */
export async function storeShutBy(
  id: string,
  { isBySource, isActive }: { readonly isBySource: boolean; readonly isActive: boolean },
  tx: Tx,
): Promise<void> {
  if (!isBySource) {
    await sql`update account set shut_by_source = false where id = ${id}`.execute(tx);
    return;
  }
  const isShutState = sql`source_state = any (${[...SHUT_STATES]})`;
  const state = isActive
    ? sql`case when ${isShutState} then 'listed' else source_state end`
    : sql`case when ${isShutState} then source_state else 'disabled' end`;
  await sql`
    update account set shut_by_source = ${!isActive}, date_source_state = now(),
      date_shut_by_source = case when ${isActive} then date_shut_by_source else now() end,
      source_state = ${state}
    where id = ${id}`.execute(tx);
}
