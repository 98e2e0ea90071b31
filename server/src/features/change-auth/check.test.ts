import { type KnownAccount, NO_ADMIN_USER, type PlanCheck } from '@sallyport/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildAsset, unique } from '../../testing/builders.ts';
import type { Client } from '../../testing/client.ts';
import { buildCast, type Cast } from '../../testing/roles.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

const CHECK = 'xpack/change-auth-plan/check/';
const ACCOUNTS = 'xpack/change-auth-plan/accounts/';

let test: TestProgram;
let cast: Cast;
let admin: Client;
let node: string;
let keeper: string;
const username = unique('deploy').slice(0, 32);
beforeAll(async () => {
  test = await startTestProgram();
  cast = await buildCast(test);
  admin = cast.clients.orgAdmin;
  const place = await admin.post('assets/nodes/', { value: unique('place') });
  node = String(place.body.id);
  const body = { name: unique('keeper'), username: 'root', password: 'A kept password 1' };
  keeper = String((await admin.post('assets/admin-users/', body)).body.id);
});
afterAll(() => test.stop());

/** Creates an asset of the organization, with an admin user unless told otherwise. */
async function addAsset(options: { isActive?: boolean; bare?: boolean; at?: string } = {}) {
  const { organization } = cast;
  const id = await buildAsset(test.db, {
    organization,
    ...(options.isActive === false && { isActive: false }),
    ...(options.at && { nodes: [options.at] }),
  });
  if (!options.bare) await admin.patch(`assets/assets/${id}/`, { admin_user: keeper });
  return id;
}

const store = (asset: string, name = username) =>
  admin.post('assets/asset-users/', { asset, username: name, password: 'A stored password 1' });
const check = async (body: object, client = admin) =>
  client.post<PlanCheck>(CHECK, { assets: [], nodes: [], username, ...body });

it('checks each server of a plan, those below its nodes too, the failing ones first', async () => {
  const [good, bare, below, other] = [
    await addAsset(),
    await addAsset({ bare: true }),
    await addAsset({ at: node }),
    await addAsset(),
  ];
  const disabled = await addAsset({ isActive: false });
  await store(good);
  await store(other);
  const { status, body } = await check({ assets: [good, bare, disabled], nodes: [node] });
  expect(status).toBe(200);
  const about = ({ id, is_known: isKnown, reason }: PlanCheck['hosts'][number]) => ({
    id,
    isKnown,
    reason,
  });
  expect(body.hosts[0] && about(body.hosts[0])).toEqual({
    id: bare,
    isKnown: false,
    reason: NO_ADMIN_USER.en,
  });
  expect(body.hosts.map(about)).toEqual(
    expect.arrayContaining([
      { id: good, isKnown: true, reason: '' },
      { id: below, isKnown: false, reason: '' },
    ]),
  );
  expect([body.hosts.length, body.is_cut, body.others]).toEqual([3, false, [other]]);
});

it('names the accounts that are known on active assets, with their number', async () => {
  const name = unique('app').slice(0, 32);
  const [one, two] = [await addAsset(), await addAsset()];
  await store(one, name);
  await store(two, name);
  await store(await addAsset({ isActive: false }), name);
  const accountsFor = async (client: Client, search: string) =>
    (await client.get<KnownAccount[]>(`${ACCOUNTS}?search=${search}`)).body;
  expect(await accountsFor(admin, name.toUpperCase())).toEqual([
    { username: name, assets_amount: 2 },
  ]);
  expect(await accountsFor(admin, '%25')).toEqual([]);
  // The admin user of the assets is an account on them.
  expect((await accountsFor(admin, 'root')).map((known) => known.username)).toContain('root');
  expect(
    await accountsFor(cast.clients.otherOrgAdmin.inOrganization(cast.otherOrganization), name),
  ).toEqual([]);
});

it('checks nothing outside the organization, and nothing for users', async () => {
  const foreign = await buildAsset(test.db, { organization: cast.otherOrganization });
  expect((await check({ assets: [foreign] })).body.hosts).toEqual([]);
  for (const role of ['user', 'auditor', 'orgAuditor', 'otherOrgAdmin', 'disabled'] as const) {
    const client = cast.clients[role];
    expect([role, (await check({}, client)).status]).not.toEqual([role, 200]);
    expect([role, (await client.get(ACCOUNTS)).status]).not.toEqual([role, 200]);
  }
});
