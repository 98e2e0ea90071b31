import { ERRORS, type Language, say } from '@sallyport/contract';
import type { Decision } from '../../features/filters/rules/decide.ts';
import type { CommandRules } from '../../features/filters/service.ts';
import type { ExecVerdict, Guard, LineContext, Verdict } from '../ports.ts';

/** How much of a rule a message shows. */
const MOST_SHOWN = 80;
/** A program asks for a secret: what is typed then is no command, and no rule may make it impossible to sign in. */
const SECRET_PROMPT = /(?:password|passphrase|passcode|verification code|\bpin\b|密码|口令)[^\n]{0,80}[:：]\s*$/i;

/** Decides by the command filters that are bound to the account of a session. */
export function createGuard(rules: CommandRules): Guard {
  return {
    applies: ({ grant }) => rules.has(grant.systemUser.id),
    async before(line, { session, isHidden, isUnread, prompt }: LineContext): Promise<Verdict> {
      if ((isHidden || isUnread) && SECRET_PROMPT.test(prompt)) return { kind: 'allow' };
      if (isUnread) return { kind: 'deny', message: say(ERRORS.command_unread, session.person.language) };
      const decision = await rules.decide(session.grant.systemUser.id, line);
      return decision.isAllowed ? { kind: 'allow' } : { kind: 'deny', message: refusalText(decision, session.person.language) };
    },
    async beforeExec(command, { grant, person }): Promise<ExecVerdict> {
      const decision = await rules.decide(grant.systemUser.id, command);
      return decision.isAllowed ? { kind: 'allow', command } : { kind: 'deny', message: refusalText(decision, person.language) };
    },
  };
}

/** Which rule applied, for the person who typed the command. */
function refusalText({ rule }: Decision, language: Language): string {
  // What administrators write is shown in terminals: no control character of it may reach them.
  const shown = (rule?.content ?? '')
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
  const short = shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown;
  return say(ERRORS.command_denied, language, { filter: (rule?.filter ?? '').replace(/\p{Cc}/gu, ''), rule: short });
}
