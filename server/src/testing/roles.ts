import type { OrganizationRole } from '@sallyport/contract';
import { sql } from '../platform/db/sql.ts';
import { buildOrganization, buildUser, unique } from './builders.ts';
import type { Client } from './client.ts';
import { ADMIN, bearer } from './sign-in.ts';
import type { TestProgram } from './test-program.ts';

/** Kinds of callers, relative to one organization. */
export const ROLES = [
  'nobody',
  'user',
  'auditor',
  'orgAdmin',
  'orgAuditor',
  'otherOrgAdmin',
  'superAdmin',
  'systemAdmin',
  'securityAdmin',
  'auditAdmin',
  'disabled',
  'expired',
] as const;
export type RoleName = (typeof ROLES)[number];

export interface Cast {
  readonly organization: string;
  readonly otherOrganization: string;
  /**
   * Clients by role, all in {@link organization}. `disabled` and `expired` signed in before they
   * changed.
   */
  readonly clients: Readonly<Record<RoleName, Client>>;
}

/** Creates a user with a role in one organization and signs in. */
export async function signInMember(
  test: TestProgram,
  organization: string,
  role: OrganizationRole = 'Admin',
): Promise<Client> {
  return (
    await bearer(test, await buildUser(test.db, { memberOf: [{ organization, role }] }))
  ).inOrganization(organization);
}

/** Creates and signs in one account per role. */
export async function buildCast(test: TestProgram): Promise<Cast> {
  const { db } = test;
  const organization = await buildOrganization(db);
  const otherOrganization = await buildOrganization(db);
  const signedIn = async (options: Parameters<typeof buildUser>[1]) =>
    (await bearer(test, await buildUser(db, options))).inOrganization(organization);
  const [disabled, expired] = [unique('was-an-admin'), unique('expired-admin')];
  const clients = {
    nobody: test.visitor.inOrganization(organization),
    user: await signedIn({ memberOf: [{ organization, role: 'User' }] }),
    auditor: await signedIn({ role: 'Auditor' }),
    orgAdmin: await signedIn({ memberOf: [{ organization, role: 'Admin' }] }),
    orgAuditor: await signedIn({ memberOf: [{ organization, role: 'Auditor' }] }),
    otherOrgAdmin: await signedIn({
      memberOf: [{ organization: otherOrganization, role: 'Admin' }],
    }),
    superAdmin: (await bearer(test, ADMIN)).inOrganization(organization),
    systemAdmin: await signedIn({ duty: 'system' }),
    securityAdmin: await signedIn({ duty: 'security' }),
    auditAdmin: await signedIn({ duty: 'audit' }),
    disabled: await signedIn({ username: disabled, role: 'Admin' }),
    expired: await signedIn({ username: expired, role: 'Admin' }),
  };
  await sql`update account set is_active = false where username = ${disabled}`.execute(db);
  await sql`update account set date_expired = now() - interval '1 second' where username = ${expired}`.execute(
    db,
  );
  return { organization, otherOrganization, clients };
}
