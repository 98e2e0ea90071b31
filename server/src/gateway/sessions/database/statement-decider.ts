import {
  type CommandVerdict,
  ERRORS,
  type ErrorParams,
  type Language,
  type LocalText,
  type SweepAct,
  say,
} from '@sallyport/contract';
import { MAX_SENT_STATEMENT } from '@sallyport/sql-relays';
import { within } from '../../../platform/within.ts';
import {
  GUARD_ANSWER_SECONDS,
  GUARD_MS,
  MAX_CHECKED,
  MAX_STATEMENT,
  RELAY_HOLD_SECONDS,
} from '../../limits.ts';
import type { Grant } from '../../ports/grant.ts';
import { type Hold, type SpelledStatement, strictest, type Verdict } from '../../ports/guard.ts';
import type { NewSession } from '../../ports/records.ts';
import type { GatewayPorts } from '../../ports.ts';
import { plainStatement } from '../../protocols/sql/plain-statement.ts';
import type { Sweep } from '../../protocols/sql/sweep.ts';
import { guardIsLate } from '../begin-recorded.ts';
import { decideHeld, sayDecision } from '../hold-command.ts';
import { isConfirmed } from '../terminal/line-questions.ts';
import { verdictFor } from '../terminal/typed-answer.ts';
import type { Answer, DatabaseClient, StatementQuestion } from './database-client.ts';
import { cutText, type ReadText, readText } from './read-text.ts';
import { printable } from './transcript.ts';

/** Maximum characters of a text that is taken as one plain statement. */
const MAX_PLAIN = 4096;
/** Maximum number of targets in one question. */
const MAX_LISTED = 5;

const QUESTIONS = {
  update: {
    en: 'This changes every row of {target}. The statement has no WHERE.',
    zh: '该语句没有 WHERE，会修改 {target} 的所有行。',
  },
  delete: {
    en: 'This deletes every row of {target}. The statement has no WHERE.',
    zh: '该语句没有 WHERE，会删除 {target} 的所有行。',
  },
  truncate: { en: 'This deletes every row of {target}.', zh: '该语句会删除 {target} 的所有行。' },
  drop: {
    en: 'This removes {target} and everything in it.',
    zh: '该语句会删除 {target} 及其全部内容。',
  },
  flush: { en: 'This deletes every key.', zh: '该命令会删除所有键。' },
} as const satisfies Readonly<Record<SweepAct, object>>;

const UNCONFIRMED = {
  en: 'Not run: you did not confirm that it may affect every row.',
  zh: '未执行：您没有确认影响所有行的操作。',
} as const;

/** The question before statements that affect every row, one line per target. */
function sayQuestion(sweeps: readonly Sweep[], language: Language): string {
  const lines = new Set(
    sweeps.map(({ act, target }) => say(QUESTIONS[act], language, { target: printable(target) })),
  );
  return [...[...lines].slice(0, MAX_LISTED), ...(lines.size > MAX_LISTED ? ['…'] : [])].join('\n');
}

/** The refusal after an answer other than yes. */
const sayUnconfirmed = (language: Language): string => say(UNCONFIRMED, language);

/** The decision on a text of statements; the message is in the user's language. */
export type StatementDecision =
  | {
      readonly isAllowed: true;
      /** The statements as logged. */
      readonly statements: readonly string[];
      /** True if a statement may change the character set. The listener must then set it again. */
      readonly isCharacterSetUnknown: boolean;
      /** True if a statement set `sql_mode` to a value that only the server knows. */
      readonly isModeUnknown?: boolean;
      /** True if a statement ends a transaction: the next one may begin in another mode. */
      readonly endsTransaction?: boolean;
      /** The answer of the user to a question about the text. */
      readonly verdict?: CommandVerdict | undefined;
    }
  | RefusedStatement;
export interface RefusedStatement {
  readonly isAllowed: false;
  readonly message: string;
  readonly verdict?: CommandVerdict | undefined;
  /** The preview that the user declined. */
  readonly asked?: StatementQuestion;
}
type AllowedStatement = Extract<StatementDecision, { readonly isAllowed: true }>;

