import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTestProgram, type TestProgram } from '../../../testing/test-program.ts';
import { ensureListenerCertificate } from './listener-certificate.ts';

const DAY = 86_400_000;

let test: TestProgram;
beforeAll(async () => {
  test = await startTestProgram();
});
afterAll(() => test.stop());

const certificateFor = (publicUrl: string | undefined, sqlHost: string) =>
  ensureListenerCertificate({
    db: test.db,
    vault: test.program.vault,
    config: { publicUrl, sqlHost, sqlCertificateFile: undefined, sqlKeyFile: undefined },
  });

it('creates a certificate that clients accept for each name of the server, and keeps it while the names stay', async () => {
  const created = await certificateFor('https://bastion.example.com/', '192.0.2.7');
  const certificate = new X509Certificate(created.certificate);
  for (const name of ['bastion.example.com', 'localhost'])
    expect(certificate.checkHost(name)).toBe(name);
  for (const address of ['192.0.2.7', '127.0.0.1', '::1'])
    expect(certificate.checkIP(address)).toBe(address);
  expect(certificate.checkHost('other.example.com')).toBeUndefined();
  expect((await certificateFor('https://bastion.example.com/', '192.0.2.7')).fingerprint).toBe(
    created.fingerprint,
  );
  const server = createServer({ SNICallback: (_name, done) => done(null, created.context) });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const servername of ['bastion.example.com', 'localhost']) {
    const socket = connect({ host: '127.0.0.1', port, servername, ca: created.certificate });
    await once(socket, 'secureConnect');
    expect(socket.authorized).toBe(true);
    socket.destroy();
  }
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'other.example.com',
    ca: created.certificate,
  });
  expect(await once(socket, 'error')).toMatchObject([{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }]);
  server.close();
});

it('creates a certificate with the names of both servers when a server has another name', async () => {
  const before = await certificateFor('https://bastion.example.com/', '192.0.2.7');
  const after = await certificateFor('https://[2001:db8::5]:8443/', '0.0.0.0');
  expect(after.fingerprint).not.toBe(before.fingerprint);
  const certificate = new X509Certificate(after.certificate);
  expect(certificate.checkIP('2001:db8::5')).toBe('2001:db8::5');
  expect(certificate.checkHost('bastion.example.com')).toBe('bastion.example.com');
  expect((await certificateFor('https://bastion.example.com/', '192.0.2.7')).fingerprint).toBe(
    after.fingerprint,
  );
});

const TEN_YEARS = 3_652;

it.each([
  ['ends soon', 80 - TEN_YEARS],
  ['has ended', -1 - TEN_YEARS],
  ['was made by a clock that was ahead', 400],
])('replaces a certificate that %s, with the names of all servers', async (_state, madeIn) => {
  const other = `made${madeIn}.example.com`;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + madeIn * DAY });
  const dated = await certificateFor(`https://${other}/`, '192.0.2.7').finally(() =>
    vi.useRealTimers(),
  );
  const ours = () => certificateFor('https://bastion.example.com/', '192.0.2.7');
  const renewed = await ours();
  expect(renewed.fingerprint).not.toBe(dated.fingerprint);
  const certificate = new X509Certificate(renewed.certificate);
  for (const name of ['bastion.example.com', other]) expect(certificate.checkHost(name)).toBe(name);
  expect((await ours()).fingerprint).toBe(renewed.fingerprint);
});
