import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildUser } from '../../../testing/builders.ts';
import type { Client, Json } from '../../../testing/client.ts';
import { loggedFiles } from '../../../testing/files/file-log.ts';
import { randomFileRequest } from '../../../testing/files/random-file-requests.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { type SshWorld, startSshWorld } from '../../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let member: Client;
let root: string;
let outside: string;
let base: string;
let ruleId: string;
beforeAll(async () => {
  world = await startSshWorld();
  root = join(world.sshd.home, 'root');
  outside = join(world.sshd.home, 'outside');
  for (const folder of [root, outside]) {
    await mkdir(folder);
    await chmod(folder, 0o777);
  }
  await writeFile(join(outside, 'secret'), 'not for files\n', { mode: 0o666 });
  expect(
    (
      await world.administrator.patch(`assets/system-users/${world.systemUser}/`, {
        sftp_root: root,
      })
    ).status,
  ).toBe(200);
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  base = `files/${world.asset}/${world.systemUser}`;
  const { body } = await world.administrator.get<Json[]>('perms/asset-permissions/');
  ruleId = String(body[0]?.id);
});
afterAll(() => world.stop());

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
const at = (path: string) =>
  `path=${encodeURIComponent(path.isWellFormed() ? path : JSON.stringify(path))}`;
const lines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Json);
const listed = async (path: string, client = member) => {
  const answer = await client.get(`${base}/entries/?${at(path)}`);
  expect(answer.status, answer.text).toBe(200);
  return lines(answer.text).flatMap(
    ({ entries }) => (entries as [string, string, number][] | undefined) ?? [],
  );
};
const names = async (path: string) => (await listed(path)).map(([name]) => name).sort();
const change = async (body: unknown) => {
  const answer = await member.post(`${base}/changes/`, body);
  return answer.status === 200 ? lines(answer.text) : [{ status: answer.status, ...answer.body }];
};
const put = (
  id: string,
  path: string,
  bytes: Buffer,
  { size = bytes.length, offset = 0, more = '' } = {},
) =>
  member.send(
    'PUT',
    `${base}/uploads/${id}/?${at(path)}&size=${size}&offset=${offset}${more}`,
    new Uint8Array(bytes),
    'application/octet-stream',
  );
const logged = (path: string) => loggedFiles(world.test.db, path, 1);
const download = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(
    new URL(`/api/v1/${base}/content/?${at(path)}`, world.test.visitor.url),
    { headers: { ...member.headers, ...headers } },
  );
  return {
    status: answer.status,
    headers: answer.headers,
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
};

it('reports the stages of connecting and the actions of the permission', async () => {
  const answer = await member.post(`${base}/connect/`);
  const connectLines = lines(answer.text);
  expect(connectLines[0]).toEqual({ stage: 'checking' });
  expect(connectLines.at(-1)).toMatchObject({
    open: {
      asset: world.hostname,
      account: world.sshd.username,
      actions: ['upload_file', 'download_file'],
      root,
    },
  });
  expect((await world.lastSession()).login_from).toBe('WT');
});

it("lists all attributes of a folder's entries, and handles names with newlines or invalid UTF-8 in every request", async () => {
  const folder = join(root, 'odd');
  await mkdir(folder, { mode: 0o777 });
  await chmod(folder, 0o777);
  const long = 'n'.repeat(255);
  await writeFile(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]), 'latin', {
    mode: 0o666,
  });
  await writeFile(join(folder, 'two\nlines "and" ümlaut.txt'), 'newline', { mode: 0o644 });
  await writeFile(join(folder, long), 'long');
  await symlink('two\nlines "and" ümlaut.txt', join(folder, 'link'));
  const entries = await listed('/odd');
  expect(entries.map(([name]) => name).sort()).toEqual(
    ['caf\udce9', 'link', long, 'two\nlines "and" ümlaut.txt'].sort(),
  );
  expect(entries.find(([name]) => name === 'caf\udce9')?.slice(1, 3)).toEqual(['file', 5]);
  expect((await download('/odd/caf\udce9')).bytes.toString()).toBe('latin');
  const odd = await download('/odd/two\nlines "and" ümlaut.txt');
  expect(odd.bytes.toString()).toBe('newline');
  expect(odd.headers.get('content-disposition')).toBe(
    `attachment; filename="two_lines _and_ _mlaut.txt"; filename*=UTF-8''two_lines%20%22and%22%20%C3%BCmlaut.txt`,
  );
  expect((await download(`/odd/${long}`)).bytes.toString()).toBe('long');
  expect((await member.get(`${base}/entry/?${at('/odd/link')}`)).body).toMatchObject({
    kind: 'link',
    target_kind: 'file',
    link_target: 'two\nlines "and" ümlaut.txt',
  });
  expect(
    await change({ action: 'rename', items: [{ path: '/odd/caf\udce9', to: '/odd/caf\udcea' }] }),
  ).toEqual([{ item: 0 }, { end: true }]);
  expect(await names('/odd')).toContain('caf\udcea');
  expect(
    (
      await change({
        action: 'rename',
        items: [{ path: '/odd/link', to: `/odd/${'n'.repeat(256)}` }],
      })
    )[0],
  ).toMatchObject({ item: 0, code: 'file_name' });
});

