import {
  conditionSentence,
  ERRORS,
  type Language,
  RULE_ALLOW,
  RULE_HOLD,
  RULE_WARN,
  say,
} from '@sallyport/contract';
import type { ExecVerdict, Guard, LineContext, Verdict } from '../../gateway/ports/guard.ts';
import type { Person } from '../../gateway/ports/people.ts';
import type { NewSession } from '../../gateway/ports/records.ts';
import { allowedCommand } from '../../platform/allowed-commands.ts';
import type { CommandCircumstances, CommandRules, Decision } from '../filters/index.ts';
import { clientOf } from './permission-terms.ts';

const BEYOND_ASCII = /[^\x20-\x7e]/;
const MAX_RULE_LENGTH = 80;
/**
 * A prompt for a secret. The input is no command, and a rule must not make signing in impossible. A
 * line editor reads commands whatever its prompt is named.
 */
const SECRET_PROMPT =
  /(?:password|passphrase|passcode|verification code|\bpin\b|密码|口令)[^\n]{0,80}[:：]\s*$/i;

/** Verdict for an account in enforced mode; undefined for other accounts. */
function enforced(line: string, { grant, person }: NewSession): ExecVerdict | undefined {
  const { systemUser, asset } = grant;
  if (systemUser.allowedCommands === undefined) return undefined;
  const enforcedCommand = allowedCommand(systemUser.allowedCommands, line);
  if (typeof enforcedCommand === 'string')
    return { kind: 'deny', message: say(ERRORS[enforcedCommand], person.language) };
  // In other charsets a byte of a multibyte character can be a quote.
  if (asset.charset !== 'utf8' && BEYOND_ASCII.test(enforcedCommand.line))
    return { kind: 'deny', message: say(ERRORS.command_not_plain, person.language) };
  return { kind: 'allow', command: enforcedCommand.line };
}

/** Reads the time (ms) of the last second factor of a sign-in; null if there was none. */
type FactorTime = (loginId: string | undefined) => Promise<number | null>;

/** Decides by the command filters of the session's system user. */
export function createGuard(rules: CommandRules, factorAt: FactorTime): Guard {
  const circumstancesOf = (person: Person): CommandCircumstances => ({
    ...clientOf(person),
    factorAt: () => factorAt(person.loginId),
  });
  return {
    // In enforced mode the prompt decides on whole commands; there is no shell that reads lines.
    applies: ({ grant }) =>
      grant.systemUser.allowedCommands === undefined && rules.has(grant.systemUser.id),
    settled: ({ grant }) => rules.known(grant.systemUser.id),
    async before(line, context: LineContext): Promise<Verdict> {
      const { session, isHidden, isUnread, isEditor, prompt } = context;
      if (context.isUncertain)
        return { kind: 'deny', message: say(ERRORS.command_uncertain, session.person.language) };
      if (!isEditor && (isHidden || isUnread) && SECRET_PROMPT.test(prompt))
        return { kind: 'allow' };
      if (isUnread)
        return { kind: 'deny', message: say(ERRORS.command_unread, session.person.language) };
      const decision = await rules.decide(
        session.grant.systemUser.id,
        line,
        circumstancesOf(session.person),
      );
      return verdictOf(decision, session);
    },
    async beforeStatement({ lines, spellings }, session): Promise<Verdict> {
      const { grant, person } = session;
      const decision = await rules.decideStatement(
        grant.systemUser.id,
        { lines, spellings },
        circumstancesOf(person),
      );
      return verdictOf(decision, session);
    },
    async beforeExec(command, session): Promise<ExecVerdict> {
      const { grant, person } = session;
      const allowed = enforced(command, session) ?? { kind: 'allow', command };
      if (allowed.kind !== 'allow') return allowed;
      const decision = await rules.decide(grant.systemUser.id, command, circumstancesOf(person));
      const verdict = verdictOf(decision, session);
      return verdict.kind === 'deny' ? verdict : { ...allowed, ...verdict };
    },
  };
}

const denial = (decision: Decision, { language }: Person) =>
  ({ kind: 'deny', message: refusalText(decision, language) }) as const;

/** The verdict of a decision; rules that ask say what they expect. */
function verdictOf(decision: Decision, { grant, person }: NewSession): Verdict {
  if (!decision.isAllowed) return denial(decision, person);
  const { rule } = decision;
  if (!rule || rule.action === RULE_ALLOW) return { kind: 'allow' };
  const message =
    messageOf(rule) ||
    say(ERRORS.command_warned, person.language, shownRule(rule, person.language));
  if (rule.action === RULE_HOLD) return { kind: 'hold', message, seconds: rule.minutes * 60 };
  const expects =
    rule.action === RULE_WARN ? 'enter' : { word: rule.word.trim() || grant.asset.hostname };
  return { kind: 'ask', message, expects };
}

/** The message of the matching rule, and the rule, for the user who typed the command. */
function refusalText({ rule }: Decision, language: Language): string {
  if (!rule) return say(ERRORS.command_not_checked, language);
  const message = messageOf(rule);
  const parameters = shownRule(rule, language);
  return message
    ? say(ERRORS.command_denied_because, language, { ...parameters, message })
    : say(ERRORS.command_denied, language, parameters);
}

/** The message that an administrator wrote for a rule, without control characters. */
const messageOf = ({ message }: NonNullable<Decision['rule']>): string =>
  message.replace(/\p{Cc}/gu, ' ').trim();

/** Filter and rule as messages show them. */
function shownRule(rule: NonNullable<Decision['rule']>, language: Language) {
  // Terminals show the rule: strip control characters.
  const plain = rule.content
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
  const short = plain.length > MAX_RULE_LENGTH ? `${plain.slice(0, MAX_RULE_LENGTH)}…` : plain;
  return {
    filter: rule.filter.replace(/\p{Cc}/gu, ''),
    rule: rule.terms ? `${short} (${say(conditionSentence(rule.terms), language)})` : short,
  };
}
