import { Packet, packetOf, Status } from '@sallyport/ssh';
import { expect, it, vi } from 'vitest';
import { FILE_ANSWER_MS, MAX_FOLDER_BATCH, MAX_SFTP_PACKET } from '../../../limits.ts';
import { TargetFileError } from '../../target-end.ts';
import { SftpClient } from './sftp-client.ts';

/** Opens a client whose target is played by the test, byte by byte. */
async function opened() {
  const sent: Buffer[] = [];
  let broken = 0;
  let silent = 0;
  const client = new SftpClient({
    write: (packet) => sent.push(packet),
    broken: () => {
      broken += 1;
    },
    silent: () => {
      silent += 1;
    },
    close: () => undefined,
  });
  const started = client.start();
  client.push(packetOf(Packet.VERSION, 3));
  await started;
  const idOf = (packet: Buffer | undefined) => packet?.readUInt32BE(5) ?? -1;
  return {
    ...{ client, sent, idOfLast: () => idOf(sent.at(-1)) },
    ...{ isBroken: () => broken > 0, timesSilent: () => silent },
  };
}

const HANDLE = Buffer.from('handle');
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof TargetFileError ? error.problem : 'another error'),
  );

it('closes the connection and rejects all requests after an answer that violates the protocol', async () => {
  const answers: readonly ((id: number) => Buffer)[] = [
    (id) => packetOf(Packet.STATUS, id + 1, Status.OK),
    (id) => packetOf(Packet.HANDLE, id, HANDLE),
    (id) => packetOf(Packet.DATA, id, Buffer.alloc(40_000)),
    (id) => packetOf(Packet.DATA, id, 5),
    () => Buffer.from([0xff, 0xff, 0xff, 0xff, 1]),
    () => Buffer.from([0, 0, 0, 0]),
  ];
  for (const [index, answer] of answers.entries()) {
    const { client, idOfLast, isBroken } = await opened();
    const reading = refusal(client.read(HANDLE, 0, 32_768));
    client.push(answer(idOfLast()));
    expect([index, await reading, isBroken()]).toEqual([index, 'broken', true]);
  }
});

it('limits the batch of a folder, and keeps the connection after a missing file', async () => {
  const { client, idOfLast, isBroken } = await opened();
  const missing = refusal(client.attributesOf(Buffer.from('/x'), false));
  client.push(packetOf(Packet.STATUS, idOfLast(), Status.NO_SUCH_FILE));
  expect(await missing).toBe('missing');
  const ended = client.readFolder(HANDLE);
  client.push(packetOf(Packet.STATUS, idOfLast(), Status.EOF));
  expect(await ended).toBeUndefined();
  const much = refusal(client.readFolder(HANDLE));
  client.push(packetOf(Packet.NAME, idOfLast(), MAX_FOLDER_BATCH + 1));
  expect([await much, isBroken()]).toEqual(['broken', true]);
});

/** An answer with all names of a folder at once, as Erlang/OTP 25.2.3 sends it. */
function namesIn(id: number, count: number, nameLength: number): Buffer {
  const entry = [Buffer.alloc(nameLength, 'n'), Buffer.from('long name'), { attributes: {} }];
  return packetOf(Packet.NAME, id, count, ...Array.from({ length: count }, () => entry).flat());
}

it('reads a folder whose names arrive in one packet of up to 2 MiB', async () => {
  const { client, idOfLast, isBroken } = await opened();
  const folder = client.readFolder(HANDLE);
  const packet = namesIn(idOfLast(), 9000, 200);
  expect(packet.length).toBeGreaterThan(7 * MAX_SFTP_PACKET);
  for (let at = 0; at < packet.length; at += 30_000) client.push(packet.subarray(at, at + 30_000));
  expect([(await folder)?.length, isBroken()]).toEqual([9000, false]);
  const much = refusal(client.readFolder(HANDLE));
  client.push(namesIn(idOfLast(), 10_000, 220));
  expect([await much, isBroken()]).toEqual(['broken', true]);
});

it('gives up a target that answers nothing for five minutes, unless it works on a whole file', async () => {
  vi.useFakeTimers();
  try {
    const { client, idOfLast, timesSilent } = await opened();
    const first = refusal(client.attributesOf(HANDLE, false));
    const second = refusal(client.attributesOf(HANDLE, false));
    await vi.advanceTimersByTimeAsync(FILE_ANSWER_MS - 1);
    client.push(packetOf(Packet.STATUS, idOfLast(), Status.NO_SUCH_FILE));
    expect(await second).toBe('missing');
    await vi.advanceTimersByTimeAsync(FILE_ANSWER_MS - 1);
    const copying = refusal(client.copyData(HANDLE, HANDLE));
    await vi.advanceTimersByTimeAsync(10 * FILE_ANSWER_MS);
    client.push(packetOf(Packet.STATUS, idOfLast(), Status.OK));
    expect([await copying, timesSilent()]).toEqual(['done', 0]);
    await vi.advanceTimersByTimeAsync(2 * FILE_ANSWER_MS);
    expect([await first, timesSilent()]).toEqual(['lost', 1]);
    expect(await refusal(client.attributesOf(HANDLE, false))).toBe('lost');
  } finally {
    vi.useRealTimers();
  }
});

it('survives random bytes without an uncaught error or a pending request', async () => {
  let state = 7;
  const random = () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
  for (let round = 0; round < 300; round++) {
    const { client, idOfLast } = await opened();
    const waiting = [
      refusal(client.readFolder(HANDLE)),
      refusal(client.realPath(Buffer.from('.'))),
      refusal(client.read(HANDLE, 0, 10)),
    ];
    for (let count = 0; count < 5; count++) {
      const body = Buffer.from(
        Array.from({ length: 1 + Math.floor(random() * 40) }, () => Math.floor(random() * 256)),
      );
      body[0] = random() < 0.8 ? 101 + Math.floor(random() * 5) : (body[0] ?? 0);
      if (body.length > 5 && random() < 0.7)
        body.writeUInt32BE(Math.max(0, idOfLast() - Math.floor(random() * 3)), 1);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(
        random() < 0.9 ? body.length : Math.floor(random() * MAX_SFTP_PACKET * 2),
      );
      client.push(Buffer.concat([length, body]));
    }
    client.ended();
    await Promise.all(waiting);
  }
});
