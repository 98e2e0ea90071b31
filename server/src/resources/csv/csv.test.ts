import { RESOURCES } from '@sallyport/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { buildUser, unique } from '../../testing/builders.ts';
import type { Client, Json } from '../../testing/client.ts';
import { bearer } from '../../testing/sign-in.ts';
import { startTestProgram, type TestProgram } from '../../testing/test-program.ts';
import {
  addressOf,
  buildTwoOrganizations,
  type TwoOrganizations,
} from '../../testing/two-organizations.ts';
import { sheetOf, textCell } from '../../testing/workbook.ts';

let test: TestProgram;
let admin: Client;
beforeAll(async () => {
  test = await startTestProgram();
  admin = await bearer(test);
});
afterAll(() => test.stop());

const upload = <T = Json[]>(
  method: 'POST' | 'PUT',
  text: string | Uint8Array<ArrayBuffer>,
  client = admin,
  query = '',
) => client.send<T>(method, `assets/labels/${query}`, text, 'text/csv');
let organizations: Promise<TwoOrganizations> | undefined;
const world = (): Promise<TwoOrganizations> => {
  organizations ??= buildTwoOrganizations(test);
  return organizations;
};
const count = async () =>
  (await sql<{ n: number }>`select count(*) as n from label`.execute(test.db)).rows[0]?.n;

describe('a CSV export', () => {
  it("starts with a byte order mark, and has a file name and headers in the reader's language", async () => {
    const answer = await admin.with({ 'accept-language': 'zh' }).get('assets/labels/?format=csv');
    expect(answer.headers.get('content-type')).toContain('text/csv');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="label_.*\.csv"$/,
    );
    expect(answer.text.split('\r\n')[0]).toContain('名称,值');
  });

  it('disarms formulas, and an import restores them', async () => {
    const name = unique('formula');
    await admin.post('assets/labels/', { name, value: '=1+1', comment: '@SUM(A1)' });
    const { text } = await admin.get(`assets/labels/?format=csv&name=${name}`);
    expect(text).toContain("'=1+1");
    expect(text).toContain("'@SUM(A1)");
    const back = await upload('POST', `name,value\r\n${name},'=2+2\r\n`);
    expect(back.body[0]).toMatchObject({ value: '=2+2' });
    // A hyphen alone is no formula.
    const hyphens = ['-', "'-", '-1', '- ; -'];
    for (const value of hyphens)
      await admin.post('assets/labels/', { name: unique('hyphen'), value });
    const written = (await admin.get('assets/labels/?format=csv&name__startswith=hyphen')).text;
    for (const cell of [',-,', ",''-,", ",'-1,", `,"'- ; -",`]) expect(written).toContain(cell);
    // Keep an apostrophe that the user typed.
    const quoted = (await admin.post('assets/labels/', { name: unique('quoted'), value: "'=1" }))
      .body;
    const file = (await admin.get(`assets/labels/?format=csv&template=update&ids=${quoted.id}`))
      .text;
    expect(file).toContain("''=1");
    expect((await upload('PUT', file)).body[0]).toMatchObject({ value: "'=1" });
  });

  it('writes the filtered rows into an Excel workbook with cells of text on request', async () => {
    const name = unique('book');
    const values = ['007', '123456789012345678901234567890', '=1+1'];
    for (const value of values) await admin.post('assets/labels/', { name, value });
    await admin.post('assets/labels/', { name: unique('other'), value: 'elsewhere' });
    const sheet = await sheetOf(admin, `assets/labels/?format=xlsx&name=${name}`);
    for (const value of values) expect(sheet).toContain(textCell(value));
    expect(sheet).not.toContain('elsewhere');
    expect(sheet).not.toContain('<f>');
  });

  it('contains the filtered rows and quotes cells where needed', async () => {
    const name = unique('quoted');
    await admin.post('assets/labels/', { name, value: 'a "b", c', comment: 'two\nlines' });
    const { text } = await admin.get(`assets/labels/?format=csv&name=${name}`);
    expect(text).toContain('"a ""b"", c"');
    expect(text).toContain('"two\nlines"');
    expect(text.trimEnd().split('\r\n')).toHaveLength(2);
  });

  it('omits secrets', async () => {
    await admin.post('assets/system-users/', {
      name: unique('account'),
      username: 'root',
      password: 'hunter2-secret',
    });
    for (const query of [
      'format=csv',
      'format=csv&template=update',
      'format=csv&template=import',
    ]) {
      expect((await admin.get(`assets/system-users/?${query}`)).text).not.toContain('hunter2');
    }
  });

  it('rejects the same bad queries as the list', async () => {
    for (const query of ['id=x', 'order=nothing', `spm=${crypto.randomUUID()}`, 'id__in=0']) {
      const [file, list] = [
        await admin.get(`users/users/?format=csv&${query}`),
        await admin.get(`users/users/?${query}`),
      ];
      expect([query, file.status, file.text]).toEqual([query, 400, list.text]);
    }
  });

  it('requires read access to the list', async () => {
    const user = await bearer(test, await buildUser(test.db));
    expect((await user.get('assets/labels/?format=csv')).status).toBe(403);
  });
});

