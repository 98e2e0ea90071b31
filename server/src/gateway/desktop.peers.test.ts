import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { actionMask, KEY_VALUE, RECORD, readKey } from '@sallyport/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLocalRecordings } from '../platform/storage/local-storage.ts';
import { recordingFiles } from '../platform/storage/testing/recording-files.ts';
import { DesktopClient, recordsOf, replayed } from '../testing/desktops/desktop-client.ts';
import { startXvnc, type TestXvnc } from '../testing/desktops/xvnc.ts';
import { type GatewayServer, startGateway } from '../testing/gateway/gateway-server.ts';
import {
  grantFor,
  type MemoryPorts,
  memoryPorts,
  PERSON,
} from '../testing/gateway/memory-ports.ts';
import { startScriptedVnc } from '../testing/hostile/vnc.ts';
import { startDevice, type TestDevice } from '../testing/hosts/device.ts';
import { recoverRecordings } from './recorder/recovery.ts';

let xvnc: TestXvnc;
let directory: string;
let ports: MemoryPorts;
let server: GatewayServer;
let device: TestDevice | undefined;

beforeAll(async () => {
  xvnc = await startXvnc();
});
afterAll(() => xvnc.stop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-desktop-'));
  await pointAt(xvnc.port);
});
afterEach(async () => {
  await server.stop();
  await device?.stop();
  device = undefined;
  await rm(directory, { recursive: true, force: true });
});

/** Starts a gateway whose asset is a VNC server on a loopback port. */
async function pointAt(port: number): Promise<void> {
  await server?.stop();
  const place = { host: '127.0.0.1', port, username: '', privateKey: '' };
  ports = memoryPorts(place);
  const grant = grantFor(place);
  ports.grant = {
    ...grant,
    actions: actionMask(['connect']),
    systemUser: { ...grant.systemUser, protocol: 'vnc' },
  };
  ports.login = { username: '', password: xvnc.password };
  server = await startGateway(ports, directory, PERSON);
}

async function script(
  talk: (socket: Socket) => void,
  hear?: (bytes: Buffer) => void,
): Promise<void> {
  device = await startScriptedVnc(talk, hear);
  await pointAt(device.port);
}

async function refusal(): Promise<string> {
  const client = await DesktopClient.connect(server.url);
  return (await client.wire.message('closed')).code;
}

const recordingOf = (id: string, startedAt: Date) =>
  recordingFiles(directory, { id, startedAt }, 'desktop');

async function ended(client: DesktopClient) {
  await client.wire.close();
  return client.wire.until('the end of the row', () => ports.row().end);
}

