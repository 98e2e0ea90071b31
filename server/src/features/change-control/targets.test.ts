import type { ProposedChange } from '@sallyport/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeByChangeSet } from '../../platform/change-gate.ts';
import { sql } from '../../platform/db/sql.ts';
import { buildDatabaseApp, buildRemoteApp } from '../../testing/app-builders.ts';
import { buildAsset, rootNode, unique } from '../../testing/builders.ts';
import { changeSettings } from '../../testing/change-settings.ts';
import type { Answer, Client, Json } from '../../testing/client.ts';
import { until } from '../../testing/poll.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import { answer, buildScene, proposed, type Scene, send } from './testing/scene.ts';

const ASSETS = 'assets/assets/';
const SECRET = 'Kestrel-71-horizon';

let test: TestProgram;
let scene: Scene;
/** Granted by a node, granted to an application, and without a grant. */
let onNode: string;
let ofApp: string;
let free: string;
let databaseApp: string;
let freeDatabase: string;
let remoteApp: string;
/** Objects that connections to granted assets use, by resource. */
let used: Readonly<Record<string, string>>;
beforeAll(async () => {
  test = await startTestProgram();
  await changeSettings([await bearer(test)], 'security', { SECURITY_VIEW_AUTH_NEED_MFA: false });
});
afterAll(() => test.stop());
beforeEach(async () => {
  scene = await buildScene(test, {}, async ({ organization, proposer, member }) => {
    const { db } = test;
    const node = await nodeIn(proposer, organization);
    onNode = await buildAsset(db, { organization, nodes: [node] });
    ofApp = await buildAsset(db, { organization });
    free = await buildAsset(db, { organization });
    databaseApp = await buildDatabaseApp(db, { organization });
    freeDatabase = await buildDatabaseApp(db, { organization });
    remoteApp = await buildRemoteApp(db, { organization, asset: ofApp });
    const create = (path: string, body: Json) => created(proposer, path, body);
    const name = () => unique('used');
    const domain = await create('assets/domains/', { name: name() });
    used = {
      domain,
      gateway: await create('assets/gateways/', {
        ...{ name: name(), ip: '192.0.2.30', port: 22, protocol: 'ssh', username: 'jump' },
        ...{ domain, password: 'first' },
      }),
      admin_user: await create('assets/admin-users/', { name: name(), username: 'root' }),
      ssh_authority: await create('assets/ssh-authorities/', { name: name() }),
      change_auth_plan: await create('xpack/change-auth-plan/plan/', {
        ...{ name: name(), username: 'deploy', password_strategy: 'random_all' },
        assets: [free],
      }),
    };
    const [systemUser] = (await proposer.get<Json[]>('assets/system-users/')).body;
    const rule = () => ({ name: name(), users: [member.id], system_users: [systemUser?.id] });
    await create('perms/asset-permissions/', { ...rule(), nodes: [node] });
    const accounts = await proposer.post<Json>('assets/system-users/', {
      ...{ name: name(), username: 'app', login_mode: 'manual', protocol: 'mysql' },
    });
    const remote = await proposer.post<Json>('assets/system-users/', {
      ...{ name: name(), username: 'app', login_mode: 'manual', protocol: 'rdp' },
    });
    await create('perms/database-app-permissions/', {
      ...{ ...rule(), system_users: [accounts.body.id], database_apps: [databaseApp] },
    });
    await create('perms/remote-app-permissions/', {
      ...{ ...rule(), system_users: [remote.body.id], remote_apps: [remoteApp] },
    });
    return '';
  });
});

/** Creates a node below the root of an organization. */
const nodeIn = async (client: Client, organization: string) =>
  created(client, `assets/nodes/${await rootNode(test.db, organization)}/children/`, {
    value: unique('node'),
  });

async function created(client: Client, path: string, body: Json): Promise<string> {
  const { status, text, body: saved } = await client.post<Json>(path, body);
  expect(status, text).toBe(201);
  return String(saved.id);
}