describe('a CSV import', () => {
  it('accepts its own template in both languages', async () => {
    for (const language of ['en', 'zh']) {
      const client = admin.with({ 'accept-language': language });
      const { text } = await client.get('assets/labels/?format=csv&template=import&limit=1');
      const [header = '', comment = ''] = text.split('\r\n');
      expect(header).toMatch(/^\uFEFF?\*/);
      // The second line explains the columns and is no row.
      expect(comment).toMatch(
        language === 'en'
          ? /^# sallyport: required,required,True or False,/
          : /^# sallyport: 必填,必填,True 或 False,/,
      );
      const value = unique('value');
      const answer = await upload(
        'POST',
        `${header}\r\n${comment}\r\nfrom template,${value},True,,\r\n`,
        client,
      );
      expect(answer.status).toBe(201);
      expect(answer.body[0]).toMatchObject({ name: 'from template', value, is_active: true });
      // A row may start like a comment, even right after the header.
      const row = await upload('POST', `${header}\r\n# 1 ${value},x,True,,\r\n`, client);
      expect(row.body).toMatchObject([{ name: `# 1 ${value}` }]);
    }
  });

  it('updates rows by the update template', async () => {
    const name = unique('updated');
    await admin.post('assets/labels/', { name, value: 'old' });
    const { text } = await admin.get(`assets/labels/?format=csv&template=update&name=${name}`);
    const answer = await upload('PUT', text.replace('old', 'new'));
    expect(answer.status).toBe(200);
    expect(answer.body[0]).toMatchObject({ name, value: 'new' });
  });

  it('reads GBK and UTF-16', async () => {
    // "标签,<value>" in GBK.
    const gbk = new Uint8Array([
      ...Buffer.from('name,value\r\n'),
      0xb1,
      0xea,
      0xc7,
      0xa9,
      ...Buffer.from(`,${unique('gbk')}\r\n`),
    ]);
    expect((await upload('POST', gbk)).body[0]).toMatchObject({ name: '标签' });
    const utf16 = Buffer.from(`\uFEFFname,value\r\n标签,${unique('utf16')}\r\n`, 'utf16le');
    expect((await upload('POST', new Uint8Array(utf16))).body[0]).toMatchObject({ name: '标签' });
  });

  it('returns problems for every line, even blank ones, and changes nothing when one is invalid', async () => {
    const before = await count();
    const answer = await upload(
      'POST',
      `name,value\r\n${unique('good')},1\r\n\r\n,2\r\n${unique('multi')},"a\nb"\r\n${unique('long')},${'x'.repeat(200)}\r\n`,
    );
    expect(answer.status).toBe(400);
    // One-line values cannot contain a line break; comments can.
    expect(answer.body.map((problems) => Object.keys(problems))).toEqual([
      [],
      [],
      ['name'],
      ['value'],
      ['value'],
    ]);
    expect(await count()).toBe(before);
  });

  it('rejects a file without known columns, and creates nothing', async () => {
    for (const path of ['assets/nodes/', 'authentication/access-keys/', 'assets/labels/']) {
      const count = async () => (await admin.get<{ count: number }>(`${path}?limit=1`)).body.count;
      const before = await count();
      const refused = await admin.send('POST', path, 'zzz\r\n1\r\n', 'text/csv');
      expect([path, refused.status, refused.headers.get('x-error-code'), await count()]).toEqual([
        path,
        400,
        'unknown_column',
        before,
      ]);
    }
  });

  it('rejects unknown columns on request and malformed CSV, and names the place', async () => {
    const column = await admin.send(
      'POST',
      'assets/labels/?unknown_columns=refuse',
      'name,valeu\r\na,b\r\n',
      'text/csv',
    );
    expect([column.status, column.headers.get('x-error-code')]).toEqual([400, 'unknown_column']);
    expect(column.body).toEqual([expect.stringContaining('valeu')]);
    const broken = await upload<Json>('POST', 'name,"value\r\na,b\r\n');
    expect([broken.status, broken.headers.get('x-error-code'), broken.body]).toEqual([
      400,
      'malformed_csv',
      [expect.stringMatching(/line/)],
    ]);
    expect((await upload<Json>('POST', '')).status).toBe(400);
  });

  it.each(
    RESOURCES.filter(
      ({ access }) => access.create !== undefined && access.update !== undefined,
    ).map(({ path }) => [path]),
  )('imports its own export without changes, and exports a sample of one row: %s', async (path) => {
    const { here, own } = await world();
    const address = addressOf(path, own);
    const caller = admin.inOrganization(here);
    const file = await caller.get(`${address}/?format=csv&template=update`);
    expect([file.status, file.text.trim().split('\r\n').length]).toEqual([
      200,
      1 + (await caller.get<Json[]>(`${address}/`)).body.length,
    ]);
    const rows = async () =>
      (await caller.get<Json[]>(`${address}/`)).body.map(({ date_updated: _, ...row }) => row);
    const before = [await rows(), (await caller.get<Json[]>('audits/operate-logs/')).body];
    const answer = await caller.send('PUT', `${address}/`, file.text, 'text/csv');
    expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([
      path,
      200,
      '',
    ]);
    expect([await rows(), (await caller.get<Json[]>('audits/operate-logs/')).body]).toEqual(before);
    expect(
      (await caller.get(`${address}/?format=csv&template=import`)).text.trim().split('\r\n').length,
    ).toBeLessThanOrEqual(3);
  });

  it('accepts a file with a header only', async () => {
    expect((await upload('POST', 'name,value\r\n')).body).toEqual([]);
  });
});
