import { protocolOf } from '@sallyport/contract';
import type { ImportedCommand, ImportedSession } from '../../../features/sessions/index.ts';
import type { Row } from '../jumpserver/database.ts';
import { columnOf, dateOf, idOf, isTrue, textOf } from '../jumpserver/values.ts';

/** Maximum letters of texts, as sessions of this product have. */
const MOST = { name: 128, input: 4_096, output: 1_024, address: 128 };
const DANGEROUS = 5;
/** Milliseconds that the offset of a command can express. */
const MOST_OFFSET = 2_147_483_647;

/** A finished session of the source, without its organization. */
export type PastSession = Omit<ImportedSession, 'org_id'>;

/** Returns the start of a text; PostgreSQL stores no NUL. */
const cut = (value: unknown, most: number) => textOf(value).replaceAll('\u0000', '').slice(0, most);

const LOGINS = new Set(['ST', 'WT', 'DT']);

/** Reads a session. Returns the reason why it is left out instead. */
export function readSession(row: Row): PastSession | 'is not finished' | 'has another protocol' {
  const [start, end] = [dateOf(row.date_start), dateOf(row.date_end)];
  if (!isTrue(row.is_finished) || start === undefined) return 'is not finished';
  const protocol = protocolOf(textOf(row.protocol) === 'mariadb' ? 'mysql' : textOf(row.protocol));
  if (!protocol) return 'has another protocol';
  const kind = protocol.sessionKind;
  return {
    id: idOf(row.id),
    user: cut(row.user, MOST.name),
    asset: cut(row.asset, MOST.name),
    system_user: cut(columnOf(row, 'system_user', 'account'), MOST.name),
    user_id: idOf(row.user_id),
    asset_id: idOf(row.asset_id),
    system_user_id: idOf(columnOf(row, 'system_user_id', 'account_id')),
    login_from: LOGINS.has(textOf(row.login_from)) ? textOf(row.login_from) : 'WT',
    remote_addr: cut(row.remote_addr, MOST.address),
    protocol: protocol.name,
    kind,
    target_kind: kind === 'query' ? 'database_app' : 'asset',
    is_success: isTrue(row.is_success ?? true),
    date_start: start,
    date_end: end ?? start,
  };
}

/** Reads a command; its time is in seconds since 1970. */
export function readCommand(
  row: Row,
  { date_start: start, id }: PastSession,
): Omit<ImportedCommand, 'sequence'> {
  const at = Number(row.timestamp) * 1_000 || Date.parse(start);
  return {
    id: idOf(row.id),
    session: id,
    input: cut(row.input, MOST.input),
    output: cut(row.output, MOST.output),
    // Later versions number further levels of rejected commands.
    risk_level: Number(row.risk_level) >= DANGEROUS ? DANGEROUS : 0,
    offset_ms: Math.min(MOST_OFFSET, Math.max(0, at - Date.parse(start))),
    date: new Date(at).toISOString(),
  };
}
