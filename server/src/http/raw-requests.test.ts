import { connect, type Socket } from 'node:net';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/poll.ts';
import { startTestProgram, type TestProgram } from '../testing/test-program.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram({
    publicUrl: 'https://bastion.example.com',
    allowedHosts: ['bastion.internal'],
  });
});
afterAll(() => test.stop());

/** Opens a TCP connection. */
function open(): Socket {
  const { hostname, port } = new URL(test.program.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  return socket;
}

/**
 * Sends bytes and returns everything received. Ends with an answer, or when the server waits for
 * more.
 */
function exchange(bytes: string | Uint8Array, patience = 60_000): Promise<string> {
  return new Promise((settle) => {
    const socket = open();
    let text = '';
    const wait = setTimeout(() => socket.end(), patience);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      clearTimeout(wait);
      socket.end();
    });
    socket.on('close', () => settle(text));
    socket.on('end', () => socket.end());
    socket.write(bytes);
  });
}

const ask = (line: string, ...headers: string[]) =>
  exchange(
    [`${line} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers, '', ''].join('\r\n'),
  );
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const codeOf = (answer: string) => /x-error-code: (\w+)/i.exec(answer)?.[1];

describe('addresses of files', () => {
  it.each([
    '/static/app/..%2f..%2fpackage.json',
    '/static/app/x/../y',
    '/static/app/%2e%2e/%2e%2e/etc/passwd',
    '/static/app/.%00./x',
    '/static/app/missing.js',
    '/static/app/',
    '/static/app/%ff',
    '/static/app/a%5c..%5cb',
  ])('rejects %s with a code, without a defect', async (path) => {
    const before = test.log();
    const answer = await ask(`GET ${path}`);
    expect([path, [400, 404].includes(statusOf(answer))]).toEqual([path, true]);
    expect(['not_found', 'nul_byte', 'malformed_request']).toContain(codeOf(answer));
    expect(test.log().slice(before.length)).not.toContain('a request failed');
  });

  it('answers a wrong method with 405 and the allowed methods, a missing file with 404', async () => {
    const posted = await ask('POST /static/app/missing.js');
    expect([statusOf(posted), /allow: ([^\r]*)/i.exec(posted)?.[1]]).toEqual([405, 'GET']);
    expect(statusOf(await ask('GET /static/app/missing.js'))).toBe(404);
  });

  it.each(['QUERY', 'TRACE', 'PROPFIND', 'M-SEARCH', 'PURGE'])(
    'rejects the method %s without a defect',
    async (method) => {
      const before = test.log();
      for (const path of ['/api/v1/users/users/', '/ui/', '/nothing/'])
        expect([404, 405]).toContain(statusOf(await ask(`${method} ${path}`)));
      expect(test.log().slice(before.length)).not.toMatch(/"level":(40|50|60)/);
    },
  );
});

it('logs no defect when the client breaks off a body', async () => {
  const before = test.log();
  for (const type of ['application/json', 'text/plain']) {
    const socket = open();
    const closed = new Promise((done) => socket.once('close', done));
    const lines = [
      'PUT /nothing/ HTTP/1.1',
      'Host: 127.0.0.1',
      `Content-Type: ${type}`,
      'Content-Length: 50',
      'Expect: 100-continue',
      '',
      '',
    ];
    socket.write(lines.join('\r\n'));
    // The server has sent `100 Continue`, so it waits for the body.
    await new Promise((done) => socket.once('data', done));
    socket.write('{"name":');
    socket.resetAndDestroy();
    await closed;
  }
  expect((await test.visitor.get('/api/health/')).status).toBe(200);
  expect(test.log().slice(before.length)).not.toContain('a request failed');
});

const request = (line: string, ...headers: string[]) =>
  [`${line} HTTP/1.1`, 'Connection: close', ...headers, '', ''].join('\r\n');
const LOCAL = 'Host: 127.0.0.1';
const JSON_BODY = 'Content-Type: application/json';

it.each([
  ['bytes that are no request', 400, 'no request\r\n\r\n'],
  ['a header without a colon', 400, request('GET /ui/', LOCAL, 'broken')],
  ['two lengths', 400, request('POST /ui/', LOCAL, 'Content-Length: 1', 'Content-Length: 2')],
  ['a request without a host', 400, request('GET /ui/')],
  ['an address that is not UTF-8', 404, request('GET /%ff', LOCAL)],
  ['a NUL in the address', 400, request('GET /api/%00', LOCAL)],
  ['a request without a sign-in', 401, request('GET /api/v1/users/users/', LOCAL)],
  ['an unknown path', 404, request('GET /nothing/', LOCAL)],
  ['a method that the router does not know', 405, request('QUERY /ui/', LOCAL)],
  ['a method that a path does not have', 405, request('POST /static/app/x.js', LOCAL)],
  [
    'a body that is too large',
    413,
    request('POST /api/v1/authentication/auth/', LOCAL, JSON_BODY, 'Content-Length: 99999999999'),
  ],
  [
    'a body of another kind',
    415,
    `${request('POST /api/v1/authentication/auth/', LOCAL, 'Content-Type: a/b', 'Content-Length: 1')}x`,
  ],
  ['an unknown expectation', 417, request('GET /ui/', LOCAL, 'Expect: a-miracle')],
  ['another host', 421, request('GET /ui/', 'Host: other.example.com')],
  ['a header that is too long', 431, request('GET /ui/', LOCAL, `X-Long: ${'x'.repeat(20_000)}`)],
  ['an address that is too long', 431, request(`GET /${'x'.repeat(20_000)}`, LOCAL)],
])('sends the security headers with the answer to %s', async (_what, status, bytes) => {
  const answer = await exchange(bytes);
  expect(statusOf(answer)).toBe(status);
  const [head = ''] = answer.split('\r\n\r\n');
  const sent = new Map(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
  );
  for (const [name, value] of Object.entries(SECURITY_HEADERS))
    expect([name, sent.get(name)]).toEqual([name, value]);
});

describe('an upgrade', () => {
  const upgrade = (path: string) =>
    [
      `GET ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      '',
      '',
    ].join('\r\n');
  const connectionsOpen = () =>
    new Promise<number>((done) =>
      test.program.app.http.server.getConnections((_error, count) => done(count)),
    );

  it.each(['/ws/terminal/', '/ws/nothing/', '/ui/', '/api/v1/users/users/'])(
    'closes the connection after rejecting an upgrade of %s',
    async (path) => {
      const before = await connectionsOpen();
      const sockets = Array.from({ length: 20 }, () => {
        const socket = open();
        socket.write(upgrade(path));
        // Read, but never close this side.
        socket.resume();
        return socket;
      });
      await Promise.all(
        sockets.map((socket) => new Promise((settle) => socket.once('end', settle))),
      );
      // Our ends are still half open; the server has closed its own.
      await until(
        async () => (await connectionsOpen()) <= before,
        'the server has closed its ends',
      );
      for (const socket of sockets) socket.destroy();
    },
  );

  it('ignores upgrades to other protocols', async () => {
    expect(statusOf(await ask('GET /api/health/', 'Upgrade: h2c'))).toBe(200);
  });
});

