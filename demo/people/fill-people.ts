import { hashPassword } from '../../server/src/platform/crypto/password.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore, recentDays, workingMoment } from '../calendar.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import { DEMO_PASSWORD, GROUPS, PEOPLE, type Person } from './people.ts';

/** Ids of sample users and groups, by name. */
export interface FilledPeople {
  readonly accounts: ReadonlyMap<string, Person & { readonly id: string }>;
  readonly groups: ReadonlyMap<string, string>;
}

export async function fillPeople(tx: Tx, random: Random, now: Date): Promise<FilledPeople> {
  const password = await hashPassword(DEMO_PASSWORD);
  const accounts = new Map(
    PEOPLE.map((person) => [person.username, { ...person, id: random.uuid() }]),
  );
  const groups = new Map<string, string>(GROUPS.map(({ name }) => [name, random.uuid()]));
  await insertRows(
    tx,
    'account',
    [...accounts.values()].map((person) => ({
      id: person.id,
      name: person.name,
      username: person.username,
      email: person.mail,
      // Accounts without a password cannot sign in: most sample users only fill lists.
      password: person.canSignIn ? password : null,
      phone: person.phone,
      comment: person.comment,
      wechat: '',
      source: person.source ?? 'local',
      is_active: person.isActive ?? true,
      created_by: person.days > 380 ? 'Administrator' : '林晓峰',
      is_first_login: false,
      date_password_last_updated: daysBefore(
        now,
        person.canSignIn ? 1 : Math.min(person.days, random.between(5, 80)),
      ),
      date_expired: daysBefore(now, person.isExpired ? 12 : -25_000),
      date_joined: daysBefore(now, person.days),
      last_login:
        person.canSignIn || person.isActive === false
          ? null
          : workingMoment(random, now, recentDays(random, 9)),
      role: person.role,
    })),
  );
  await insertRows(
    tx,
    'user_group',
    GROUPS.map(({ name, comment }, index) => ({
      id: groups.get(name),
      name,
      comment,
      created_by: '林晓峰',
      date_created: daysBefore(now, 300 - index * 37),
    })),
  );
  await insertRows(
    tx,
    'user_group_users',
    [...accounts.values()].flatMap((person) =>
      person.groups.map((group) => ({ user_group_id: groups.get(group), user_id: person.id })),
    ),
  );
  return { accounts, groups };
}
