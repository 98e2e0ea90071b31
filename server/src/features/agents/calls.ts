import { createHash } from 'node:crypto';
import type { AgentTool } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { partOf, Work } from '../../platform/db/work.ts';
import { Rejected } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { maskText } from '../../platform/secrets/mask-text.ts';
import type { AgentPerson, Runner, RunnerCommand, RunnerResult } from '../connections/index.ts';
import { answerFor, type CallAnswer, EMPTY, nothing, refusal } from './answers.ts';
import { allowsTool, covers, decide, statementRefusal } from './leash.ts';
import {
  findCall,
  finishCall,
  firstWithKey,
  type LiveAgent,
  MAX_SECONDS,
  noteSession,
  type Reserved,
  reserveCall,
  type StoredCall,
} from './store.ts';

/** The account that a call uses. */
export interface Target {
  readonly kind: 'asset' | 'database_app';
  readonly assetId: string;
  readonly systemUserId: string;
  readonly account: string;
  /** True if its shell reads quotes as POSIX says. */
  readonly isPosix: boolean;
}

/** A request of an agent to run a command or a statement, or to read or replace a file. */
export interface RunRequest {
  readonly tool: AgentTool;
  readonly host: string;
  readonly account: string | undefined;
  /** The command line, the statement, or the path of the file. */
  readonly command: string;
  /** True for a command line that was made of words. */
  readonly isQuoted?: boolean;
  /** The new content of a file. */
  readonly content?: string;
  /** Most rows of a statement. */
  readonly rows?: number;
  /** Rows that an UPDATE or DELETE may affect. */
  readonly changes?: number | undefined;
  readonly reason: string;
  readonly key: string | undefined;
  /** Seconds until the command is stopped. */
  readonly seconds: number;
  /** Seconds for which the caller waits. */
  readonly wait: number;
}

/** An agent, and its owner at the address of the request. */
interface Asking {
  readonly agent: LiveAgent;
  readonly person: AgentPerson;
}

/** A request of an agent, and its surroundings. */
export interface WantedCall extends Asking {
  readonly request: RunRequest;
  /** Aborts the command: its reader has gone. */
  readonly left: AbortSignal;
}

/** A stored call with the room for its output. */
type Call = WantedCall & Extract<Reserved, { readonly room: number }>;

interface Parts {
  readonly db: Db;
  readonly vault: Vault;
  readonly log: Logger;
  readonly runner: () => Runner;
  readonly findTarget: (
    agent: LiveAgent,
    person: AgentPerson,
    request: Pick<RunRequest, 'tool' | 'host' | 'account'>,
  ) => Promise<Target | undefined>;
}

const leashOf = (agent: LiveAgent): RunnerCommand['leash'] => ({
  covers: (place) => covers(agent, place),
  decide: (line) => decide(agent, line),
  refusalOf: (spellings) => statementRefusal(agent, spellings),
  mayChange: agent.statements === 'change',
});

const noTarget = (tool: AgentTool) =>
  ({ code: tool === 'query' ? 'agent_database' : 'agent_host' }) as const;

const contextOf = (id: string) => `agent_call.result.${id}`;
/** The commands that agents run on this server. */
export class AgentCalls {
  private readonly parts: Parts;
  private readonly running = new Map<string, Promise<CallAnswer>>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /**
   * Runs a command, or returns the first call with the same key. Answers once the command has
   * ended, or after the time that the caller waits.
   */
  async run(wanted: WantedCall): Promise<CallAnswer> {
    const { db } = this.parts;
    const { agent, request } = wanted;
    const { key, tool, host, reason, account = '' } = request;
    // A request that is stopped must not stop the work of its command.
    return partOf(new Work(), async () => {
      const input = inputOf(request);
      const reserved = await transact(db, async (tx): Promise<Reserved | StoredCall> => {
        const call = {
          agentId: agent.id,
          tool,
          host,
          account,
          input,
          reason: maskText(reason),
          key,
          rows: request.rows ?? 0,
        };
        const first = key === undefined ? undefined : await firstWithKey(agent.id, key, tx);
        return first ?? reserveCall(call, tx);
      });
      if ('state' in reserved) {
        if (reserved.tool !== tool || reserved.host !== host || reserved.input !== input)
          return refusal({ code: 'agent_repeated' });
        return this.answerOf(wanted, reserved, request.wait);
      }
      if ('refusal' in reserved) {
        const { refusal: code, ...params } = reserved;
        return refusal({ code, params: { max: 0, ...params } });
      }
      const { id, room, rows } = reserved;
      const ended = this.start({ ...wanted, id, room, rows });
      this.running.set(id, ended);
      void ended.finally(() => this.running.delete(id));
      return this.within(id, ended, request.wait);
    });
  }

  /** Returns the state of a call of the agent; undefined if it has none with this id. */
  async ask(asking: Asking, id: string, wait: number): Promise<CallAnswer | undefined> {
    const call = await findCall(asking.agent.id, { id }, this.parts.db);
    return call && this.answerOf(asking, call, wait);
  }

