import type { Grant } from '../ports/grant.ts';
import type { Person } from '../ports/people.ts';
import type { NewSession } from '../ports/records.ts';
import type { GatewayPorts } from '../ports.ts';
import { problemOf, Refusal } from '../refusal.ts';
import type { SessionClient } from './session-client.ts';

const MAX_CODES = 3;
const ASK_MINUTES = 5;

/** Waits for an answer from the user, at most five minutes. @throws Refusal on timeout */
export async function askInTime<Answer>(
  answer: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  return new Promise<Answer>((done, failed) => {
    timer = setTimeout(
      () => failed(new Refusal('session_idle', { minutes: ASK_MINUTES })),
      ASK_MINUTES * 60_000,
    );
    signal.addEventListener('abort', () => failed(signal.reason), { once: true });
    answer.then(done, failed);
  }).finally(() => clearTimeout(timer));
}

export interface FactorQuestion {
  readonly ports: GatewayPorts;
  readonly person: Person;
  readonly client: SessionClient;
  readonly signal: AbortSignal;
}

/**
 * Enforces the fresh second factor that a permission requires. Accepts a recent one, else asks the
 * user if the client can.
 * @throws Refusal
 */
export async function requireFactor(
  { ports, person, client, signal }: FactorQuestion,
  { factorMinutes: minutes }: Grant,
): Promise<NewSession['secondFactor']> {
  if (minutes === undefined) return 'none';
  const { factors } = ports;
  const { userId, loginId, remoteAddr } = person;
  if (!factors || loginId === undefined) throw new Refusal('factor_needed', { minutes });
  if (await factors.isRecent(loginId, minutes)) return 'recent';
  if (!client.askFactor) throw new Refusal('factor_needed', { minutes });
  if (!(await factors.canType(userId))) throw new Refusal('factor_missing');
  for (let attempt = 1; ; attempt++) {
    const code = await askInTime(client.askFactor(attempt > 1), signal);
    try {
      await factors.prove({ userId, loginId, code, remoteAddress: remoteAddr ?? '' });
      return 'asked';
    } catch (error) {
      if (problemOf(error).code !== 'mfa_failed' || attempt >= MAX_CODES) throw error;
    }
  }
}