it('takes an upload in pieces, resumes it after an interruption, and replaces the file only when complete', async () => {
  const bytes = randomBytes(3_000_000);
  const first = await put('upload-0001', '/up.bin', bytes.subarray(0, 1_000_000), {
    size: bytes.length,
  });
  expect([first.status, first.body]).toEqual([200, { offset: 1_000_000, complete: false }]);
  expect(await names('/')).not.toContain('up.bin');
  // The client cuts the next piece off after the server has begun to write it.
  const url = new URL(
    `/api/v1/${base}/uploads/upload-0001/?${at('/up.bin')}&size=${bytes.length}&offset=1000000`,
    world.test.visitor.url,
  );
  const cut = httpRequest(url, {
    method: 'PUT',
    headers: {
      ...member.headers,
      'content-type': 'application/octet-stream',
      'content-length': '2000000',
    },
  });
  const closed = new Promise((resolve) => cut.on('error', () => undefined).on('close', resolve));
  cut.write(bytes.subarray(1_000_000, 1_500_000));
  const part = (await readdir(root)).find((name) => name.startsWith('.up.bin.')) ?? 'no part';
  await until(async () => (await stat(join(root, part))).size > 1_000_000, 'the piece is written');
  cut.destroy();
  await closed;
  // The server answers after the running write has finished.
  const state = await member.get<{ offset: number; complete: boolean }>(
    `${base}/uploads/upload-0001/?${at('/up.bin')}&size=${bytes.length}`,
  );
  expect(state.status).toBe(200);
  const { offset } = state.body;
  expect(offset).toBeGreaterThan(1_000_000);
  expect(offset).toBeLessThanOrEqual(1_500_000);
  const wrong = await put('upload-0001', '/up.bin', bytes.subarray(0, 10), {
    size: bytes.length,
    offset: 0,
  });
  expect([wrong.status, wrong.body]).toMatchObject([409, { code: 'file_offset', offset }]);
  const last = await put('upload-0001', '/up.bin', bytes.subarray(offset), {
    size: bytes.length,
    offset,
    more: '&modified_at=1600000000',
  });
  expect([last.status, last.body]).toEqual([
    200,
    { offset: bytes.length, complete: true, sha256: sha256(bytes) },
  ]);
  expect(sha256(await readFile(join(root, 'up.bin')))).toBe(sha256(bytes));
  expect((await listed('/')).find(([name]) => name === 'up.bin')?.[6 as 2]).toBe(1_600_000_000);
  expect(await logged('up.bin')).toMatchObject([
    { operate: 'Upload', size: bytes.length, sha256: sha256(bytes), is_success: true },
  ]);
  const empty = await put('upload-0002', '/empty', Buffer.alloc(0));
  expect(empty.body).toMatchObject({ offset: 0, complete: true });
});

