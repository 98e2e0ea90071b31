import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildAsset, unique } from '../../testing/builders.ts';
import { makeCertificates } from '../../testing/certificates.ts';
import type { Client, Json } from '../../testing/client.ts';
import { importLicense } from '../../testing/license.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';

let test: TestProgram;
let admin: Client;
let asset: string;
beforeAll(async () => {
  test = await startTestProgram({}, { licensed: false });
  admin = await bearer(test);
  asset = await buildAsset(test.db, { hostname: 'win-apps-01', protocols: ['rdp/3389'] });
});
afterAll(() => test.stop());

const REMOTE = 'applications/remote-apps/';
const DATABASES = 'applications/database-apps/';
const SECRET = 'Cl3rk!s "own" secret';

describe('remote apps', () => {
  it('requires a license to create a remote app', async () => {
    const body = { name: unique('erp'), asset, type: 'chrome', params: {} };
    expect([
      (await admin.post(REMOTE, body)).status,
      (await admin.post(REMOTE, body)).body.code,
    ]).toEqual([403, 'license_required']);
    await importLicense(admin);
    expect((await admin.post(REMOTE, body)).status).toBe(201);
  });

  it('keeps the parameters of the type, and never returns the password', async () => {
    const params = {
      chrome_target: ' http://erp.example.com ',
      chrome_username: 'clerk',
      chrome_password: SECRET,
      custom_cmdline: 'left over',
    };
    const { status, body } = await admin.post(REMOTE, {
      name: unique('erp'),
      asset,
      type: 'chrome',
      path: '',
      params,
    });
    expect([status, body]).toMatchObject([
      201,
      {
        type: 'chrome',
        get_type_display: 'Chrome',
        path: 'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
        params: { chrome_target: 'http://erp.example.com', chrome_username: 'clerk' },
        asset_info: { id: asset, hostname: 'win-apps-01' },
      },
    ]);
    expect(Object.keys(body.params as object)).toEqual(['chrome_target', 'chrome_username']);
    // Not in responses, not in the operate log, and not readable in the database.
    const url = `${REMOTE}${body.id}/`;
    const seen = [
      await admin.get(url),
      await admin.get(REMOTE),
      await admin.get(`${url}connection-info/`),
      await admin.get(`${REMOTE}?format=csv`),
    ];
    for (const { text } of [...seen, await admin.get('audits/operate-logs/')])
      expect(text).not.toContain('Cl3rk');
    const stored = async () =>
      (
        await sql<{
          password: string | null;
          row: string;
        }>`select password, to_jsonb(t)::text as row from remote_app t
          where id = ${body.id}`.execute(test.db)
      ).rows[0];
    const first = await stored();
    expect([first?.password === null, first?.row.includes('Cl3rk')]).toEqual([false, false]);

    // A blank password keeps it, another replaces it, and a change of type clears it.
    await admin.put(url, {
      name: body.name,
      asset,
      type: 'chrome',
      path: body.path,
      params: { chrome_target: 'http://other', chrome_password: '' },
    });
    expect((await stored())?.password).toBe(first?.password);
    await admin.patch(url, { comment: 'only a comment' });
    expect([(await stored())?.password, (await admin.get(url)).body.params]).toEqual([
      first?.password,
      { chrome_target: 'http://other' },
    ]);
    await admin.patch(url, { params: { chrome_password: 'another one' } });
    expect((await stored())?.password).not.toBe(first?.password);
    const changed = await admin.patch(url, { type: 'vmware_client' });
    expect([changed.body.params, (await stored())?.password]).toEqual([{}, null]);
  });

  it('returns the start parameters in order, without the password', async () => {
    const params = {
      mysql_workbench_username: 'root',
      mysql_workbench_ip: '10.0.0.7',
      mysql_workbench_name: 'shop',
      mysql_workbench_password: SECRET,
    };
    const { body } = await admin.post(REMOTE, {
      name: 'workbench',
      asset,
      type: 'mysql_workbench',
      path: 'C:\\W.exe',
      params,
    });
    expect((await admin.get(`${REMOTE}${body.id}/connection-info/`)).body).toEqual({
      id: body.id,
      name: 'workbench',
      asset,
      parameter_remote_app: {
        program: '||jmservisor',
        working_directory: '',
        parameters: 'mysql_workbench "C:\\W.exe" 10.0.0.7 shop root',
      },
    });
  });

  it('rejects missing and invalid values with the field', async () => {
    const refused = async (change: object) => {
      const { status, body } = await admin.post(REMOTE, {
        name: unique('bad'),
        asset,
        type: 'chrome',
        params: {},
        ...change,
      });
      return [status, Object.keys(body)];
    };
    expect(await refused({ params: undefined })).toEqual([400, ['params']]);
    expect(await refused({ params: { target: 'x' } })).toEqual([400, ['params.target']]);
    expect(await refused({ type: 'custom' })).toEqual([400, ['path']]);
    expect(await refused({ type: 'calculator' })).toEqual([400, ['type']]);
    expect(await refused({ asset: crypto.randomUUID() })).toEqual([400, ['asset']]);
    expect(await refused({ name: 'workbench' })).toEqual([400, ['name']]);
  });

  it('finds remote apps by name, type and comment, changes them in batches, and deletes them with their host', async () => {
    const host = await buildAsset(test.db, { hostname: 'win-old' });
    const make = (name: string, comment: string) => ({
      name,
      asset: host,
      type: 'custom',
      path: 'C:\\x.exe',
      params: { custom_cmdline: '/x' },
      comment,
    });
    const created = await admin.post<Json[]>(REMOTE, [
      make('Payroll', 'of the books'),
      make('Stock', 'of the store'),
    ]);
    expect(created.status).toBe(201);
    const names = async (query: string) =>
      (await admin.get<Json[]>(`${REMOTE}?${query}`)).body.map(({ name }) => name);
    expect(await names('search=books')).toEqual(['Payroll']);
    expect(await names('name=Stock')).toEqual(['Stock']);
    expect(await names('type=custom')).toEqual(['Payroll', 'Stock']);
    const renamed = await admin.patch<Json[]>(
      REMOTE,
      created.body.map(({ id }) => ({ id, comment: 'moved' })),
    );
    expect(renamed.body.map(({ comment }) => comment)).toEqual(['moved', 'moved']);
    expect((await admin.delete(`assets/assets/${host}/`)).status).toBe(204);
    expect(await names('type=custom')).toEqual([]);
  });
});

