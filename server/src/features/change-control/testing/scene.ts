import type { ChangeSetDetail, ProposedChange } from '@sallyport/contract';
import { expect } from 'vitest';
import { sql } from '../../../platform/db/sql.ts';
import {
  type BuiltUser,
  buildAsset,
  buildOrganization,
  buildSystemUser,
  buildUser,
  unique,
} from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { signInMember } from '../../../testing/roles.ts';
import { bearer } from '../../../testing/sign-in.ts';
import type { TestProgram } from '../../../testing/test-program.ts';

/** A controlled organization with two administrators and a permission from before the control. */
export interface Scene {
  readonly organization: string;
  readonly proposer: Client;
  readonly proposerId: string;
  readonly decider: Client;
  readonly member: BuiltUser;
  readonly asset: string;
  readonly account: string;
  /** System users that no permission names. */
  readonly others: readonly string[];
  /** The permission, and the other controlled objects by resource. */
  readonly permission: string;
  readonly condition: string;
  readonly filter: string;
}

export async function buildScene(
  test: TestProgram,
  control: Json = {},
  /** Makes another object before the control starts. */
  make?: (scene: Pick<Scene, 'organization' | 'proposer' | 'member'>) => Promise<string>,
): Promise<Scene & { readonly object: string }> {
  const { db } = test;
  const organization = await buildOrganization(db);
  const built = await buildUser(db, { memberOf: [{ organization, role: 'Admin' }] });
  const proposer = (await bearer(test, built)).inOrganization(organization);
  const decider = await signInMember(test, organization);
  const member = await buildUser(db, { memberOf: [{ organization, role: 'User' }] });
  const asset = await buildAsset(db, { organization });
  const account = await buildSystemUser(db, { organization });
  const others = await Promise.all([0, 1, 2].map(() => buildSystemUser(db, { organization })));
  const create = async (path: string, body: Json) => {
    const answer = await proposer.post<Json>(path, body);
    expect(answer.status, answer.text).toBe(201);
    return String(answer.body.id);
  };
  const permission = await create('perms/asset-permissions/', {
    name: unique('rule'),
    users: [member.id],
    assets: [asset],
    system_users: [account],
  });
  const condition = await create('perms/conditions/', { name: unique('hours') });
  const filter = await create('assets/cmd-filters/', { name: unique('filter') });
  const object = (await make?.({ organization, proposer, member })) ?? '';
  const on = await proposer.put<Json>('change-control/', { is_on: true, ...control });
  expect([on.status, on.body.is_on], on.text).toEqual([200, true]);
  return {
    ...{ organization, proposer, proposerId: built.id, decider, member },
    ...{ asset, account, permission, condition, filter, others, object },
  };
}

/** Sends a proposal and returns the answer. */
export const send = (client: Client, changes: readonly ProposedChange[], more: Json = {}) =>
  client.post<ChangeSetDetail & Json>('change-sets/', { reason: 'A test.', changes, ...more });

/** Proposes changes that the server must accept. Returns the change set. */
export async function proposed(
  client: Client,
  changes: readonly ProposedChange[],
  more: Json = {},
): Promise<ChangeSetDetail> {
  const answer = await send(client, changes, more);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

export const answer = (
  client: Client,
  { id }: Pick<ChangeSetDetail, 'id'>,
  what: 'approve' | 'reject' | 'withdraw' | 'break-glass' | 'review',
  comment = '',
) => client.post<ChangeSetDetail & Json>(`change-sets/${id}/${what}/`, { comment });

/** A change that switches the permission of a scene off. */
export const switchingOff = ({ permission }: Pick<Scene, 'permission'>): ProposedChange => ({
  resource: 'asset_permission',
  action: 'change',
  object: permission,
  body: { is_active: false },
});

/** Moves the time of a change set into the past, which its trigger refuses. */
export const makeDue = ({ db }: TestProgram, { id }: Pick<ChangeSetDetail, 'id'>): Promise<void> =>
  db.transaction(async (tx) => {
    await sql`alter table change_set disable trigger user`.execute(tx);
    await sql`update change_set set apply_at = now() - interval '1 second'
      where id = ${id}`.execute(tx);
    await sql`alter table change_set enable trigger user`.execute(tx);
  });