it('answers requests for a finished upload with its state, without writing or logging', async () => {
  const bytes = randomBytes(20_000);
  const about = `${base}/uploads/upload-0020/?${at('/late.bin')}&size=${bytes.length}`;
  await put('upload-0020', '/late.bin', bytes.subarray(0, 10_000), { size: bytes.length });
  const whole = { offset: bytes.length, complete: true, sha256: sha256(bytes) };
  expect(
    (
      await put('upload-0020', '/late.bin', bytes.subarray(10_000), {
        size: bytes.length,
        offset: 10_000,
      })
    ).body,
  ).toEqual(whole);
  for (const more of ['', '&overwrite=1']) {
    for (const offset of [0, 10_000]) {
      const late = await put('upload-0020', '/late.bin', randomBytes(10_000), {
        size: bytes.length,
        offset,
        more,
      });
      expect([late.status, late.body]).toMatchObject([
        409,
        { code: 'file_offset', offset: bytes.length },
      ]);
    }
    expect((await member.get(`${about}${more}`)).body).toEqual(whole);
    expect((await member.delete(`${about}${more}`)).status).toBe(204);
  }
  expect(sha256(await readFile(join(root, 'late.bin')))).toBe(sha256(bytes));
  expect((await readdir(root)).filter((name) => name.includes('late.bin'))).toEqual(['late.bin']);
  expect(await logged('late.bin')).toMatchObject([{ is_success: true, sha256: sha256(bytes) }]);
});

it('replaces a file only with overwrite, and removes the part of a cancelled upload', async () => {
  await writeFile(join(root, 'here'), 'old', { mode: 0o666 });
  await chmod(join(root, 'here'), 0o666);
  const refused = await put('upload-0003', '/here', Buffer.from('new'));
  expect([refused.status, refused.body]).toMatchObject([409, { code: 'file_exists' }]);
  expect(await readFile(join(root, 'here'), 'utf8')).toBe('old');
  expect(
    (await put('upload-0004', '/here', Buffer.from('new'), { more: '&overwrite=1' })).status,
  ).toBe(200);
  expect(await readFile(join(root, 'here'), 'utf8')).toBe('new');
  await put('upload-0005', '/given-up', Buffer.from('half'), { size: 8 });
  expect((await readdir(root)).filter((name) => name.includes('given-up'))).toHaveLength(1);
  expect(
    (await member.delete(`${base}/uploads/upload-0005/?${at('/given-up')}&size=8`)).status,
  ).toBe(204);
  expect((await readdir(root)).filter((name) => name.includes('given-up'))).toEqual([]);
  expect(await logged('given-up')).toMatchObject([
    { operate: 'Upload', is_success: false, reason: 'file_incomplete' },
  ]);
  const tooMuch = await put('upload-0006', '/too-much', Buffer.from('0123456789'), { size: 5 });
  expect([tooMuch.status, tooMuch.body]).toMatchObject([400, { code: 'file_size' }]);
  expect((await put('no', '/x', Buffer.from('x'))).status).toBe(400);
  expect(
    (
      await member.send(
        'PUT',
        `${base}/uploads/upload-0007/?${at('/x')}&size=1`,
        '{}',
        'application/json',
      )
    ).status,
  ).not.toBe(500);
});

