import { hashPassword } from '../../server/src/platform/crypto/password.ts';
import type { Tx } from '../../server/src/platform/db/database.ts';
import { daysBefore } from '../calendar.ts';
import { DEMO_PASSWORD } from '../people/people.ts';
import type { Random } from '../random.ts';
import { insertRows } from '../rows.ts';
import data from './organization.json' with { type: 'json' };

/** The administrator of the organization, who has {@link DEMO_PASSWORD}. */
export const ORGANIZATION_ADMINISTRATOR = 'zhaomin';

/** Inserts a second organization with its people. Its other objects come by the API. */
export async function fillOrganization(tx: Tx, random: Random, now: Date): Promise<void> {
  const organization = random.uuid();
  const password = await hashPassword(DEMO_PASSWORD);
  await insertRows(tx, 'organization', [
    {
      id: organization,
      name: data.name,
      comment: data.comment,
      created_by: 'Administrator',
      date_created: daysBefore(now, 120),
    },
  ]);
  const people = data.people.map((person) => ({ ...person, id: random.uuid() }));
  await insertRows(
    tx,
    'account',
    people.map(({ id, username, name, comment }) => ({
      id,
      username,
      name,
      comment,
      email: `${username}@example.com`,
      password: username === ORGANIZATION_ADMINISTRATOR ? password : null,
      phone: null,
      wechat: '',
      source: 'local',
      role: 'User',
      is_active: true,
      is_first_login: false,
      created_by: 'Administrator',
      home_organization_id: organization,
      date_joined: daysBefore(now, 100),
      date_password_last_updated: daysBefore(now, 1),
      date_expired: daysBefore(now, -25_000),
    })),
  );
  await insertRows(
    tx,
    'organization_member',
    people.map(({ id, role }) => ({
      organization_id: organization,
      user_id: id,
      role,
      date_joined: daysBefore(now, 100),
    })),
  );
}
