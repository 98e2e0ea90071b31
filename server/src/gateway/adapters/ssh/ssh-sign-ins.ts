import {
  type Beginning,
  type Continuation,
  endSignIns,
  type Outcome,
  type RateLimit,
  type SignInService,
} from '../../../features/identity/index.ts';
import { displayName } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { Invalid } from '../../../platform/errors.ts';
import { Gathered } from '../../../platform/gathered.ts';
import type { SshSignIns, SshStep, SshVisitor } from '../../listeners/ssh/ports.ts';
import { Refusal } from '../../refusal.ts';

const KIND = 'ssh';
/** Connections that close within this time end their sign-ins in one statement. */
const ENDS_MS = 100;

/**
 * Sign-ins of the SSH listener. They use the state machine and the rate limits of browser sign-ins.
 * `holder` is the id of this server.
 */
export function createSshSignIns(
  db: Db,
  signIns: SignInService,
  limit: RateLimit,
  holder: string,
): SshSignIns {
  const beginningOf = (visitor: SshVisitor): Beginning => ({
    kind: KIND,
    visitor: visitorOf(visitor),
    holder,
  });
  const continuationOf = (ticket: string, visitor: SshVisitor): Continuation => ({
    ticket,
    ...beginningOf(visitor),
  });
  const stepOf = (outcome: Outcome): SshStep => {
    if (outcome.step === 'in') {
      const { id: loginId, userId, username, passwordEnd } = outcome;
      const display = displayName(outcome);
      return { step: 'in', user: { loginId, userId, username, display, passwordEnd } };
    }
    if (outcome.step === 'password_expired')
      return { step: 'new_password', ticket: outcome.ticket };
    if (outcome.step === 'mfa_required')
      return {
        step: 'code',
        ticket: outcome.ticket,
        canType: outcome.factors.some((factor) => factor !== 'passkey'),
      };
    if (outcome.step === 'challenge')
      return { step: 'challenge', ticket: outcome.ticket, message: outcome.message ?? '' };
    if (outcome.step === 'notice' && outcome.notice)
      return { step: 'notice', ticket: outcome.ticket, ...outcome.notice };
    if (outcome.step === 'login_confirm') {
      if (outcome.review?.state !== 'open') throw new Refusal('login_confirm_refused');
      return { step: 'review', ticket: outcome.ticket, reviewers: outcome.review.reviewers };
    }
    throw new Refusal('internal');
  };
  const ends = new Gathered((ids) => endSignIns(db, ids), ENDS_MS);
  const limited = ({ remoteAddress }: SshVisitor) => limit({ request: { ip: remoteAddress } });
  return {
    mayUseKey: (username, key) => signIns.mayUsePublicKey(username, key),
    async withPassword(username, password, visitor) {
      await limited(visitor);
      return stepOf(await signIns.withPassword(username, password, beginningOf(visitor)));
    },
    async withKey(username, key, visitor) {
      // A control node may connect hundreds of times a minute.
      const outcome = await limit.ofSecret({ request: { ip: visitor.remoteAddress } }, () =>
        signIns.withPublicKey(username, key, beginningOf(visitor)),
      );
      return stepOf(outcome);
    },
    async prove(ticket, code, visitor) {
      await limited(visitor);
      const type = /^\d{6}$/.test(code) ? 'totp' : 'recovery';
      const proof = {
        type,
        code: code.slice(0, 64),
        response: undefined,
        site: undefined,
      } as const;
      return stepOf(await signIns.prove(proof, continuationOf(ticket, visitor)));
    },
    async answer(ticket, answer, visitor) {
      await limited(visitor);
      return stepOf(await signIns.answerChallenge(answer, continuationOf(ticket, visitor)));
    },
    async renew(ticket, newPassword, visitor) {
      await limited(visitor);
      try {
        return stepOf(await signIns.renew({ ...continuationOf(ticket, visitor), ...newPassword }));
      } catch (error) {
        throw fieldProblemOf(error);
      }
    },
    async accept(ticket, version, visitor) {
      await limited(visitor);
      return stepOf(await signIns.accept(version, continuationOf(ticket, visitor)));
    },
    // This server polls every two seconds; the rate limit must not count that.
    reviewed: async (ticket, visitor) =>
      stepOf(await signIns.resume(continuationOf(ticket, visitor))),
    cancel: (ticket) => signIns.cancel(ticket),
    end: (loginId) => ends.add(loginId),
    hurryEnds: () => ends.hurry(),
  };
}

const visitorOf = ({ remoteAddress, software }: SshVisitor) => ({
  remoteAddress,
  userAgent: software,
  type: 'T' as const,
});

/** Returns the first field problem: a terminal has no fields to show problems next to. */
function fieldProblemOf(error: unknown): unknown {
  if (!(error instanceof Invalid)) return error;
  const [first] = Object.values(error.problems).flat();
  return first ? new Refusal(first.code, first.params) : error;
}