describe('the name that the server is addressed by', () => {
  const by = async (host: string, path = '/api/v1/settings/public/') => {
    const answer = await exchange(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    return [statusOf(answer), codeOf(answer)];
  };

  it.each([
    'bastion.example.com',
    'BASTION.example.com:443',
    'bastion.example.com.',
    'bastion.internal',
    'localhost:8080',
    '127.0.0.1',
    '[::1]:80',
    '10.0.0.7',
  ])('accepts the host name %s', async (host) => expect(await by(host)).toEqual([200, undefined]));

  it.each([
    'evil.example',
    'bastion.example.com.evil.example',
    '127.0.0.1.evil.example',
    'x@bastion.example.com',
  ])('rejects the host name %s', async (host) => {
    const [status, code] = await by(host);
    expect([status, code]).toEqual([421, 'host_refused']);
  });

  it('accepts any host name from monitors', async () =>
    expect(await by('whatever.example', '/api/health/')).toEqual([200, undefined]));
});

describe('any bytes', () => {
  const methods = fc.constantFrom(
    'GET',
    'POST',
    'PUT',
    'OPTIONS',
    'HEAD',
    'QUERY',
    'BREW',
    'get',
    '',
  );
  const targets = fc.constantFrom(
    '/',
    '*',
    '//',
    '/api/v1/users/users/',
    '/static/app/%',
    '/%zz',
    '/api/v1/%ff/',
    'http://x/ui/',
    '/ui/?%',
    '/ws/watch/',
    '/;x',
    `/${'a'.repeat(9_000)}`,
  );
  const versions = fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9', '');
  const headers = fc.array(
    fc.constantFrom(
      'Host: 127.0.0.1',
      'Host: ',
      'Host: evil',
      'Content-Length: 5',
      'Content-Length: -1',
      'Content-Length: 99999999999999',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: identity',
      'Content-Type: application/json',
      'Content-Type: multipart/form-data; boundary=b',
      'Content-Type: \\',
      'Cookie: sessionid=%; =; sessionid=\u0001',
      'Accept-Language: ;q=',
      'Authorization: Bearer',
      'Authorization: Signature keyId="',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Connection: close',
      'Expect: 100-continue',
      'Expect: coffee',
      'X-JMS-ORG: \u00ff',
      'X-TZ: ../../etc',
      'Range: bytes=0-',
      `X-Long: ${'x'.repeat(20_000)}`,
      ' folded',
      'no colon',
    ),
    { maxLength: 6 },
  );
  const bodies = fc.constantFrom(
    '',
    '{}',
    '[',
    '5\r\nhello\r\n0\r\n\r\n',
    'zz\r\n',
    '\0\0\0',
    '--b\r\n\r\n',
  );

  it('answers or rejects any bytes without a defect, and keeps running', {
    timeout: limitOf(60_000),
  }, async () => {
    const before = test.log();
    await fc.assert(
      fc.asyncProperty(
        methods,
        targets,
        versions,
        headers,
        bodies,
        async (method, target, version, lines, body) => {
          const answer = await exchange(
            Buffer.from(
              [`${method} ${target} ${version}`, ...lines, '', body].join('\r\n'),
              'latin1',
            ),
            150,
          );
          expect(statusOf(answer)).toBeLessThan(500);
          expect(answer).not.toMatch(/node_modules|at file:|FST_/);
        },
      ),
      runs(400),
    );
    expect(test.log().slice(before.length)).not.toMatch(/a request failed|fastify bug/);
    expect((await test.visitor.get('/api/health/')).status).toBe(200);
  });
});

it('limits connections per address, and frees a place when one closes', async () => {
  const sockets = Array.from({ length: 520 }, () => open());
  for (const socket of sockets) socket.resume();
  const ended = () => sockets.filter((socket) => socket.readableEnded || socket.destroyed).length;
  await until(() => ended() >= 20, 'those above the limit are closed');
  expect(ended()).toBeLessThan(60);
  for (const socket of sockets) socket.destroy();
  await until(
    async () =>
      (await fetch(new URL('/api/health/', test.program.url)).catch(() => undefined))?.status ===
      200,
    'there is room again',
  );
});
