import { type AgentCallState, ERRORS, type Problem, say } from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import { type Db, transact } from '../../platform/db/database.ts';
import { partOf, Work } from '../../platform/db/work.ts';
import { Rejected } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { maskText } from '../../platform/secrets/mask-text.ts';
import { covers, decide } from './leash.ts';
import type { AgentPerson, Runner, RunnerResult } from './runner.ts';
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
  readonly assetId: string;
  readonly systemUserId: string;
  readonly account: string;
}

/** A request of an agent to run a command. */
export interface RunRequest {
  readonly host: string;
  readonly account: string | undefined;
  readonly command: string;
  readonly reason: string;
  readonly key: string | undefined;
  /** Seconds until the command is stopped. */
  readonly seconds: number;
  /** Seconds for which the caller waits. */
  readonly wait: number;
}

/** A request of an agent, and its surroundings. */
export interface WantedCall {
  readonly agent: LiveAgent;
  readonly person: AgentPerson;
  readonly request: RunRequest;
  /** Aborts the command: its reader has gone. */
  readonly left: AbortSignal;
}

/** A stored call with the room for its output. */
type Call = WantedCall & Extract<Reserved, { readonly room: number }>;

/** The answer that an agent receives about a call. */
export interface CallAnswer {
  /** Blank for a request that was not stored. */
  readonly call: string;
  readonly state: AgentCallState;
  readonly detail: string;
  readonly exit_code?: number;
  readonly output: string;
  readonly errors: string;
  readonly truncated: boolean;
}

interface Parts {
  readonly db: Db;
  readonly vault: Vault;
  readonly log: Logger;
  readonly runner: () => Runner;
  readonly findTarget: (
    agent: LiveAgent,
    person: AgentPerson,
    request: Pick<RunRequest, 'host' | 'account'>,
  ) => Promise<Target | undefined>;
}

/** Refusals by a right, a rule or the leash. Other problems are failures. */
const REFUSED =
  /^(?:agent_(?:host|login)|command_|account_|transfer_denied|shell_|session_limit|connect_(?:denied|expired|condition|approval|second|factor|switch|protocol|no_account|asset_inactive|address)|factor_)/;

/** Ends that the leash, its owner or an administrator caused. */
const ENDED = /^(?:agent_(?:left|time|over)|session_)/;

const contextOf = (id: string) => `agent_call.result.${id}`;
const worded = ({ code, params }: Problem): string => say(ERRORS[code], 'en', params);
const EMPTY = { output: '', errors: '', truncated: false };

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
    const { key, host, command, reason, account = '' } = request;
    // A request that is stopped must not stop the work of its command.
    return partOf(new Work(), async () => {
      const input = maskText(command);
      const reserved = await transact(db, async (tx): Promise<Reserved | StoredCall> => {
        const call = { agentId: agent.id, host, account, input, reason: maskText(reason), key };
        const first = key === undefined ? undefined : await firstWithKey(agent.id, key, tx);
        return first ?? reserveCall(call, tx);
      });
      if ('state' in reserved) {
        if (reserved.host !== host || reserved.input !== input)
          return refusal({ code: 'agent_repeated' });
        return this.answerOf(reserved, request.wait);
      }
      if ('refusal' in reserved) {
        const { refusal: code, ...params } = reserved;
        return refusal({ code, params: { max: 0, ...params } });
      }
      const { id, room } = reserved;
      const ended = this.start({ ...wanted, id, room });
      this.running.set(id, ended);
      void ended.finally(() => this.running.delete(id));
      return this.within(id, ended, request.wait);
    });
  }

  /** Returns the state of a call of the agent; undefined if it has none with this id. */
  async ask(agent: LiveAgent, id: string, wait: number): Promise<CallAnswer | undefined> {
    const call = await findCall(agent.id, { id }, this.parts.db);
    return call && this.answerOf(call, wait);
  }

  private async answerOf(call: StoredCall, wait: number): Promise<CallAnswer> {
    const { id, state, detail, exit_code: code, result } = call;
    const ended = this.running.get(id);
    if (ended) return this.within(id, ended, wait);
    if (result !== null)
      return JSON.parse(this.parts.vault.open(result, contextOf(id))) as CallAnswer;
    return { call: id, state, detail, ...(code !== null && { exit_code: code }), ...EMPTY };
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
    const { id, room, agent, person, request } = call;
    let account = request.account ?? '';
    let result: RunnerResult;
    try {
      const target = await this.parts.findTarget(agent, person, request);
      account = target?.account ?? account;
      result = target ? await this.runOn(call, target) : nothing({ code: 'agent_host' });
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
        result: vault.seal(JSON.stringify(answer), contextOf(id)),
      },
      db,
    ).catch((error: unknown) => log.error({ err: error }, 'the end of a call was not stored'));
    return answer;
  }

  private async runOn(
    { id, room, agent, person, request: { command, seconds }, left }: Call,
    target: Target,
  ): Promise<RunnerResult> {
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
      return await runner()({
        person,
        leash: {
          covers: (place) => covers(agent, place),
          decide: (line) => decide(agent, line),
        },
        ...target,
        line: command,
        room,
        signal: stop.signal,
        onSession: (session) =>
          void noteSession(id, session, db).catch((error: unknown) =>
            log.error({ err: error }, 'the session of a call was not stored'),
          ),
      });
    } finally {
      clearTimeout(timer);
      left.removeEventListener('abort', leave);
    }
  }
}

const refusal = (problem: Problem): CallAnswer => ({
  call: '',
  state: 'refused',
  detail: worded(problem),
  ...EMPTY,
});

const nothing = (problem: Problem): RunnerResult => ({
  output: '',
  errors: '',
  bytes: 0,
  isCut: false,
  exit: undefined,
  hasRun: false,
  problem,
});

/** Returns the state of a call that ended with a problem, before or after its command began. */
function stateFor({ code }: Problem, hasRun: boolean): 'refused' | 'ended' | 'failed' {
  if (!hasRun && REFUSED.test(code)) return 'refused';
  return hasRun || ENDED.test(code) ? 'ended' : 'failed';
}

/** Returns the answer for the result of a command. */
function answerFor(call: string, result: RunnerResult): CallAnswer {
  const { output, errors, isCut, exit, problem, hasRun } = result;
  const texts = { output, errors, truncated: isCut };
  if (problem) {
    return { call, state: stateFor(problem, hasRun), detail: worded(problem), ...texts };
  }
  if (exit && 'code' in exit)
    return { call, state: 'done', detail: '', exit_code: exit.code, ...texts };
  const detail = exit ? `The command ended by signal ${exit.signal}.` : 'The command has ended.';
  return { call, state: 'done', detail, ...texts };
}