describe('a desktop', () => {
  it('shows the picture, sends input, records it to the pixel, and never sends the password to the page', async () => {
    await xvnc.fill('#204060');
    const client = await DesktopClient.open(server.url);
    await client.shows('#204060');
    await xvnc.fill('#a0b0c0');
    await client.shows('#a0b0c0');
    client.send([5, 0, 0, 30, 0, 40]);
    client.send([4, 1, 0, 0, 0, 0, 0, 0x61]);
    const { session } = ports.row();
    const seen = Buffer.from(client.screen.pixels);
    expect(await ended(client)).toMatchObject({
      success: true,
      reason: 'session_finished',
      replayState: 'finished',
    });
    const records = recordsOf(await readFile(recordingOf(session.id, session.dateStart).finished));
    const again = replayed(records);
    expect([again.width, again.height]).toEqual([320, 240]);
    expect(again.pixels.equals(seen)).toBe(true);
    const pointer = records.find(({ kind }) => kind === RECORD.pointer);
    expect([...(pointer?.bytes ?? [])]).toEqual([30, 0, 40, 0, 0]);
    const everything = Buffer.concat([
      ...client.received,
      await readFile(recordingOf(session.id, session.dateStart).finished),
    ]);
    for (const encoding of ['latin1', 'utf16le'] as const)
      expect(everything.includes(Buffer.from(xvnc.password, encoding))).toBe(false);
  });

  it('records keys only when the setting is on, and tells the page', async () => {
    const typeInto = async () => {
      const client = await DesktopClient.open(server.url);
      const { keys_recorded: areRecorded } = await client.wire.message('desktop');
      client.send([4, 1, 0, 0, 0, 0, 0, 0x61]);
      client.send([4, 0, 0, 0, 0, 0, 0, 0x61]);
      client.send([255, 0, 0, 1, 0, 0, 0, 0x42, 0, 0, 0, 0x30]);
      await xvnc.fill('#0a0b0c');
      await client.shows('#0a0b0c');
      const { session } = ports.row();
      await ended(client);
      const records = recordsOf(
        await readFile(recordingOf(session.id, session.dateStart).finished),
      );
      const start = JSON.parse(
        Buffer.from(records.find(({ kind }) => kind === RECORD.note)?.bytes ?? []).toString(),
      );
      return {
        areRecorded,
        isNoted: start.keys,
        keys: records.flatMap(({ kind, bytes }) => (kind === RECORD.key ? [readKey(bytes)] : [])),
      };
    };
    expect(await typeInto()).toEqual({ areRecorded: false, isNoted: undefined, keys: [] });
    await pointAt(xvnc.port);
    ports.limitValues = { ...ports.limitValues, recordsKeys: true };
    expect(await typeInto()).toEqual({
      areRecorded: true,
      isNoted: true,
      keys: [
        { kind: KEY_VALUE.keysym, isDown: true, value: 0x61 },
        { kind: KEY_VALUE.keysym, isDown: false, value: 0x61 },
        { kind: KEY_VALUE.keysym, isDown: true, value: 0x42 },
      ],
    });
  });

  it('sends a watcher the whole picture, changes and pointer, and disconnects one that sends input', async () => {
    await xvnc.fill('#112233');
    const client = await DesktopClient.open(server.url);
    await client.shows('#112233');
    const { id } = ports.row().session;
    const watcher = DesktopClient.watch(server.url, id);
    await watcher.shows('#112233');
    expect(watcher.screen.pixels.equals(client.screen.pixels)).toBe(true);
    await xvnc.fill('#445566');
    await watcher.shows('#445566');
    client.send([5, 1, 0, 12, 0, 13]);
    expect(await watcher.wire.message('pointer')).toMatchObject({ x: 12, y: 13 });
    watcher.send([4, 1, 0, 0, 0, 0, 0, 0x61]);
    await watcher.wire.until('the socket to close', () => watcher.wire.closeCode);
    expect(watcher.wire.closeCode).toBe(1008);
    const second = DesktopClient.watch(server.url, id);
    await second.shows('#445566');
    server.gateway.hub.terminate(id, 'Administrator');
    expect((await second.wire.message('closed')).code).toBe('session_finished');
    expect((await client.wire.message('closed')).code).toBe('session_terminated');
  });

  it('ends a desktop when its permission, its server, a limit or its recording ends', async () => {
    const expired = await DesktopClient.open(server.url);
    ports.grant = undefined;
    await server.gateway.hub.recheck();
    expect((await expired.wire.message('closed')).code).toBe('connect_expired');

    await pointAt(xvnc.port);
    const idle = await DesktopClient.open(server.url);
    server.gateway.hub.setLimits({ ...ports.limitValues, idleMinutes: 0.001 });
    expect((await idle.wire.message('closed')).code).toBe('session_idle');

    const other = await startXvnc();
    await pointAt(other.port);
    const lost = await DesktopClient.open(server.url);
    await lost.wire.message('desktop');
    other.kill();
    expect((await lost.wire.message('closed')).code).toMatch(/^connect_target_(closed|lost)$/);
    await other.stop();

    await pointAt(xvnc.port);
    const full = {
      ...ports,
      limits: { read: async () => ({ ...ports.limitValues, recordingBytes: 1000 }) },
    };
    await server.stop();
    server = await startGateway(full, directory, PERSON);
    const recorded = await DesktopClient.open(server.url);
    expect((await recorded.wire.message('closed')).code).toBe('session_recording_full');
    await recorded.wire.until('the end of the row', () => ports.row().end);
    await rm(directory, { recursive: true, force: true });
    await writeFile(directory, '');
    expect(await refusal()).toBe('session_recording_failed');
    await rm(directory);
  });
});