  private async answerOf(asking: Asking, call: StoredCall, wait: number): Promise<CallAnswer> {
    const { id, state, detail, exit_code: code, result } = call;
    // The answer to a request for access names no output of a host.
    const isOpen = state === 'refused' || call.tool === 'request_access';
    const problem = isOpen ? undefined : await this.refusalOf(asking, call);
    if (problem) return answerFor(id, nothing(problem));
    const ended = this.running.get(id);
    if (ended) return this.within(id, ended, wait);
    if (result !== null)
      return JSON.parse(this.parts.vault.open(result, contextOf(id))) as CallAnswer;
    return { call: id, state, detail, ...(code !== null && { exit_code: code }), ...EMPTY };
  }

  /**
   * Returns why a call has no answer here and now. The result of a command belongs to its host, so
   * the permission and its conditions are checked again for the address of this request.
   */
  private async refusalOf({ agent, person }: Asking, call: StoredCall) {
    const { tool, host, account } = call;
    const request = { tool, host, account: account === '' ? undefined : account };
    const target = await this.parts.findTarget(agent, person, request);
    if (!target) return noTarget(tool);
    return this.parts.runner().refusalOf({ person, leash: leashOf(agent), ...target });
  }

  /** Waits for a call; a command that still runs has a handle. */
  private async within(
    id: string,
    ended: Promise<CallAnswer>,
    seconds: number,
  ): Promise<CallAnswer> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<CallAnswer>((done) => {
      const detail = 'The command still runs. Call ask with this call to read its result.';
      timer = setTimeout(
        () => done({ call: id, state: 'running', detail, ...EMPTY }),
        seconds * 1000,
      );
    });
    try {
      return await Promise.race([ended, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async start(call: Call): Promise<CallAnswer> {
    const { db, log, vault } = this.parts;
    const { id, room, rows, agent, person, request } = call;
    let account = request.account ?? '';
    let result: RunnerResult;
    try {
      const target = await this.parts.findTarget(agent, person, request);
      account = target?.account ?? account;
      if (!allowsTool(agent, request.tool)) result = nothing({ code: 'agent_files' });
      else if (target && request.isQuoted && !target.isPosix)
        result = nothing({ code: 'agent_words' });
      else if (target) result = await this.runOn(call, target);
      else result = nothing(noTarget(request.tool));
    } catch (error) {
      log.error({ err: error }, 'a call of an agent failed');
      result = nothing({ code: 'internal' });
    }
    const answer = answerFor(id, result);
    await finishCall(
      id,
      {
        state: answer.state === 'running' ? 'failed' : answer.state,
        detail: answer.detail,
        account,
        exitCode: answer.exit_code ?? null,
        bytes: result.bytes,
        room,
        rows: rows - (result.table?.rows.length ?? 0),
        result: vault.seal(JSON.stringify(answer), contextOf(id)),
      },
      db,
    ).catch((error: unknown) => log.error({ err: error }, 'the end of a call was not stored'));
    return answer;
  }

  private async runOn(
    { id, room, rows, agent, person, request, left }: Call,
    target: Target,
  ): Promise<RunnerResult> {
    const { tool, command, content, changes, seconds } = request;
    const { db, log, runner } = this.parts;
    const stop = new AbortController();
    const untilEnd = (agent.date_expired.getTime() - databaseClock.now()) / 1000;
    const isLast = untilEnd < Math.min(seconds, MAX_SECONDS);
    const limit = Math.max(0, Math.min(seconds, MAX_SECONDS, untilEnd));
    const timer = setTimeout(
      () =>
        stop.abort(
          isLast ? new Rejected('agent_over') : new Rejected('agent_time', { seconds: limit }),
        ),
      limit * 1000,
    );
    const leave = () => stop.abort(new Rejected('agent_left'));
    left.addEventListener('abort', leave, { once: true });
    if (left.aborted) leave();
    try {
      const common = {
        person,
        leash: leashOf(agent),
        ...target,
        room,
        signal: stop.signal,
        onSession: (session: string) =>
          void noteSession(id, session, db).catch((error: unknown) =>
            log.error({ err: error }, 'the session of a call was not stored'),
          ),
      };
      if (tool === 'run') return await runner().run({ ...common, line: command });
      return tool === 'query'
        ? await runner().query({ ...common, statement: command, rows, changes })
        : await runner().file({ ...common, path: command, content });
    } finally {
      clearTimeout(timer);
      left.removeEventListener('abort', leave);
    }
  }
}

/**
 * The text of a call in the log: the command, the statement with the number of rows that it may
 * change, or the path with a digest of the new content.
 */
function inputOf({ command, content, changes }: RunRequest): string {
  if (changes !== undefined) return `${maskText(command)} (changes: ${changes})`;
  if (content === undefined) return maskText(command);
  const digest = createHash('sha256').update(content).digest('hex');
  return `${command} (${Buffer.byteLength(content)} bytes, SHA-256 ${digest})`;
}
