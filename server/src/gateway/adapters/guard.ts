import { ERRORS, type Language, say } from '@sallyport/contract';
import type { Decision } from '../../features/filters/rules/decide.ts';
import type { CommandRules } from '../../features/filters/service.ts';
import { allowedCommand } from '../../platform/allowed-commands.ts';
import type { ExecVerdict, Guard, LineContext, Verdict } from '../ports/guard.ts';
import type { NewSession } from '../ports/records.ts';

const BEYOND_ASCII = /[^\x20-\x7e]/;
/** How much of a rule a message shows. */
const MOST_SHOWN = 80;
/** A program asks for a secret: what is typed then is no command, and no rule may make it impossible to sign in. */
const SECRET_PROMPT =
  /(?:password|passphrase|passcode|verification code|\bpin\b|密码|口令)[^\n]{0,80}[:：]\s*$/i;

/** What an account in enforced mode may run, and how that is sent; nothing for other accounts. */
function enforced(line: string, { grant, person }: NewSession): ExecVerdict | undefined {
  const { systemUser, asset } = grant;
  if (systemUser.allowedCommands === undefined) return undefined;
  const decided = allowedCommand(systemUser.allowedCommands, line);
  if (typeof decided === 'string')
    return { kind: 'deny', message: say(ERRORS[decided], person.language) };
  // In another charset a byte of a character can be a quote.
  if (asset.charset !== 'utf8' && BEYOND_ASCII.test(decided.line))
    return { kind: 'deny', message: say(ERRORS.command_not_plain, person.language) };
  return { kind: 'allow', command: decided.line };
}

/** Decides by the command filters that are bound to the account of a session. */
export function createGuard(rules: CommandRules): Guard {
  return {
    // In enforced mode each line is decided as a whole command, by the prompt that reads it.
    applies: ({ grant }) =>
      grant.systemUser.allowedCommands === undefined && rules.has(grant.systemUser.id),
    settled: ({ grant }) => rules.known(grant.systemUser.id),
    async before(line, { session, isHidden, isUnread, prompt }: LineContext): Promise<Verdict> {
      if ((isHidden || isUnread) && SECRET_PROMPT.test(prompt)) return { kind: 'allow' };
      if (isUnread)
        return { kind: 'deny', message: say(ERRORS.command_unread, session.person.language) };
      const decision = await rules.decide(session.grant.systemUser.id, line);
      return decision.isAllowed
        ? { kind: 'allow' }
        : { kind: 'deny', message: refusalText(decision, session.person.language) };
    },
    async beforeStatement({ lines, spellings }, { grant, person }): Promise<Verdict> {
      const decision = await rules.decideStatement(grant.systemUser.id, lines, spellings);
      return decision.isAllowed
        ? { kind: 'allow' }
        : { kind: 'deny', message: refusalText(decision, person.language) };
    },
    async beforeExec(command, session): Promise<ExecVerdict> {
      const { grant, person } = session;
      const verdict = enforced(command, session) ?? { kind: 'allow', command };
      if (verdict.kind === 'deny') return verdict;
      const decision = await rules.decide(grant.systemUser.id, command);
      return decision.isAllowed
        ? verdict
        : { kind: 'deny', message: refusalText(decision, person.language) };
    },
  };
}

/** Which rule applied, for the person who typed the command. */
function refusalText({ rule }: Decision, language: Language): string {
  if (!rule) return say(ERRORS.command_not_checked, language);
  // What administrators write is shown in terminals: no control character of it may reach them.
  const shown = rule.content
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
  const short = shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown;
  return say(ERRORS.command_denied, language, {
    filter: rule.filter.replace(/\p{Cc}/gu, ''),
    rule: short,
  });
}