describe('a rejected server', () => {
  it('reports a wrong password, a server without a password, and a server of another protocol', async () => {
    ports.login = { username: '', password: 'wrong' };
    expect(await refusal()).toBe('connect_credentials');

    const open = await startXvnc({ securityTypes: 'None' });
    await pointAt(open.port);
    expect(await refusal()).toBe('connect_desktop_open');
    await open.stop();

    for (const [says, code] of [
      ['SSH-2.0-OpenSSH_9.2\r\n', 'connect_desktop_error'],
      ['RFB 002.000\n', 'connect_desktop_error'],
      ['RFB 003.008\n\u0001\u001e', 'connect_desktop_sign_in'],
      ['RFB 003.008\n\u0000', 'connect_desktop_busy'],
      ['RFB 003.003\n\u0000\u0000\u0000\u0001', 'connect_desktop_open'],
    ]) {
      device = await startDevice((socket) => socket.write(says ?? ''));
      await pointAt(device.port);
      expect([says, await refusal()]).toEqual([says, code]);
      await device.stop();
    }
  });

  it('reports a timeout when the server sends nothing', async () => {
    device = await startDevice(() => undefined);
    await pointAt(device.port);
    ports.limitValues = { ...ports.limitValues, connectSeconds: 0.2 };
    expect(await refusal()).toBe('connect_timeout');
  });
});

/** Builds a message with one rectangle of pixels in an encoding. */
const rectangle = (encoding: number, place: readonly number[], content: readonly number[] = []) => {
  const head = Buffer.alloc(16);
  head.writeUInt16BE(1, 2);
  for (const [index, value] of place.entries()) head.writeUInt16BE(value, 4 + index * 2);
  head.writeInt32BE(encoding, 12);
  return Buffer.concat([head, Buffer.from(content)]);
};

describe('a hostile server', () => {
  it.each([
    ['an unknown message', Buffer.from([99])],
    ['an encoding that nobody asked for', rectangle(50, [0, 0, 8, 8])],
    ['a rectangle outside of the desktop', rectangle(0, [60, 0, 8, 8])],
    ['more rectangles than pixels', rectangle(2, [0, 0, 8, 8], [0xff, 0xff, 0xff, 0xff])],
    ['compressed pixels that are too long', rectangle(16, [0, 0, 8, 8], [0x7f, 0xff, 0xff, 0xff])],
    ['a pointer of a huge size', rectangle(-239, [0, 0, 4000, 4000])],
    ['a desktop without pixels', rectangle(-223, [0, 0, 0, 0])],
    ['a desktop that is too large', rectangle(-223, [0, 0, 16_000, 16_000])],
    ['a fence that is too long', Buffer.from([248, 0, 0, 0, 0, 0, 0, 0, 255])],
    ['a text that is too long', Buffer.from([3, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff])],
    ['an unknown kind of Tight', rectangle(7, [0, 0, 8, 8], [0xf0])],
  ])('ends the session when the server sends %s', async (_name, bytes) => {
    await script((socket) => socket.write(bytes));
    const client = await DesktopClient.connect(server.url);
    expect((await client.wire.message('closed')).code).toBe('desktop_unknown_data');
    expect(ports.logged.join()).toContain('a desktop was ended by what one side sent');
  });

  it.each([
    ['a layout of the keyboard that is none', { keyboard: 'de' }],
    ['colors that are none', { colors: 24 }],
    ['a wish that is unknown', { color: 16 }],
  ])('closes the socket of a page that requests %s', async (_name, wish) => {
    const client = await DesktopClient.connect(server.url, {
      asset: 'a',
      system_user: 's',
      ...wish,
    });
    const [code] = await once(client.socket, 'close');
    expect(code).toBe(1007);
  });

  it('ends the session for an unknown page message, and drops a request to shut the machine down', async () => {
    const heard: Buffer[] = [];
    await script(
      () => undefined,
      (bytes) => heard.push(bytes),
    );
    const client = await DesktopClient.connect(server.url);
    await client.wire.message('open');
    // A pixel format change and a shutdown request, then a key to see that both were processed.
    client.send(
      Buffer.concat([
        Buffer.from([0, 0, 0, 0]),
        Buffer.alloc(16),
        Buffer.from([250, 0, 1, 2]),
        Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x62]),
      ]),
    );
    await client.wire.until('the key', () =>
      Buffer.concat(heard).includes(Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x62])) ? true : undefined,
    );
    expect(Buffer.concat(heard).length).toBe(20 + 8);
    client.send([77]);
    expect((await client.wire.message('closed')).code).toBe('desktop_wrong_input');
  });
});