export interface StatementDeciderParts {
  readonly row: NewSession;
  readonly ports: GatewayPorts;
  readonly client: DatabaseClient;
  /** The current grant. */
  readonly grant: () => Grant;
  /** Returns true if the permission currently allows only reading. */
  readonly isReadOnly: () => boolean;
}

/** Decides which statements of a session may be sent: first by the rights, then by the guard. */
export class StatementDecider {
  private readonly parts: StatementDeciderParts;
  private held: AbortController | undefined;
  /** True once the permission allowed to write: statements may be prepared that write. */
  private hasWritten = false;

  constructor(parts: StatementDeciderParts) {
    this.parts = parts;
  }

  refusal(text: LocalText, params?: ErrorParams): RefusedStatement {
    return { isAllowed: false, message: say(text, this.parts.row.person.language, params) };
  }

  /** Decides at once if no rule applies to a plain statement. */
  decide(text: string): StatementDecision | Promise<StatementDecision> {
    this.hasWritten ||= !this.parts.isReadOnly();
    const mustRead = text.length > MAX_PLAIN || this.parts.client.confirm || this.isRestricted;
    const plain = mustRead ? undefined : plainStatement(text);
    return plain === undefined
      ? this.read(text)
      : { isAllowed: true, statements: [plain], isCharacterSetUnknown: false };
  }

  /** True if the rights or a rule require a decision. */
  get isRestricted(): boolean {
    const { row, ports, isReadOnly } = this.parts;
    return isReadOnly() || ports.guard?.applies(row) === true;
  }

  private async read(text: string): Promise<StatementDecision> {
    const { guard } = this.parts.ports;
    const type = this.parts.row.grant.database?.type ?? 'mysql';
    const { userId } = this.parts.row.person;
    const account = this.parts.row.grant.systemUser.username;
    const bytes = Buffer.byteLength(text);
    // Client programs embed files in statements, so their limit is higher.
    const max = this.parts.client.confirm ? MAX_STATEMENT : MAX_SENT_STATEMENT;
    if (bytes > max) return this.refusal(ERRORS.statement_too_long, { max: max / 1024 });
    if (bytes > MAX_CHECKED) await guard?.settled(this.parts.row);
    const isChecked = this.isRestricted;
    if (isChecked && bytes > MAX_CHECKED)
      return this.refusal(ERRORS.statement_undecided, { max: MAX_CHECKED / 1024 });
    const read = bytes > MAX_CHECKED ? undefined : await readText(userId, text, type, account);
    if (!read) {
      // An unrestricted user needs no decision, so splitting the text is enough.
      const parts = isChecked ? undefined : await cutText(userId, text, type);
      // The permission may have changed while the text waited for its turn.
      if (!parts || this.isRestricted) return this.refusal(ERRORS.command_not_checked);
      return this.confirmSweeps(parts.sweeps, {
        isAllowed: true,
        statements: parts.statements,
        isCharacterSetUnknown: true,
      });
    }
    const { meanings, statements, characterSet } = read;
    // A computed character set takes effect within the text. After a single statement the listener
    // and the workspace set ours again.
    const isUnsafe =
      characterSet === 'computed' && (type === 'postgresql' ? isChecked : statements.length > 1);
    if (characterSet === 'other' || isUnsafe) return this.refusal(ERRORS.statement_character_set);
    const isWriting =
      meanings.some(({ isReading }) => !isReading) || (read.runsPrepared && this.hasWritten);
    if (this.parts.isReadOnly() && isWriting) return this.refusal(ERRORS.statement_read_only);
    if (this.parts.isReadOnly() && read.isMixed) return this.refusal(ERRORS.statement_separate);
    const checked = await this.checkWithGuard(meanings, {
      isAllowed: true,
      statements,
      isCharacterSetUnknown: characterSet === 'computed',
      isModeUnknown: read.isModeRestored,
      endsTransaction: read.endsTransaction,
    });
    const sweeps = meanings.flatMap(({ sweep }) => sweep ?? []);
    return checked.isAllowed ? this.confirmSweeps(sweeps, checked) : checked;
  }

