import { Packet, packetOf, SFTP_VERSION } from '@sallyport/ssh';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoryPorts, PERSON } from '../../../testing/gateway/memory-ports.ts';
import { startSshServer } from '../../../testing/ssh/ssh-server.ts';
import type { SshTarget } from '../../../testing/ssh/ssh-target.ts';
import { openSession } from '../open-session.ts';
import { filesOpener } from './file-session.ts';

/** The type of request that the target does not answer. */
let unanswered: number;
let sshd: SshTarget;
beforeAll(async () => {
  sshd = await startSshServer({
    sftp: () => ({
      answers: (type) =>
        type === unanswered
          ? Buffer.alloc(0)
          : type === Packet.INIT
            ? packetOf(Packet.VERSION, SFTP_VERSION)
            : undefined,
    }),
  });
});
afterAll(() => sshd.stop());

it.each([
  { request: 'the version', type: Packet.INIT },
  { request: 'the path of the root', type: Packet.REALPATH },
  { request: 'the attributes of the root', type: Packet.STAT },
])(
  'gives up in the time of one step when a target does not answer $request',
  async ({ type }) => {
    unanswered = type;
    const ports = memoryPorts(sshd);
    ports.limitValues = { ...ports.limitValues, connectSeconds: 1 };
    const opening = openSession(
      {
        ports,
        person: PERSON,
        request: { assetId: 'a', systemUserId: 's' },
        signal: new AbortController().signal,
        client: {
          stage: () => undefined,
          askCredentials: () => Promise.reject(new Error('a file session asks for no account')),
          opened: () => undefined,
          closed: () => undefined,
        },
      },
      filesOpener(),
    );
    await expect(opening).rejects.toMatchObject({
      problem: { code: 'connect_timeout', params: { host: `${sshd.host}:${sshd.port}` } },
    });
    expect(ports.row().end).toMatchObject({ reason: 'connect_timeout', success: false });
  },
  20_000,
);