describe('texts', () => {
  const fromServer = Buffer.concat([
    Buffer.from([3, 0, 0, 0, 0, 0, 0, 11]),
    Buffer.from('server text'),
  ]);
  const fromPage = Buffer.concat([Buffer.from([6, 0, 0, 0, 0, 0, 0, 9]), Buffer.from('page text')]);

  it.each([
    [[], false, false],
    [['clipboard_copy'], true, false],
    [['clipboard_paste'], false, true],
    [['all'], false, false],
  ] as const)(
    'passes clipboard text by the actions %j: from the desktop %s, to the desktop %s',
    async (actions, copies, pastes) => {
      const heard: Buffer[] = [];
      // The bell follows the text.
      await script(
        (socket) => socket.write(Buffer.concat([fromServer, Buffer.from([2])])),
        (bytes) => heard.push(bytes),
      );
      if (ports.grant)
        ports.grant = { ...ports.grant, actions: actionMask(['connect', ...actions]) };
      const client = await DesktopClient.connect(server.url);
      expect(await client.wire.message('clipboard')).toEqual({
        type: 'clipboard',
        copy: copies,
        paste: pastes,
      });
      const bytes = () => Buffer.concat(client.received);
      await client.wire.until('the bell', () =>
        client.received.some((one) => one.at(-1) === 2) ? true : undefined,
      );
      expect(bytes().includes('server text')).toBe(copies);
      client.send(Buffer.concat([fromPage, Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x62])]));
      await client.wire.until('the key', () =>
        Buffer.concat(heard).includes(Buffer.from([4, 1, 0, 0, 0, 0, 0, 0x62])) ? true : undefined,
      );
      expect(Buffer.concat(heard).includes('page text')).toBe(pastes);
      const { session } = ports.row();
      await ended(client);
      const recorded = recordsOf(
        await readFile(recordingOf(session.id, session.dateStart).finished),
      );
      expect(
        Buffer.concat(recorded.map((record) => Buffer.from(record.bytes))).includes('server text'),
      ).toBe(false);
    },
  );

  it('stops clipboard text when the permission changes, and keeps the session open', async () => {
    let target: Socket | undefined;
    await script((socket) => {
      target = socket;
    });
    if (ports.grant)
      ports.grant = { ...ports.grant, actions: actionMask(['connect', 'clipboard_copy']) };
    const client = await DesktopClient.connect(server.url);
    await client.wire.message('open');
    if (ports.grant) ports.grant = { ...ports.grant, actions: actionMask(['connect']) };
    await server.gateway.hub.recheck();
    target?.write(Buffer.concat([fromServer, Buffer.from([2])]));
    await client.wire.until('the bell', () =>
      client.received.some((one) => one.length === 1 && one[0] === 2) ? true : undefined,
    );
    expect(Buffer.concat(client.received).includes('server text')).toBe(false);
    expect(client.wire.messages.filter(({ type }) => type === 'clipboard')).toHaveLength(2);
  });
});

describe('a recording truncated by a crash', () => {
  it('recovers the whole blocks of a cut recording, and fails without a whole header', async () => {
    await xvnc.fill('#203040');
    const client = await DesktopClient.open(server.url);
    await client.shows('#203040');
    await xvnc.fill('#506070');
    await client.shows('#506070');
    const { session } = ports.row();
    await ended(client);
    const whole = await readFile(recordingOf(session.id, session.dateStart).finished);
    const startedAt = new Date('2026-02-03T04:05:06Z');
    const [torn, hole, headless] = [randomUUID(), randomUUID(), randomUUID()];
    const end = whole.lastIndexOf(Buffer.from('SDX1'));
    for (const [id, content] of [
      [torn, whole.subarray(0, end + 7)],
      [hole, Buffer.concat([whole.subarray(0, end - 9), Buffer.alloc(9)])],
      [headless, Buffer.from('{"format"')],
    ] as const) {
      await mkdir(recordingOf(id, startedAt).folder, { recursive: true });
      await writeFile(recordingOf(id, startedAt).running, content);
    }
    const recovered = await recoverRecordings(await openLocalRecordings(directory), ports.log);
    expect(Object.fromEntries(recovered.map(({ sessionId, state }) => [sessionId, state]))).toEqual(
      {
        [torn]: 'recovered',
        [hole]: 'recovered',
        [headless]: 'failed',
      },
    );
    expect(
      (await readFile(recordingOf(torn, startedAt).finished)).equals(whole.subarray(0, end)),
    ).toBe(true);
    expect((await readFile(recordingOf(hole, startedAt).finished)).length).toBeLessThan(end - 9);
    expect(
      replayed(recordsOf(await readFile(recordingOf(torn, startedAt).finished))).color(10, 10),
    ).toBe('#506070');
  });
});
