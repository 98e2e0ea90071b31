import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ERRORS, type ErrorCode } from '@sallyport/contract';
import { Packet, packetOf } from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loggedFiles } from '../../../testing/files/file-log.ts';
import { bearer } from '../../../testing/sign-in.ts';
import { openSftp } from '../../../testing/ssh/sftp-calls.ts';
import type { SftpBehavior } from '../../../testing/ssh/sftp-server.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let root: string;
let behavior: SftpBehavior = {};
beforeAll(async () => {
  world = await startWorld({}, startSshServer({ sftp: () => behavior }), sshClient);
  root = join(world.sshd.home, 'root');
  await mkdir(root);
  const { status, text } = await world.administrator.patch(
    `assets/system-users/${world.systemUser}/`,
    { sftp_root: root },
  );
  expect(status, text).toBe(200);
});
afterAll(() => world.stop());

/** The server answers each MKDIR with a status, and a text unless it is an old one. */
const refuse = (status: number, text?: string) => {
  behavior = {
    answers: (type, id) =>
      type !== Packet.MKDIR
        ? undefined
        : text === undefined
          ? packetOf(Packet.STATUS, id, status)
          : packetOf(Packet.STATUS, id, status, Buffer.from(text), Buffer.from('en')),
  };
};

/** Every status of draft-ietf-secsh-filexfer-02 and -13 besides success, and one of no draft. */
const CODES: Readonly<Record<number, ErrorCode | undefined>> = {
  ...{ 1: 'file_failed', 2: 'file_not_found', 3: 'file_denied', 4: undefined, 5: undefined },
  ...{ 6: 'connect_target_lost', 7: 'connect_target_lost', 8: undefined, 9: undefined },
  ...{ 10: 'file_not_found', 11: 'file_exists', 12: 'file_denied', 13: undefined },
  ...{ 14: 'file_no_space', 15: 'file_no_space', 16: undefined, 17: undefined, 18: undefined },
  ...{ 19: 'file_kind', 20: 'file_name', 21: undefined, 22: 'file_denied', 23: undefined },
  ...{ 24: 'file_kind', 25: undefined, 26: undefined, 27: undefined, 28: undefined },
  ...{ 29: undefined, 30: undefined, 31: undefined, 4294967295: undefined },
};

it('gives SFTP clients a sentence for each status, or the words and the number of the server', async () => {
  const { port, login, member } = world;
  const client = await openSftp({ port, login, password: member.password });
  const messageOf = async (status: number, text?: string) => {
    refuse(status, text);
    return client
      .call((sftp, done) => sftp.mkdir(join(root, 'new'), done))
      .then(
        () => 'created',
        (error: Error) => error.message,
      );
  };
  for (const [number, code] of Object.entries(CODES)) {
    const status = Number(number);
    const words = 'the vault\u001b[2J is\nclosed';
    const sentence = code
      ? ERRORS[code].en
      : 'The server could not complete this action: “the vault [2J is closed”';
    expect([status, await messageOf(status, words)]).toEqual([status, sentence]);
    const numbered = `The server could not complete this action: “status ${status}”`;
    const silent = code ? ERRORS[code].en : status > 8 ? numbered : ERRORS.file_failed.en;
    for (const text of [undefined, '', 'Failure', 'Operation unsupported'])
      expect([status, text, await messageOf(status, text)]).toEqual([status, text, silent]);
  }
  expect((await messageOf(4, 'x'.repeat(5000))).length).toBeLessThan(300);
  behavior = {};
  await client.end();
});

it('gives the page the words of the server, and the log their code', async () => {
  const member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  const files = `files/${world.asset}/${world.systemUser}`;
  const connected = await member.post(`${files}/connect/`);
  expect(connected.status, connected.text).toBeLessThan(300);
  refuse(4, 'Disk quota exceeded');
  const { text } = await member
    .with({ 'accept-language': 'zh' })
    .post(`${files}/changes/`, { action: 'make_folder', items: [{ path: '/own' }] });
  behavior = {};
  expect(text).toContain('服务器未能完成此操作：“Disk quota exceeded”');
  expect(await loggedFiles(world.test.db, 'own', 1)).toMatchObject([
    { operate: 'Mkdir', is_success: false, reason: 'file_failed_words' },
  ]);
});
