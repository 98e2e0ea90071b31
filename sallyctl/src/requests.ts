import { isIP } from 'node:net';
import {
  type AssetRequest,
  type RequestAnswered,
  type RequestAssignees,
  type RequestTarget,
  SECOND_CONSOLE,
  type TicketRequest,
} from '../../contract/src/index.ts';
import { Failure, STATUS } from './failure.ts';
import { t } from './language.ts';
import { line, plain, printJson, printTable } from './print.ts';
import { ask } from './programs.ts';
import type { Server } from './server.ts';
import { words } from './words.ts';

const BASE = 'tickets/request-asset-perm/';
const MAX_ROWS = 500;
/** Characters of an id in a table; enough to name one of some hundreds. */
const SHORT = 8;

export interface Wish {
  readonly name: string | undefined;
  readonly target: RequestTarget;
  readonly account: string;
  readonly minutes: string | undefined;
  readonly reason: string | undefined;
  readonly organization: string | undefined;
}

/** Reads a number of minutes. @throws Failure */
function readMinutes(text: string): number {
  const minutes = Number(text);
  if (!Number.isInteger(minutes) || minutes < 1)
    throw new Failure(t(words.badMinutes, { value: text }), STATUS.usage);
  return minutes;
}

/** Returns the organization of a request: the named one, or the only one. @throws Failure */
async function placeOf(server: Server, named: string | undefined): Promise<string> {
  const places = await server.get<RequestAssignees[]>(`${BASE}assignees/`);
  const matches = places.filter(
    ({ org_id, org_name }) => named === undefined || [org_id, org_name].includes(named),
  );
  const [place, ...others] = matches;
  if (place && others.length === 0) return place.org_id;
  const list = places.map(({ org_id, org_name }) => `  ${org_id || '-'}  ${plain(org_name)}`);
  throw new Failure([t(words.whichOrganization), ...list].join('\n'), STATUS.usage);
}

/** Asks for access. */
export async function request(server: Server, wish: Wish): Promise<number> {
  const { name, target, account, minutes, reason } = wish;
  if (name === undefined || reason === undefined)
    throw new Failure(t(words.usageRequest), STATUS.usage);
  const thing =
    target !== 'asset' ? { application: name } : isIP(name) ? { ips: [name] } : { hostname: name };
  const end = minutes === undefined ? undefined : Date.now() + readMinutes(minutes) * 60_000;
  const created = await server.post<AssetRequest>(BASE, {
    org_id: await placeOf(server, wish.organization),
    target,
    ...thing,
    system_user: account,
    body: reason,
    ...(end && { date_expired: new Date(end).toISOString() }),
  });
  line(t(words.requested, { id: created.id, assignees: plain(created.assignees_display) }));
  return 0;
}

const thingOf = ({ hostname, application, ips }: AssetRequest) =>
  [application, hostname, ...ips].filter(Boolean).join(', ');

async function requestsOf(server: Server, side: 'own' | 'assigned'): Promise<AssetRequest[]> {
  const assign = side === 'assigned' ? '1' : '0';
  return (await server.rows<AssetRequest>(BASE, { assign }, MAX_ROWS)).rows;
}

/** Lists the open requests for the caller's answer, and the caller's own. */
export async function requests(
  server: Server,
  { isAll, isJson }: { readonly isAll: boolean; readonly isJson: boolean },
): Promise<number> {
  const isListed = ({ status }: AssetRequest) => isAll || status === 'open';
  const assigned = (await requestsOf(server, 'assigned')).filter(isListed);
  const own = (await requestsOf(server, 'own')).filter(isListed);
  if (isJson) {
    printJson({ assigned, own });
    return 0;
  }
  for (const [title, rows] of [
    [words.forAnswer, assigned],
    [words.ownRequests, own],
  ] as const) {
    line(t(title));
    printTable(
      [t(words.id), t(words.who), t(words.what), t(words.account), t(words.until), t(words.state)],
      rows.map((row) => [
        row.id.slice(0, SHORT),
        row.user_display,
        thingOf(row),
        row.system_user,
        row.date_expired,
        row.action_display || row.status,
      ]),
    );
    line();
  }
  return 0;
}

/** Finds an open request for the caller's answer by its id or the beginning. @throws Failure */
async function openRequest(server: Server, id: string | undefined): Promise<AssetRequest> {
  if (id === undefined || !/^[\da-f-]{4,36}$/i.test(id))
    throw new Failure(t(words.usageAnswer), STATUS.usage);
  const rows = await requestsOf(server, 'assigned');
  const [found, ...others] = rows.filter(
    (row) => row.status === 'open' && row.id.startsWith(id.toLowerCase()),
  );
  if (!found || others.length > 0) throw new Failure(t(words.noRequest, { id }), STATUS.notFound);
  return found;
}

/**
 * Returns the members that an approval adds: what the server suggests if nothing was chosen before.
 * @throws Failure if there are several possibilities
 */
async function decisionFor(server: Server, row: AssetRequest) {
  const field = `confirmed_${row.target}s` as const;
  const { suggestion } = await server.get<TicketRequest>(`tickets/tickets/${row.id}/request/`);
  const things =
    row[field].length > 0 ? row[field] : (suggestion?.things ?? []).map(({ id }) => id);
  const accounts =
    row.confirmed_system_user.length > 0 ? row.confirmed_system_user : (suggestion?.accounts ?? []);
  if (things.length !== 1 || accounts.length !== 1)
    throw new Failure(
      t(words.decideInConsole, { url: `${server.url}${SECOND_CONSOLE}/tickets/tickets/${row.id}` }),
    );
  return { [field]: things, confirmed_system_user: accounts };
}

/** Asks before an answer; without a terminal only `--yes` answers. @throws Failure */
async function confirmed(question: string, isSure: boolean): Promise<void> {
  if (isSure) return;
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$|^是$/i.test(answer?.trim() ?? '')) throw new Failure(t(words.notAnswered));
}

const facts = (row: AssetRequest) => ({
  who: plain(row.user_display),
  what: plain(thingOf(row)),
  account: plain(row.system_user || '-'),
  reason: plain(row.body),
});

/** Approves a request, perhaps for another time than was asked for. */
export async function approve(
  server: Server,
  id: string | undefined,
  { minutes, isSure }: { readonly minutes: string | undefined; readonly isSure: boolean },
): Promise<number> {
  const row = await openRequest(server, id);
  const decision = {
    ...(await decisionFor(server, row)),
    ...(minutes !== undefined && { minutes: readMinutes(minutes) }),
  };
  await confirmed(t(words.approveQuestion, facts(row)), isSure);
  const answer = await server.post<RequestAnswered>(`${BASE}${row.id}/approve/`, decision);
  line(t(answer.change_set ? words.proposed : words.approved, facts(row)));
  return 0;
}

/** Refuses a request. */
export async function deny(
  server: Server,
  id: string | undefined,
  isSure: boolean,
): Promise<number> {
  const row = await openRequest(server, id);
  await confirmed(t(words.denyQuestion, facts(row)), isSure);
  await server.post(`${BASE}${row.id}/reject/`);
  line(t(words.denied, facts(row)));
  return 0;
}