it("serves ranges of a download, and denies target content any rights in the console's origin", async () => {
  await writeFile(join(root, 'digits'), '0123456789');
  const range = async (header: string) => {
    const { status, headers, bytes } = await download('/digits', { range: header });
    return [status, headers.get('content-range'), status === 416 ? '' : bytes.toString()];
  };
  expect(await range('bytes=2-4')).toEqual([206, 'bytes 2-4/10', '234']);
  expect(await range('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789']);
  expect(await range('bytes=-3')).toEqual([206, 'bytes 7-9/10', '789']);
  expect(await range('bytes=5-99')).toEqual([206, 'bytes 5-9/10', '56789']);
  expect(await range('bytes=10-')).toEqual([416, 'bytes */10', '']);
  expect(await range('bytes=-0')).toEqual([416, 'bytes */10', '']);
  for (const ignored of ['bytes=4-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=a-b', 'bytes=-'])
    expect(await range(ignored)).toEqual([200, null, '0123456789']);
  const tag = String((await download('/digits')).headers.get('etag'));
  expect((await download('/digits', { range: 'bytes=0-1', 'if-range': tag })).status).toBe(206);
  expect((await download('/digits', { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(
    200,
  );

  await writeFile(join(root, 'page.html'), '<script>alert(1)</script>');
  await writeFile(
    join(root, 'drawing.svg'),
    '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
  );
  await writeFile(join(root, 'paper.pdf'), '<script>alert(1)</script>');
  const viewed = async (path: string) => {
    const { headers } = await fetch(
      new URL(`/api/v1/${base}/content/?${at(path)}&view=1`, world.test.visitor.url),
      { headers: member.headers },
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    return [
      headers.get('content-type'),
      headers.get('content-disposition')?.split(';')[0],
      /\bsandbox\b/.test(headers.get('content-security-policy') ?? ''),
    ];
  };
  expect(await viewed('/page.html')).toEqual(['application/octet-stream', 'attachment', true]);
  expect(await viewed('/drawing.svg')).toEqual(['image/svg+xml', 'inline', true]);
  expect(await viewed('/paper.pdf')).toEqual(['application/pdf', 'inline', false]);
  expect(await viewed('/digits')).toEqual(['application/octet-stream', 'attachment', true]);
});

it('creates, renames, moves, copies, deletes and chmods files, with a result for each', async () => {
  expect(
    await change({
      action: 'make_folder',
      items: [{ path: '/work' }, { path: '/work' }, { path: '/work/in' }],
    }),
  ).toMatchObject([{ item: 0 }, { item: 1, code: 'file_exists' }, { item: 2 }, { end: true }]);
  expect(await change({ action: 'make_file', items: [{ path: '/work/new.txt' }] })).toEqual([
    { item: 0 },
    { end: true },
  ]);
  expect(
    await change({ action: 'copy', items: [{ path: '/work/new.txt', to: '/work/in/copy.txt' }] }),
  ).toEqual([{ item: 0 }, { end: true }]);
  expect(
    await change({ action: 'move', items: [{ path: '/work/new.txt', to: '/work/in/copy.txt' }] }),
  ).toMatchObject([{ item: 0, code: 'file_exists' }, { end: true }]);
  expect(
    await change({
      action: 'move',
      overwrite: true,
      items: [{ path: '/work/new.txt', to: '/work/in/copy.txt' }],
    }),
  ).toEqual([{ item: 0 }, { end: true }]);
  expect(
    await change({ action: 'copy', items: [{ path: '/work/in', to: '/work/in/in' }] }),
  ).toMatchObject([{ item: 0, code: 'file_outside' }, { end: true }]);
  expect(
    await change({ action: 'chmod', mode: 0o600, items: [{ path: '/work/in/copy.txt' }] }),
  ).toEqual([{ item: 0 }, { end: true }]);
  expect((await listed('/work/in')).map((row) => [row[0], row[3 as 2]])).toEqual([
    ['copy.txt', 0o600],
  ]);
  expect(
    await change({ action: 'delete', items: [{ path: '/work' }, { path: '/not-there' }] }),
  ).toMatchObject([{ item: 0 }, { item: 1, code: 'file_not_found' }, { end: true }]);
  expect(await names('/')).not.toContain('work');
  for (const body of [
    {},
    { action: 'delete' },
    { action: 'delete', items: [] },
    { action: 'chmod', items: [{ path: '/a' }] },
    { action: 'chmod', mode: 99_999, items: [{ path: '/a' }] },
    { action: 'rename', items: [{ path: '/a' }] },
    { action: 'delete', items: ['/a'] },
    { action: 'delete', items: [{ path: 'a' }] },
  ]) {
    expect((await change(body))[0], JSON.stringify(body)).toMatchObject({ status: 400 });
  }
});

it('edits a text in its charset, and rejects a save after another change', async () => {
  await writeFile(
    join(root, 'conf'),
    Buffer.concat([Buffer.from('名=', 'utf8'), Buffer.from('值\r\n')]),
    { mode: 0o666 },
  );
  await chmod(join(root, 'conf'), 0o666);
  const text = `${base}/text/?${at('/conf')}`;
  const read = await member.get<{ text: string; charset: string; version: string }>(text);
  expect(read.body).toMatchObject({ text: '名=值\r\n', charset: 'utf-8' });
  const saved = await member.put<{ version: string }>(text, { ...read.body, text: '名=新值\r\n' });
  expect(saved.status, saved.text).toBe(200);
  expect(await readFile(join(root, 'conf'), 'utf8')).toBe('名=新值\r\n');
  await writeFile(join(root, 'conf'), 'somebody else was here\n');
  const conflict = await member.put(text, {
    ...read.body,
    version: saved.body.version,
    text: 'mine',
  });
  expect([conflict.status, conflict.body.code]).toEqual([409, 'file_changed']);
  expect(await readFile(join(root, 'conf'), 'utf8')).toBe('somebody else was here\n');
  expect((await member.put(text, { ...read.body, version: '', text: 'mine' })).status).toBe(200);
  await writeFile(join(root, 'gbk'), Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), { mode: 0o666 });
  const gbk = await member.get<Json>(`${base}/text/?${at('/gbk')}`);
  expect(gbk.body).toMatchObject({ text: '你好', charset: 'gb18030' });
  await writeFile(join(root, 'program'), Buffer.from([0x7f, 0x45, 0, 1, 2]));
  expect((await member.get(`${base}/text/?${at('/program')}`)).body).toMatchObject({
    code: 'file_not_text',
  });
  await writeFile(join(root, 'large'), 'x'.repeat(1024 * 1024 + 1));
  expect((await member.get(`${base}/text/?${at('/large')}`)).status).toBe(413);
});

it('confines requests to the root, the sign-in and the grant', async () => {
  await symlink(outside, join(root, 'way-out'));
  const refusals: readonly (readonly [string, number])[] = [
    [`entries/?${at('/way-out')}`, 400],
    [`content/?${at('/way-out/secret')}`, 400],
    [`text/?${at('/way-out/secret')}`, 400],
    [`zip/?${at('/way-out')}`, 400],
    [`content/?${at('/../outside/secret')}`, 404],
    [`content/?${at('/nothing')}`, 404],
    [`content/?${at('/')}`, 400],
    ['entries/', 400],
    ['entries/?path=relative', 400],
    ['entries/?path=%22broken', 400],
    [`entries/?${at(`/${'x/'.repeat(3000)}`)}`, 400],
    [`entries/?${at('/digits')}`, 400],
  ];
  for (const [path, status] of refusals) {
    const answer = await member.get(`${base}/${path}`);
    expect([path.slice(0, 60), answer.status], answer.text).toEqual([path.slice(0, 60), status]);
    expect(answer.text).not.toContain('not for files');
  }
  expect(
    await change({ action: 'move', items: [{ path: '/digits', to: '/way-out/digits' }] }),
  ).toMatchObject([{ code: 'file_outside' }, { end: true }]);
  expect((await put('upload-0008', '/way-out/new', Buffer.from('x'))).body).toMatchObject({
    code: 'file_outside',
  });
  expect(await readdir(outside)).toEqual(['secret']);

  const nobody = new (member.constructor as typeof Client)(world.test.visitor.url);
  const stranger = (
    await bearer(
      world.test,
      await buildUser(world.test.db, {
        memberOf: [{ organization: world.organization, role: 'User' }],
      }),
    )
  ).inOrganization(world.organization);
  const requests: readonly (readonly [string, string, unknown?])[] = [
    ['GET', `entries/?${at('/')}`],
    ['GET', `entry/?${at('/digits')}`],
    ['GET', `content/?${at('/digits')}`],
    ['GET', `zip/?${at('/digits')}`],
    ['GET', `text/?${at('/conf')}`],
    ['PUT', `text/?${at('/conf')}`, { text: 'x', charset: 'utf-8', version: '' }],
    ['POST', 'changes/', { action: 'delete', items: [{ path: '/digits' }] }],
    ['GET', `uploads/upload-0009/?${at('/x')}&size=1`],
  ];
  for (const [method, path, body] of requests) {
    expect([path, (await nobody.request(method, `${base}/${path}`, body)).status]).toEqual([
      path,
      401,
    ]);
    const answer = await stranger.request(method, `${base}/${path}`, body);
    expect([path, answer.status, answer.body?.code]).toEqual([path, 403, 'connect_denied']);
  }
  expect(lines((await stranger.post(`${base}/connect/`)).text).at(-1)).toMatchObject({
    problem: { code: 'connect_denied' },
  });
  expect((await member.get(`files/nothing/${world.systemUser}/entries/?path=/`)).status).toBe(404);
});

it('answers or rejects random requests, and touches no files outside of the root', async () => {
  await mkdir(join(root, 'chance'), { mode: 0o777 });
  await chmod(join(root, 'chance'), 0o777);
  await fc.assert(
    fc.asyncProperty(randomFileRequest, async ({ method, route, query: words, body: sent }) => {
      // Requests may delete files below /chance only.
      fc.pre(!(route === 'changes/' && JSON.stringify(sent).includes('"/"')));
      const query = new URLSearchParams(
        Object.entries(words).map(([name, one]): [string, string] => [
          name,
          typeof one === 'string' ? one : JSON.stringify(one),
        ]),
      );
      const answer = await member.request(
        method,
        `${base}/${route}?${query}`,
        method === 'GET' ? undefined : sent,
      );
      expect(
        answer.status,
        `${method} ${route}?${query} ${JSON.stringify(sent)} answered ${answer.text.slice(0, 300)}`,
      ).toBeLessThan(500);
      expect(answer.text).not.toContain('not for files');
    }),
    runs(250),
  );
  expect(await readdir(outside)).toEqual(['secret']);
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('not for files\n');
});

it('applies changes of the permission immediately', async () => {
  const allow = async (actions: readonly string[]) => {
    const answer = await world.administrator.patch(`perms/asset-permissions/${ruleId}/`, {
      actions,
    });
    expect(answer.status, answer.text).toBe(200);
  };
  await put('upload-0010', '/half', Buffer.from('half'), { size: 8 });
  await allow(['connect']);
  const denied = (answer: { status: number; body: Json }) =>
    answer.status === 403 && answer.body.code === 'transfer_denied';
  await until(
    async () => denied(await member.get(`${base}/text/?${at('/digits')}`)),
    'the change of the rule',
  );
  expect(denied(await member.get(`${base}/content/?${at('/digits')}`))).toBe(true);
  expect(denied(await member.get(`${base}/zip/?${at('/digits')}`))).toBe(true);
  expect(denied(await member.get(`${base}/text/?${at('/conf')}`))).toBe(true);
  expect(
    denied(await put('upload-0010', '/half', Buffer.from('more'), { size: 8, offset: 4 })),
  ).toBe(true);
  expect(await change({ action: 'delete', items: [{ path: '/digits' }] })).toMatchObject([
    { code: 'transfer_denied' },
    { end: true },
  ]);
  expect((await names('/')).includes('digits')).toBe(true);
  await allow(['connect', 'download_file']);
  await until(async () => (await download('/digits')).status === 200, 'the right to download');
  expect(denied(await put('upload-0011', '/new', Buffer.from('x')))).toBe(true);
  expect(await names('/')).not.toContain('new');
  const { status } = await world.administrator.patch(`perms/asset-permissions/${ruleId}/`, {
    is_active: false,
  });
  expect(status).toBe(200);
  await until(
    async () => (await member.get(`${base}/entries/?${at('/')}`)).body?.code === 'connect_denied',
    'the change of the grant',
  );
  await world.administrator.patch(`perms/asset-permissions/${ruleId}/`, {
    is_active: true,
    actions: ['all'],
  });
  await until(
    async () => (await member.get(`${base}/entries/?${at('/')}`)).status === 200,
    'the change of the grant',
  );
  await until(
    async () => !(await readdir(root)).some((name) => name.includes('half')),
    'the unfinished part is removed',
  );
});

it('asks for the password with manual login, and again after a wrong one', async () => {
  expect(world.sshd.password, 'the test has to run as root').toBeDefined();
  const account = {
    name: 'typed',
    username: world.sshd.username,
    login_mode: 'manual',
    protocol: 'ssh',
    sftp_root: root,
  };
  const manual = String((await world.administrator.post('assets/system-users/', account)).body.id);
  const rule = {
    name: 'typed',
    users: [world.member.id],
    assets: [world.asset],
    system_users: [manual],
  };
  expect((await world.administrator.post('perms/asset-permissions/', rule)).status).toBe(201);
  const typed = `files/${world.asset}/${manual}`;
  await until(
    async () =>
      (await member.get(`${typed}/entries/?${at('/')}`)).body?.code === 'files_not_connected',
    'the change of the grant',
  );
  const connect = async (body: unknown) =>
    lines((await member.post(`${typed}/connect/`, body)).text).at(-1);
  expect(await connect({})).toEqual({
    need_credentials: { username: world.sshd.username, reason: 'manual' },
  });
  expect(await connect({ username: world.sshd.username, password: 'wrong' })).toEqual({
    need_credentials: { username: world.sshd.username, reason: 'rejected' },
  });
  expect(
    await connect({ username: world.sshd.username, password: world.sshd.password }),
  ).toMatchObject({ open: { account: world.sshd.username } });
  expect((await member.get(`${typed}/entries/?${at('/')}`)).status).toBe(200);
  expect((await member.delete(`${typed}/connect/`)).status).toBe(204);
  expect((await member.get(`${typed}/entries/?${at('/')}`)).body).toMatchObject({
    code: 'files_not_connected',
  });
});