/** Everything that leads a connection to its target. */
async function targets() {
  const rows: Json = {};
  for (const table of [
    ...['asset', 'database_app', 'remote_app', 'asset_user', 'host_key', 'domain', 'gateway'],
    ...['admin_user', 'ssh_authority', 'change_auth_plan'],
  ]) {
    const stored = await sql`select to_jsonb(t) from ${sql.table(table)} t
      where org_id = ${scene.organization} order by id`.execute(test.db);
    rows[table] = stored.rows;
  }
  return rows;
}

async function refuses(work: () => Promise<Answer<Json>>) {
  const before = await targets();
  const { status, body, text } = await work();
  expect([status, body.code], text).toEqual([409, 'change_must_be_proposed']);
  expect(await targets()).toEqual(before);
}

/** Pins a key at an owner, with another one that its server offered. */
async function pinned(column: 'asset_id' | 'gateway_id', owner: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into host_key (org_id, ${sql.ref(column)}, host, port, key_type, public_key, fingerprint,
      offered_key_type, offered_public_key, offered_fingerprint, date_offered)
    values (${scene.organization}, ${owner}, '192.0.2.1', 22, 'ssh-ed25519', '\\x01', 'SHA256:old',
      'ssh-ed25519', '\\x02', 'SHA256:new', now()) returning id`.execute(test.db);
  return String(rows[0]?.id);
}

describe('an asset that a permission reaches', () => {
  it('rejects each direct move, whether the permission names the asset, its node or its app', async () => {
    const { proposer, organization } = scene;
    const admin = (await bearer(test)).inOrganization(organization);
    for (const asset of [scene.asset, onNode, ofApp]) {
      for (const change of [
        { ip: '198.51.100.66' },
        { protocols: ['ssh/2222'] },
        { domain: used.domain },
        { admin_user: used.admin_user },
        { platform: 'Windows' },
      ]) {
        await refuses(() => proposer.patch(`${ASSETS}${asset}/`, change));
        await refuses(() => proposer.patch(ASSETS, [{ id: asset, ...change }]));
        await refuses(() => admin.patch(`${ASSETS}${asset}/`, change));
      }
      const file = `id,hostname,platform,ip\n${asset},${unique('x')},Linux,198.51.100.66\n`;
      await refuses(() => proposer.send('PUT', ASSETS, file, 'text/csv'));
      await expect(
        sql`update asset set ip = '198.51.100.66' where id = ${asset}`.execute(test.db),
      ).rejects.toMatchObject({ code: 'SP001' });
    }
  });

  it('rejects moves by bulk changes and files of wanted objects', async () => {
    const { proposer } = scene;
    const before = await targets();
    const set = await proposer.post<{ spm: string } & Json>('common/resources/matching/', {
      ...{ resource: 'asset', query: '' },
    });
    const started = await proposer.post<{ job: string } & Json>('common/resources/bulk/', {
      ...{ resource: 'asset', spm: set.body.spm, action: 'update' },
      changes: { domain: used.domain },
    });
    expect(started.status, started.text).toBe(201);
    const job = async () => (await proposer.get<Json>(`common/jobs/${started.body.job}/`)).body;
    await until(
      async () => !['queued', 'running'].includes(String((await job()).state)),
      'the job is over',
    );
    const { rows } = await sql<{ id: string }>`select id from asset
      where domain_id = ${used.domain}`.execute(test.db);
    expect(rows).toEqual([{ id: free }]);
    await sql`update asset set domain_id = null where id = ${free}`.execute(test.db);
    const [{ hostname } = { hostname: '' }] = (
      await sql<{ hostname: string }>`select hostname from asset
        where id = ${onNode}`.execute(test.db)
    ).rows;
    const applied = await proposer.post<Json>('common/resources/apply/', {
      objects: [{ kind: 'asset', state: 'present', fields: { hostname, ip: '198.51.100.66' } }],
      apply: true,
    });
    expect([applied.status, applied.text]).toEqual([
      400,
      expect.stringContaining('A second administrator decides'),
    ]);
    const keep = ({ asset, ...rest }: Json) => ({
      ...rest,
      asset: JSON.stringify(asset).replaceAll(/"date_\w+": ?"[^"]*"/g, ''),
    });
    expect(keep(await targets())).toEqual(keep(before));
  });

  it('keeps its other fields and its places free, and so are assets without a permission', async () => {
    const { proposer } = scene;
    const node = await nodeIn(proposer, scene.organization);
    for (const [asset, change] of [
      [scene.asset, { comment: 'rack 7', is_active: false }],
      [onNode, { nodes: [node] }],
      [free, { ip: '198.51.100.7', protocols: ['ssh/2200'], domain: used.domain }],
    ] as const) {
      const { status, text } = await proposer.patch(`${ASSETS}${asset}/`, change);
      expect(status, text).toBe(200);
    }
    const added = await proposer.post<Json>(ASSETS, {
      ...{ hostname: unique('new'), ip: '192.0.2.8', platform: 'Linux', protocols: ['ssh/22'] },
    });
    expect(added.status, added.text).toBe(201);
    expect((await proposer.delete(`${ASSETS}${scene.asset}/`)).status).toBe(204);
  });

  it('moves by a change set that another administrator approves, and back by its undo', async () => {
    const { proposer, decider, asset } = scene;
    const before = (await proposer.get<Json>(`${ASSETS}${asset}/`)).body.ip;
    const set = await proposed(proposer, [
      { resource: 'asset', action: 'change', object: asset, body: { ip: '198.51.100.66' } },
    ]);
    expect(set.changes[0]?.fields).toEqual({ ip: [before, '198.51.100.66'] });
    expect((await answer(proposer, set, 'approve')).status).toBe(403);
    const approved = await answer(decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
    const address = async () => (await proposer.get<Json>(`${ASSETS}${asset}/`)).body.ip;
    expect(await address()).toBe('198.51.100.66');
    const undo = await proposer.post<Json>(`change-sets/${set.id}/undo/`);
    expect(undo.status, undo.text).toBe(201);
    expect((await answer(decider, { id: String(undo.body.id) }, 'approve')).status).toBe(200);
    expect(await address()).toBe(before);
  });

  it('stays while a permission that has ended names it, and moves freely when it was deleted', async () => {
    const { proposer, decider, asset, permission } = scene;
    const move = () => proposer.patch<Json>(`${ASSETS}${asset}/`, { ip: '198.51.100.66' });
    const ended = { resource: 'asset_permission', object: permission } as const;
    for (const body of [
      { is_active: false },
      { date_start: '2020-01-01T00:00:00Z', date_expired: '2020-01-02T00:00:00Z' },
    ]) {
      const set = await proposed(proposer, [{ ...ended, action: 'change', body }]);
      expect((await answer(decider, set, 'approve')).status).toBe(200);
      await refuses(move);
    }
    const key = await pinned('asset_id', asset);
    await refuses(() => proposer.delete(`assets/host-keys/${key}/`));
    const removal = await proposed(proposer, [{ ...ended, action: 'delete' }]);
    expect((await answer(decider, removal, 'approve')).status).toBe(200);
    const { status, text } = await move();
    expect(status, text).toBe(200);
  });

  it('stays while a proposal or an approved change set names it or its node, and until then only', async () => {
    const { proposer, decider, organization, member } = scene;
    const node = await nodeIn(proposer, organization);
    const below = await buildAsset(test.db, { organization, nodes: [node] });
    const rule = { name: unique('wish'), users: [member.id], system_users: [scene.account] };
    const create = { resource: 'asset_permission', action: 'create' } as const;
    const wish = { ...create, body: { ...rule, assets: [free], nodes: [node] } };
    const set = await proposed(proposer, [wish], {
      apply_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    const moves = [free, below].map(
      (id) => () => proposer.patch<Json>(`${ASSETS}${id}/`, { ip: '198.51.100.66' }),
    );
    for (const move of moves) await refuses(move);
    expect((await answer(decider, set, 'approve')).body.state).toBe('approved');
    for (const move of moves) await refuses(move);
    expect((await answer(decider, set, 'withdraw')).status).toBe(200);
    for (const move of moves) expect((await move()).status).toBe(200);
  });

  it('keeps its platform by a rename of the platform, which stays free', async () => {
    const name = unique('platform');
    await sql`insert into platform (name) values (${name})`.execute(test.db);
    const asset = await buildAsset(test.db, { organization: scene.organization });
    const moved = await scene.proposer.patch(`${ASSETS}${asset}/`, { platform: name });
    expect(moved.status, moved.text).toBe(200);
    const set = await proposed(scene.proposer, [
      {
        ...{ resource: 'asset_permission', action: 'change', object: scene.permission },
        body: { assets: [asset] },
      },
    ] as ProposedChange[]);
    expect((await answer(scene.decider, set, 'approve')).status).toBe(200);
    const admin = await bearer(test);
    const { id } = (await admin.get<Json[]>(`assets/platforms/?name=${name}`)).body[0] ?? {};
    const renamed = await admin.patch<Json>(`assets/platforms/${id}/`, { name: `${name}-2` });
    expect(renamed.status, renamed.text).toBe(200);
    expect((await scene.proposer.get<Json>(`${ASSETS}${asset}/`)).body.platform).toBe(`${name}-2`);
    await refuses(() => scene.proposer.patch(`${ASSETS}${asset}/`, { platform: 'Linux' }));
  });

  it('rejects a move that began before the decision on a permission for the asset', async () => {
    const { proposer, permission, organization, proposerId } = scene;
    const moving = await test.db.transaction(async (tx) => {
      await sql`select 1 from change_control where org_id = ${organization}
        for update`.execute(tx);
      const move = proposer.patch<Json>(`${ASSETS}${free}/`, { ip: '198.51.100.66' });
      await until(async () => {
        const { rows } = await sql`select 1 from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database()`.execute(test.db);
        return rows.length > 0;
      }, 'the move waits');
      const { rows } = await sql<{ id: string }>`
        insert into change_set (org_id, reason, changes, state, proposer_id, proposer_name,
          date_expires)
        values (${organization}, 'A test.', '[]', 'previewing', ${proposerId}, 'x', now())
        returning id`.execute(tx);
      await writeByChangeSet(String(rows[0]?.id), tx);
      await sql`insert into asset_permission_assets (asset_permission_id, asset_id)
        values (${permission}, ${free})`.execute(tx);
      await sql`delete from change_set where id = ${rows[0]?.id}`.execute(tx);
      return { move };
    });
    const { status, body } = await moving.move;
    expect([status, body.code]).toEqual([409, 'change_must_be_proposed']);
  });
});

describe('a database or a remote app that a permission names', () => {
  it('stays while its permission has ended, and while a proposal names it', async () => {
    const { proposer, decider, organization, member } = scene;
    const of = async (path: string) => (await proposer.get<Json[]>(path)).body[0] ?? {};
    const database = await of('perms/database-app-permissions/');
    const remote = await of('perms/remote-app-permissions/');
    const off = { action: 'change', body: { is_active: false } } as const;
    const set = await proposed(proposer, [
      { ...off, resource: 'database_app_permission', object: String(database.id) },
      { ...off, resource: 'remote_app_permission', object: String(remote.id) },
    ]);
    expect((await answer(decider, set, 'approve')).status).toBe(200);
    const moves = [
      () => proposer.patch<Json>(`applications/database-apps/${databaseApp}/`, { port: 3307 }),
      () => proposer.patch<Json>(`applications/remote-apps/${remoteApp}/`, { asset: free }),
      () => proposer.patch<Json>(`${ASSETS}${ofApp}/`, { ip: '198.51.100.66' }),
    ];
    for (const move of moves) await refuses(move);
    const host = await buildAsset(test.db, { organization });
    const app = await buildRemoteApp(test.db, { organization, asset: host });
    const rule = (permission: Json) => ({
      ...{ name: unique('wish'), users: [member.id] },
      system_users: (permission.system_users as Json[]).map((one) => one.id ?? one),
    });
    await proposed(proposer, [
      {
        ...{ resource: 'database_app_permission', action: 'create' },
        body: { ...rule(database), database_apps: [freeDatabase] },
      },
      {
        ...{ resource: 'remote_app_permission', action: 'create' },
        body: { ...rule(remote), remote_apps: [app] },
      },
    ] as ProposedChange[]);
    await refuses(() =>
      proposer.patch(`applications/database-apps/${freeDatabase}/`, { host: '192.0.2.9' }),
    );
    await refuses(() => proposer.patch(`${ASSETS}${host}/`, { ip: '198.51.100.66' }));
    await refuses(() => proposer.patch(`applications/remote-apps/${app}/`, { asset: free }));
  });
});

describe('what a connection to a granted target uses', () => {
  it('changes by no direct write: databases, remote apps, secrets, gateways and the other accounts', async () => {
    const { proposer } = scene;
    const database = `applications/database-apps/${databaseApp}/`;
    for (const change of [
      { host: '198.51.100.66' },
      { port: 3307 },
      { database: 'other' },
      { tls: 'required' },
      { domain: used.domain },
    ])
      await refuses(() => proposer.patch(database, change));
    const app = `applications/remote-apps/${remoteApp}/`;
    await refuses(() => proposer.patch(app, { asset: free }));
    await refuses(() => proposer.patch(app, { path: 'C:\\other.exe' }));
    for (const asset of [scene.asset, onNode, ofApp])
      await refuses(() =>
        proposer.post('assets/asset-users/', { asset, username: 'deploy', password: SECRET }),
      );
    const paths: Json = {
      domain: 'assets/domains/',
      gateway: 'assets/gateways/',
      admin_user: 'assets/admin-users/',
      ssh_authority: 'assets/ssh-authorities/',
      change_auth_plan: 'xpack/change-auth-plan/plan/',
    };
    for (const [resource, path] of Object.entries(paths)) {
      await refuses(() => proposer.patch(`${path}${used[resource]}/`, { name: unique('x') }));
      await refuses(() => proposer.patch(`${path}`, [{ id: used[resource], comment: 'x' }]));
      await refuses(() => proposer.delete(`${path}${used[resource]}/`));
    }
    await refuses(() => proposer.post('assets/ssh-authorities/', { name: unique('authority') }));
    await refuses(() => proposer.post('assets/domains/', { name: unique('domain') }));
    await refuses(() =>
      proposer.patch(`assets/gateways/${used.gateway}/`, { ip: '198.51.100.66' }),
    );
    await refuses(() =>
      proposer.patch(`xpack/change-auth-plan/plan/${used.change_auth_plan}/`, {
        assets: [free, onNode],
      }),
    );
  });

  it('changes freely at targets without a permission', async () => {
    const { proposer } = scene;
    const requests = [
      await proposer.patch(`applications/database-apps/${freeDatabase}/`, { host: '192.0.2.9' }),
      await proposer.post('assets/asset-users/', {
        ...{ asset: free, username: 'deploy', password: SECRET },
      }),
    ];
    expect(requests.map(({ status }) => status)).toEqual([200, 201]);
  });

  it('changes by a change set, with its secrets sealed until then', async () => {
    const { proposer, decider } = scene;
    const set = await proposed(proposer, [
      {
        ...{ resource: 'asset_user', action: 'create' },
        body: { asset: scene.asset, username: 'deploy', password: SECRET },
      },
      {
        ...{ resource: 'gateway', action: 'change', object: used.gateway },
        body: { ip: '192.0.2.31', password: 'second' },
      },
      {
        ...{ resource: 'database_app', action: 'change', object: databaseApp },
        body: { host: '192.0.2.40' },
      },
      {
        ...{ resource: 'change_auth_plan', action: 'change', object: used.change_auth_plan },
        body: { assets: [free, onNode] },
      },
    ] as ProposedChange[]);
    expect(JSON.stringify(set)).not.toContain(SECRET);
    const approved = await answer(decider, set, 'approve');
    expect(approved.status, approved.text).toBe(200);
    const { rows } = await sql<Json>`select u.username, u.origin, g.ip, d.host
      from asset_user u, gateway g, database_app d where u.asset_id = ${scene.asset}
        and g.id = ${used.gateway} and d.id = ${databaseApp}`.execute(test.db);
    expect(rows).toEqual([
      { username: 'deploy', origin: 'user', ip: '192.0.2.31', host: '192.0.2.40' },
    ]);
    expect(test.log()).not.toContain(SECRET);
  });
});

describe('the host key of a granted asset or a gateway', () => {
  it('changes by a change set only, which shows both fingerprints', async () => {
    const { proposer, decider } = scene;
    for (const [column, owner] of [
      ['asset_id', scene.asset],
      ['asset_id', onNode],
      ['gateway_id', String(used.gateway)],
    ] as const) {
      const key = await pinned(column, owner);
      const path = `assets/host-keys/${key}/`;
      await refuses(() => proposer.post(`${path}accept/`, { fingerprint: 'SHA256:new' }));
      await refuses(() => proposer.delete(path));
      const other = await send(proposer, [
        {
          ...{ resource: 'host_key', action: 'change', object: key },
          body: { fingerprint: 'SHA256:another' },
        },
      ]);
      expect([other.status, other.body.code]).toEqual([409, 'host_key_other']);
      const set = await proposed(proposer, [
        {
          ...{ resource: 'host_key', action: 'change', object: key },
          body: { fingerprint: 'SHA256:new' },
        },
      ]);
      expect(set.changes[0]).toMatchObject({
        name: expect.stringContaining('192.0.2.1:22'),
        fields: { fingerprint: ['SHA256:old', 'SHA256:new'] },
      });
      const approved = await answer(decider, set, 'approve');
      expect(approved.status, approved.text).toBe(200);
      const forgotten = await proposed(proposer, [
        { resource: 'host_key', action: 'delete', object: key },
      ]);
      expect((await answer(decider, forgotten, 'approve')).status).toBe(200);
    }
    const { rows } = await sql`select 1 from host_key
      where org_id = ${scene.organization}`.execute(test.db);
    expect(rows).toEqual([]);
  });

  it('fails the approval when the server has offered another key since', async () => {
    const { proposer, decider, asset } = scene;
    const key = await pinned('asset_id', asset);
    const set = await proposed(proposer, [
      {
        ...{ resource: 'host_key', action: 'change', object: key },
        body: { fingerprint: 'SHA256:new' },
      },
    ]);
    await sql`update host_key set offered_fingerprint = 'SHA256:newer', offered_public_key = '\\x03'
      where id = ${key}`.execute(test.db);
    expect((await answer(decider, set, 'approve')).status).toBe(409);
    const { rows } = await sql<Json>`select fingerprint from host_key
      where id = ${key}`.execute(test.db);
    expect(rows).toEqual([{ fingerprint: 'SHA256:old' }]);
  });

  it('changes freely at an asset without a permission, and follows a deleted asset', async () => {
    const { proposer } = scene;
    const key = await pinned('asset_id', free);
    const accepted = await proposer.post(`assets/host-keys/${key}/accept/`, {
      fingerprint: 'SHA256:new',
    });
    expect(accepted.status, accepted.text).toBe(200);
    await pinned('asset_id', scene.asset);
    expect((await proposer.delete(`${ASSETS}${scene.asset}/`)).status).toBe(204);
  });

  it('belongs to an organization: a change set of another one does not find it', async () => {
    const key = await pinned('asset_id', scene.asset);
    const other = await buildScene(test);
    for (const action of ['change', 'delete', 'create'] as const) {
      const body = { fingerprint: 'SHA256:new' };
      const sent = await send(other.proposer, [
        { resource: 'host_key', action, object: key, body },
      ]);
      expect([action, sent.status]).toEqual([action, 404]);
    }
  });
});
