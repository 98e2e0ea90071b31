import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examine } from './start/doctor/doctor.ts';
import {
  buildAsset,
  buildPermission,
  buildSystemUser,
  buildUser,
  unique,
} from './testing/builders.ts';
import type { Client, Json } from './testing/client.ts';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from './testing/databases/replicated-postgres.ts';
import { notePeers, requirePeers } from './testing/peers.ts';
import { until } from './testing/poll.ts';
import { bearer } from './testing/sign-in.ts';
import { startTestProgram, type TestProgram } from './testing/test-program.ts';

requirePeers('postgresql');

let database: ReplicatedPostgres;
let standbyUrl: string;
/** Accepts a standby that is ten minutes behind; `strict` one that is a second behind. */
let patient: TestProgram;
let strict: TestProgram;
let admin: Client;
let strictAdmin: Client;
beforeAll(async () => {
  database = await startReplicatedPostgres();
  notePeers(database.version);
  standbyUrl = `postgres://${database.account}127.0.0.1:${database.ports[1]}/app`;
  const both = {
    databaseUrl: database.url,
    databaseReadUrl: standbyUrl,
    secretKey: randomBytes(32).toString('hex'),
  };
  patient = await startTestProgram({ ...both, databaseReadLagSeconds: 600 });
  strict = await startTestProgram({ ...both, databaseReadLagSeconds: 1 });
  admin = await bearer(patient);
  strictAdmin = await bearer(strict);
});
afterAll(async () => {
  await strict?.stop();
  await patient?.stop();
  await database?.stop();
});

async function standbyReads({ visitor }: TestProgram) {
  const { body } = await visitor.get<Json>('/api/health/');
  return (body.dependencies as Record<string, Json>).standby_reads?.status;
}

async function addAsset() {
  const hostname = unique('host');
  await buildAsset(patient.db, { hostname });
  return hostname;
}

const exported = async (client: Client, name: string) =>
  (await client.get<string>('assets/assets/?format=csv')).text.includes(name);
const listed = async (client: Client, name: string) =>
  (await client.get<readonly Json[]>(`assets/assets/?hostname=${name}`)).body.length === 1;
const searched = async (client: Client, name: string) =>
  (await client.get<Json>(`search/?q=${name}&kind=asset`)).text.includes(name);
const counted = async (client: Client) =>
  (await client.get<Json>('index/?total_count_users=1')).body.total_count_users;

it('reads exports, search and dashboard from the standby, and lists from the primary', async () => {
  const known = await addAsset();
  await until(() => exported(admin, known), 'the standby has the asset');
  expect(await searched(admin, known)).toBe(true);
  const users = await counted(admin);
  database.cutStandby();
  const name = await addAsset();
  await buildUser(patient.db);
  expect(await exported(admin, known)).toBe(true);
  expect(await exported(admin, name)).toBe(false);
  expect(await searched(admin, name)).toBe(false);
  expect(await counted(admin)).toBe(users);
  expect(await listed(admin, name)).toBe(true);
  expect(await standbyReads(patient)).toBe('up');
});

it('decides by the primary while the standby is behind', async () => {
  const user = await buildUser(patient.db);
  const hostname = unique('host');
  const asset = await buildAsset(patient.db, { hostname });
  const systemUser = await buildSystemUser(patient.db);
  const permission = await buildPermission(patient.db, {
    users: [user.id],
    assets: [asset],
    systemUsers: [systemUser],
  });
  const client = await bearer(patient, user);
  const results = async () => (await client.get<Json>(`search/?q=${hostname}`)).body.results;
  expect(await results()).toMatchObject([{ id: asset, connects: asset }]);
  await admin.delete(`perms/asset-permissions/${permission}/`);
  expect(await results()).toEqual([]);
  await admin.patch(`users/users/${user.id}/`, { is_active: false });
  expect((await client.get(`search/?q=${hostname}`)).status).toBe(401);
});

it('reads from the primary while the standby is further behind than allowed', async () => {
  const name = await addAsset();
  await until(() => exported(strictAdmin, name), 'the primary answers');
  expect(await searched(strictAdmin, name)).toBe(true);
  expect(await standbyReads(strict)).toBe('down');
  database.joinStandby();
  const used = async () => {
    expect(await exported(strictAdmin, name)).toBe(true);
    return (await standbyReads(strict)) === 'up';
  };
  await until(used, 'the standby is used again');
});

it('reads from the primary when the standby does not answer', async () => {
  await database.stopStandby();
  const name = await addAsset();
  expect(await exported(admin, name)).toBe(true);
  expect(await searched(admin, name)).toBe(true);
  expect(await standbyReads(patient)).toBe('down');
  const environment = {
    SALLYPORT_DATABASE_URL: database.url,
    SALLYPORT_DATABASE_READ_URL: standbyUrl,
    SALLYPORT_DATA_DIR: patient.dataDirectory,
  };
  const { findings } = await examine(environment, []);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: 'standby-reads', level: 'warning' }),
  );
});