describe('database apps', () => {
  it('gets the default port of its type, and has no secrets', async () => {
    const created = async (type: string, more: object = {}) =>
      (await admin.post(DATABASES, { name: unique(type), type, host: 'db.example.com', ...more }))
        .body;
    expect((await created('mysql')).port).toBe(3306);
    expect((await created('postgresql')).port).toBe(5432);
    expect((await created('redis', { database: '3' })).port).toBe(6379);
    expect((await created('mariadb', { port: 3307 })).port).toBe(3307);
    // As existing clients send it.
    const { status, body } = await admin.post(DATABASES, {
      name: unique('shop'),
      host: '10.0.0.9',
      database: 'shop',
    });
    expect([status, body]).toMatchObject([
      201,
      {
        type: 'mysql',
        get_type_display: 'MySQL',
        port: 3306,
        database: 'shop',
        domain: null,
        tls: 'off',
        comment: '',
      },
    ]);
    expect(
      (await admin.patch(`${DATABASES}${body.id}/`, { host: '10.0.0.10' })).body,
    ).toMatchObject({ host: '10.0.0.10', port: 3306 });
  });

  it('rejects invalid values with the field', async () => {
    const refused = async (change: object) => {
      const { status, body } = await admin.post(DATABASES, {
        name: unique('bad'),
        type: 'mysql',
        host: '10.0.0.9',
        ...change,
      });
      return [status, Object.keys(body)];
    };
    expect(await refused({ host: 'not a host' })).toEqual([400, ['host']]);
    expect(await refused({ port: 0 })).toEqual([400, ['port']]);
    expect(await refused({ type: 'oracle' })).toEqual([400, ['type']]);
    expect(await refused({ type: 'redis', database: 'shop' })).toEqual([400, ['database']]);
    expect(await refused({ tls: 'required', ca_certificate: 'no certificate' })).toEqual([
      400,
      ['ca_certificate'],
    ]);
    expect(await refused({ domain: crypto.randomUUID() })).toEqual([400, ['domain']]);
  });

  it('finds database apps by name, keeps their certificate, and clears a deleted domain', async () => {
    const domain = String((await admin.post('assets/domains/', { name: unique('dmz') })).body.id);
    const folder = mkdtempSync(join(tmpdir(), 'sallyport-certificates-'));
    const certificate = readFileSync((await makeCertificates(folder)).authority, 'utf8');
    rmSync(folder, { recursive: true });
    const { body } = await admin.post(DATABASES, {
      name: 'ledger',
      host: '10.0.0.11',
      domain,
      tls: 'required',
      ca_certificate: certificate,
      comment: 'of 2019',
    });
    expect(body).toMatchObject({ domain, tls: 'required' });
    const names = async (query: string) =>
      (await admin.get<Json[]>(`${DATABASES}?${query}`)).body.map(({ name }) => name);
    expect([
      await names('search=LEDG'),
      await names('search=2019'),
      await names('name=ledger'),
    ]).toEqual([['ledger'], [], ['ledger']]);
    expect((await admin.delete(`assets/domains/${domain}/`)).status).toBe(204);
    expect((await admin.get(`${DATABASES}${body.id}/`)).body).toMatchObject({
      domain: null,
      ca_certificate: certificate.trim(),
    });
  });

  it('exports to a file and imports it again', async () => {
    const file = await admin.get(`${DATABASES}?format=csv&name=ledger`);
    expect(file.text).toContain('ledger');
    const { status } = await admin.send(
      'POST',
      DATABASES,
      'name,type,host,port\nimported,postgresql,10.0.0.12,5433',
      'text/csv',
    );
    expect(status).toBe(201);
    expect((await admin.get<Json[]>(`${DATABASES}?name=imported`)).body).toMatchObject([
      { type: 'postgresql', host: '10.0.0.12', port: 5433 },
    ]);
  });
});
