import type { Tx } from '../../server/src/platform/db/database.ts';
import { sql } from '../../server/src/platform/db/sql.ts';
import { daysBefore, recentDays, workingMoment } from '../calendar.ts';
import type { FilledPeople } from '../people/fill-people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';

const AMOUNT = 260;
const DAYS = 24;
const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
] as const;
/** Usernames in attacks from outside. */
const STRANGERS = ['root', 'administrator', 'test', 'oracle', 'guest1'] as const;

/** The user with a sign-in from an unknown network. */
const TRAVELLER = 'smitchell';
/** Days for which alerts are raised of the entries. */
const ALERT_DAYS = 7;

/**
 * Inserts the sign-ins of the past weeks: users at work, typing errors, a script, an unknown
 * network, and an attacker guessing usernames. The alerts of the last days follow from them.
 */
export async function fillLoginLog(
  tx: Tx,
  random: Random,
  now: Date,
  { accounts }: FilledPeople,
): Promise<void> {
  const people = [...accounts.values()].filter(
    ({ isActive, canSignIn }) => isActive !== false && !canSignIn,
  );
  const attempts = Array.from({ length: AMOUNT }, () => {
    const person = random.pick(people);
    const isRobot = person.username === 'ci-robot';
    const seat = (person.username.length * 7) % 180;
    const reason = person.isExpired ? 'user_inactive' : random.oneIn(14) ? 'password_failed' : '';
    return attempt(random, now, {
      username: person.username,
      user_id: person.id,
      type: isRobot ? 'A' : 'W',
      ip: `${person.address}.${20 + seat}`,
      city: person.city,
      user_agent: isRobot ? 'curl/8.14.1' : (BROWSERS[seat % BROWSERS.length] ?? ''),
      reason,
    });
  });
  const guessing = workingMoment(random, now, 6);
  const guesses = Array.from({ length: 26 }, (_, index) => ({
    ...attempt(random, now, {
      username: STRANGERS[index % STRANGERS.length] ?? '',
      user_id: null,
      type: 'W',
      ip: '203.0.113.77',
      city: '',
      user_agent: 'python-requests/2.32.5',
      reason: index < 18 ? 'user_not_exist' : 'block_login',
    }),
    datetime: new Date(guessing.getTime() + index * 4100),
  }));
  const traveller = accounts.get(TRAVELLER);
  if (!traveller) throw new Error(`the sign-ins name the unknown user ${TRAVELLER}`);
  const travelling = {
    ...attempt(random, now, {
      username: traveller.username,
      user_id: traveller.id,
      type: 'W',
      ip: '198.51.100.24',
      city: '',
      user_agent: BROWSERS[1],
      reason: '',
    }),
    datetime: workingMoment(random, now, 1),
  };
  await insertRows(
    tx,
    'login_log',
    [...attempts, ...guesses, travelling].toSorted(
      (one, other) => one.datetime.getTime() - other.datetime.getTime(),
    ),
  );
  await sql`update alert_cursor set alerts_from = ${daysBefore(now, ALERT_DAYS)}
    where log = 'login_log'`.execute(tx);
}

function attempt(
  random: Random,
  now: Date,
  details: {
    username: string;
    user_id: string | null;
    type: string;
    ip: string;
    city: string;
    user_agent: string;
    reason: string;
  },
) {
  return {
    id: random.uuid(),
    ...details,
    mfa: details.reason ? 2 : 0,
    status: details.reason === '',
    datetime: workingMoment(random, now, recentDays(random, DAYS)),
  };
}
