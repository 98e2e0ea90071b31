import { expect, it } from 'vitest';
import { type ClusterGateway, type ClusterSession, Refusal } from '../connections/index.ts';
import { LiveSessions } from './live-sessions.ts';
import type { LiveToken } from './tokens.ts';

let end: (isOver: boolean) => void = () => undefined;
const sessions = new LiveSessions({
  gateway: () =>
    ({
      async open({ onEnd }) {
        end = onEnd;
        return movedDuring(0).session;
      },
    }) as ClusterGateway,
  noteUse: async () => undefined,
  validTokens: async () => new Set<string>(),
  endToken: async () => undefined,
});

/** A session that another request moves to its own address during some of the checks. */
function movedDuring(moves: number) {
  const person = { remoteAddr: 'office' };
  const seen: string[] = [];
  const session = {
    row: { person },
    async moveTo(address: string) {
      person.remoteAddr = address;
    },
    async recheck() {
      seen.push(person.remoteAddr);
      if (seen.length <= moves) person.remoteAddr = 'office';
    },
  } as unknown as ClusterSession;
  return { session, person, seen };
}

it('checks a request again when another one has moved the session to its address', async () => {
  const { session, person, seen } = movedDuring(2);
  await sessions.check(session, 'home');
  expect([person.remoteAddr, seen]).toEqual(['home', ['home', 'home', 'home']]);
});

it('refuses a request whose session others always move', async () => {
  const { session } = movedDuring(Number.POSITIVE_INFINITY);
  await expect(sessions.check(session, 'home')).rejects.toBeInstanceOf(Refusal);
});

it('opens no session for a token whose session was terminated, even before it is deleted', async () => {
  const token = { id: 'a', dateExpired: new Date(Date.now() + 60_000) } as LiveToken;
  await sessions.of(token, 'home');
  end(false);
  await sessions.of(token, 'home');
  end(true);
  await expect(sessions.of(token, 'home')).rejects.toBeInstanceOf(Refusal);
});
