import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../../testing/client.ts';
import { SFTP_ATTACKS } from '../../../testing/hostile/sftp.ts';
import { until } from '../../../testing/poll.ts';
import { bearer } from '../../../testing/sign-in.ts';
import type { SftpBehavior } from '../../../testing/ssh/sftp-server.ts';
import { sshClient } from '../../../testing/ssh/ssh-client.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import { type SshWorld, startWorld } from '../../../testing/ssh/ssh-world.ts';

let world: SshWorld;
let member: Client;
let base: string;
let behavior: SftpBehavior = {};
beforeAll(async () => {
  world = await startWorld({}, startSshServer({ sftp: () => behavior }), sshClient);
  const root = join(world.sshd.home, 'root');
  await mkdir(root);
  await writeFile(join(root, 'file'), 'content');
  const { status, text } = await world.administrator.patch(
    `assets/system-users/${world.systemUser}/`,
    { sftp_root: root },
  );
  expect(status, text).toBe(200);
  member = (await bearer(world.test, world.member)).inOrganization(world.organization);
  base = `files/${world.asset}/${world.systemUser}`;
});
afterAll(() => world.stop());

/** Returns the code of the error; a listing reports it in its last line. */
const codeIn = (text: string): string | undefined => /"code":\s*"(\w+)"/.exec(text)?.[1];

const BROKE = 'connect_target_broke';

describe('a hostile file server', () => {
  it.each(SFTP_ATTACKS)('gives its user $expected when it $name', async (attack) => {
    behavior = { answers: attack.answers };
    const path =
      attack.request === 'list' ? `${base}/entries/?path=%2F` : `${base}/content/?path=%2Ffile`;
    const { text: opening } = await member.post(`${base}/connect/`);
    const text = codeIn(opening) === undefined ? (await member.get(path)).text : opening;
    behavior = {};
    await member.delete(`${base}/connect/`);
    expect(codeIn(text), text.slice(0, 500)).toBe(attack.expected);
    const row = async () => world.lastSession();
    await until(async () => (await row()).is_finished === true, 'the session has ended');
    if (attack.expected === BROKE) expect((await row()).end_reason).toBe(BROKE);
  });
});
