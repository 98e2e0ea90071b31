import { expect, it } from 'vitest';
import { Refusal } from '../connections/index.ts';
import { type HeldSession, LiveSessions } from './live-sessions.ts';
import type { LiveToken } from './tokens.ts';

let end: (isOver: boolean) => void = () => undefined;
let opened = 0;
const sessions = new LiveSessions<HeldSession>({
  gateway: () => ({
    async open({ onEnd }) {
      end = onEnd;
      opened++;
      return movedDuring(0).session;
    },
  }),
  noteUse: async () => undefined,
  validTokens: async () => new Set<string>(),
  endToken: async () => undefined,
});

const tokenOf = (id: string, loginId = 'sign-in') =>
  ({
    id,
    loginId,
    clusterId: 'cluster',
    systemUserId: 'account',
    dateExpired: new Date(Date.now() + 60_000),
  }) as LiveToken;

/** A session that another request moves to its own address during some of the checks. */
function movedDuring(moves: number) {
  const person = { remoteAddr: 'office' };
  const seen: string[] = [];
  const session: HeldSession = {
    row: { person },
    end: () => undefined,
    isOver: false,
    async moveTo(address: string) {
      person.remoteAddr = address;
    },
    async recheck() {
      seen.push(person.remoteAddr);
      if (seen.length <= moves) person.remoteAddr = 'office';
    },
  };
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
  const token = tokenOf('a');
  await sessions.of(token, 'home');
  end(false);
  await sessions.of(token, 'home');
  end(true);
  await expect(sessions.of(token, 'home')).rejects.toBeInstanceOf(Refusal);
});

it('shares a session between the tokens of one sign-in, and ends all of them with it', async () => {
  const before = opened;
  for (const id of ['b', 'c']) await sessions.of(tokenOf(id, 'shared'), 'home');
  expect(opened - before).toBe(1);
  end(true);
  for (const id of ['b', 'c'])
    await expect(sessions.of(tokenOf(id, 'shared'), 'home')).rejects.toBeInstanceOf(Refusal);
  await sessions.of(tokenOf('d', 'other'), 'home');
  expect(opened - before).toBe(2);
  end(false);
});