  /**
   * Asks the user before statements that affect every row, if the account requires it and the
   * client can ask.
   */
  private async confirmSweeps(
    sweeps: readonly Sweep[],
    allowed: AllowedStatement,
  ): Promise<StatementDecision> {
    const [first] = sweeps;
    const { confirm } = this.parts.client;
    const { isUnasked, previewsChanges } = this.parts.grant().database ?? {};
    if (!first || !confirm || isUnasked) return allowed;
    // The preview of each statement asks instead.
    if (previewsChanges && sweeps.every(({ act }) => act === 'update' || act === 'delete'))
      return allowed;
    const { language } = this.parts.row.person;
    const answer = await this.answerTo({
      message: sayQuestion(sweeps, language),
      seconds: GUARD_ANSWER_SECONDS,
      expects: first.act,
    });
    return answer === 'given'
      ? { ...allowed, verdict: allowed.verdict ?? 'confirmed' }
      : { isAllowed: false, message: sayUnconfirmed(language), verdict: answer };
  }

  /** Asks the guard about each statement, and the user if the guard says so. */
  private async checkWithGuard(
    statements: ReadText['meanings'],
    allowed: AllowedStatement,
  ): Promise<StatementDecision> {
    const { ports, row, client } = this.parts;
    if (!ports.guard?.applies(row)) return allowed;
    let verdict: Verdict = { kind: 'allow' };
    for (const { spelled } of statements) {
      verdict = strictest(verdict, [await this.ask(spelled)]);
      if (verdict.kind === 'deny') return { isAllowed: false, message: verdict.message };
    }
    if (verdict.kind === 'hold') return this.hold(verdict, allowed);
    if (verdict.kind !== 'ask') return allowed;
    if (!client.confirm)
      return {
        ...this.refusal(ERRORS.statement_asks, { message: verdict.message }),
        verdict: 'unasked',
      };
    const answer = await this.answerTo({ seconds: GUARD_ANSWER_SECONDS, ...verdict });
    return answer === 'given'
      ? { ...allowed, verdict: verdictFor(verdict.expects) }
      : { isAllowed: false, message: verdict.message, verdict: answer };
  }

  /** Withdraws the statement that waits for a reviewer, if any. */
  withdraw(): void {
    this.held?.abort();
  }

  /** Waits for a reviewer. Client programs wait for less time, as they show no progress. */
  private async hold(verdict: Hold, allowed: AllowedStatement): Promise<StatementDecision> {
    const { ports, row, client } = this.parts;
    const seconds = client.confirm
      ? verdict.seconds
      : Math.min(verdict.seconds, RELAY_HOLD_SECONDS);
    const { message } = verdict;
    const params = { message, minutes: Math.ceil(seconds / 60) };
    const held = new AbortController();
    this.held = held;
    client.notice?.({ code: 'statement_held', params }, false);
    const text = allowed.statements.join(';\n');
    const decision = await decideHeld({ session: row, text, message, seconds }, held.signal, ports);
    this.held = undefined;
    client.notice?.({ code: 'statement_hold_over' }, true);
    return isConfirmed(decision.verdict)
      ? { ...allowed, verdict: decision.verdict }
      : {
          isAllowed: false,
          message: `${message} ${sayDecision(decision, row.person.language)}`,
          verdict: decision.verdict,
        };
  }

  /** Asks the user. A user who disconnects declines. */
  async answerTo(question: StatementQuestion): Promise<Answer> {
    return (await this.parts.client.confirm?.(question).catch(() => undefined)) ?? 'declined';
  }

  private async ask(spelled: SpelledStatement): Promise<Verdict> {
    const { guard } = this.parts.ports;
    if (!guard) return { kind: 'allow' };
    try {
      return await within(guard.beforeStatement(spelled, this.parts.row), GUARD_MS, guardIsLate);
    } catch (error) {
      this.parts.ports.log.error(
        { session: this.parts.row.id, err: error },
        'a statement could not be checked and was refused',
      );
      return {
        kind: 'deny',
        message: say(ERRORS.command_not_checked, this.parts.row.person.language),
      };
    }
  }
}
