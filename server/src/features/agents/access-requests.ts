import { say } from '@sallyport/contract';
import type { Actor } from '../../platform/actor.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Rejected } from '../../platform/errors.ts';
import { maskText } from '../../platform/secrets/mask-text.ts';
import { type CallAnswer, EMPTY, refusal } from './answers.ts';
import { covers } from './leash.ts';
import { finishCall, firstWithKey, freeKey, type LiveAgent, reserveCall } from './store.ts';

/** Requests that one agent may file. People read each of them. */
const MAX_REQUESTS = 5;
const TOOL = 'request_access';

/** Access that an agent asks people for. */
export interface WantedAccess {
  readonly host: string;
  readonly account: string;
  readonly minutes: number;
  readonly reason: string;
  /** The name of an organization of the owner; blank for the first. */
  readonly organization: string;
}

/** A request for access, as its owner would file it. */
export interface FiledAccess {
  readonly title: string;
  readonly hostname: string;
  readonly system_user: string;
  readonly body: string;
  readonly minutes: number;
  readonly organization: string;
}

/** Files a request of a user. Returns the id of the ticket. */
export type FileRequest = (actor: Actor, access: FiledAccess) => Promise<string>;

interface Parts {
  readonly db: Db;
  readonly fileRequest: FileRequest;
  readonly language: () => 'en' | 'zh';
}

/** Marks the words of an agent: the reader must not take them for those of its owner. */
const bodyOf = ({ name, client }: LiveAgent, reason: string, language: 'en' | 'zh') =>
  say(
    {
      en: 'Text of the agent “{agent}”, not of its owner:\n{reason}',
      zh: '以下为智能体“{agent}”的说明，并非其所有者所写：\n{reason}',
    },
    language,
    { agent: [name, client].filter(Boolean).join(', '), reason },
  );

const DONE =
  'The request was filed. An administrator decides. list_hosts shows the host after an approval.';

/**
 * Files a request for a host and an account that the leash names and the owner has no permission
 * for. A repeated request files nothing again, unless the first one failed. @throws AppError
 */
export async function requestAccess(
  { agent, actor }: { readonly agent: LiveAgent; readonly actor: Actor },
  { host, account, minutes, reason, organization }: WantedAccess,
  { db, fileRequest, language }: Parts,
): Promise<CallAnswer> {
  if (!covers(agent, { kind: 'asset', host, account, username: account }))
    return refusal({ code: 'agent_host' });
  const key = `${TOOL} ${host} ${account} ${organization}`;
  const text = maskText(reason);
  const call = { tool: TOOL, agentId: agent.id, host, account, reason: text, key } as const;
  const reserved = await transact(db, async (tx) => {
    const first = await firstWithKey(agent.id, key, tx);
    if (first) return first;
    const { rows } = await sql<{ filed: number }>`
      select count(*)::integer as filed from agent_call
      where agent_id = ${agent.id} and tool = ${TOOL}`.execute(tx);
    if ((rows[0]?.filed ?? 0) >= MAX_REQUESTS)
      throw new Rejected('agent_requests', { max: MAX_REQUESTS });
    return reserveCall({ ...call, input: `${account}@${host}`, rows: 0 }, tx);
  });
  if ('state' in reserved)
    return { call: reserved.id, state: reserved.state, detail: reserved.detail, ...EMPTY };
  if ('refusal' in reserved) {
    const { refusal: code, ...params } = reserved;
    return refusal({ code, params: { max: 0, ...params } });
  }
  const { id, room } = reserved;
  const end = (state: 'done' | 'failed', detail: string) =>
    finishCall(
      id,
      { state, detail, account, exitCode: null, bytes: 0, room, rows: 0, result: null },
      db,
    );
  try {
    await fileRequest(actor, {
      title: `${agent.name}: ${host}`,
      hostname: host,
      system_user: account,
      body: bodyOf(agent, text, language()),
      minutes,
      organization,
    });
  } catch (error) {
    await end('failed', 'The request was not filed.');
    await freeKey(id, db);
    throw error;
  }
  await end('done', DONE);
  return { call: id, state: 'done', detail: DONE, ...EMPTY };
}
