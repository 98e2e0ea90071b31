import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BadPdu } from './byte-reader.ts';
import { clientInfo, windowsAccount } from './client-info.ts';
import { withConsole } from './console.ts';
import { DriveFolder } from './drive/drive-folder.ts';
import { PduReader } from './framing.ts';
import type { PointerState, PressedKey } from './input.ts';
import { MCS, readChannelData, settingsOf, tpkt, writeChannelData } from './mcs.ts';
import { RdpRelay } from './relay.ts';
import type { RelayOptions } from './relay-options.ts';
import type { ScreenSize } from './settings.ts';
import { writeData } from './share.ts';
import {
  ATTACH_USER,
  click,
  confirmations,
  connectInitial,
  DUMMY,
  dummyInfo,
  ERECT_DOMAIN,
  joinRequest,
  pressKey,
  RdpPage,
} from './testing/rdp-page.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
/** Answers of xrdp 0.9.21: I/O channel 1003, channels 1004 to 1006, user 1007. */
const CONNECT_RESPONSE = hex(`
  0300006d02f0807f66630a0100020100301a020116020103020100020101020100020101020300fff80201020
  43f000500147c00012a14760a01010001c0004d63446e80280
  10c0c000400080003000000 030c1000eb030300ec03ed03ee030000 020c0c000000000000000000`);
const ATTACH_CONFIRM = hex('0300000b02f0802e000006');
const USER = 1007;
const IO = 1003;
const joined = (channel: number) =>
  Buffer.concat([
    hex('0300000f02f0803e000006'),
    Buffer.from([channel >> 8, channel & 255, channel >> 8, channel & 255]),
  ]);
const indication = (data: Buffer, channel = IO) =>
  writeChannelData(MCS.sendIndication, { initiator: 1, channel, data });
const DEMAND = hex(
  '2200 1100 ea03 ea030100 0400 1400 52445000 0100 0000 0100 0800 00000000 00000000',
);
const SHARE_OF = { shareId: 0x103ea, source: 1002 };
const FONT_MAP = writeData(40, SHARE_OF, hex('0000000003000400'));
const VALID_CLIENT = hex('80000000 ff021000 07000000 02000000 28140000');
const PASSWORD = 'the password of the vault';

const NO_FILES = {
  begin: () => ({ add: () => undefined, end: () => undefined }),
  refused: () => undefined,
};

interface Rig {
  readonly relay: RdpRelay;
  readonly toServer: Buffer[];
  readonly toBrowser: Buffer[];
  readonly pictures: Buffer[];
  readonly pointers: (PointerState | undefined)[];
  readonly keys: PressedKey[];
  readonly sizes: ScreenSize[];
}

function rig(
  clipboard = { copy: true, paste: true },
  more: Partial<Pick<RelayOptions, 'drive' | 'isConsole'>> = {},
): Rig {
  const keys: PressedKey[] = [];
  const sizes: ScreenSize[] = [];
  const [toServer, toBrowser, pictures, pointers]: [
    Buffer[],
    Buffer[],
    Buffer[],
    (PointerState | undefined)[],
  ] = [[], [], [], []];
  const relay = new RdpRelay(
    {
      protocol: 2,
      size: { width: 800, height: 600 },
      colors: 32,
      keyboardLayout: 0x407,
      passes: { texts: clipboard, files: { upload: false, download: false } },
      fileLimits: { files: 0, bytes: 0 },
      clientInfo: clientInfo(windowsAccount('CORP\\li.wei', PASSWORD)),
      ...more,
    },
    {
      toServer: (pdu) => toServer.push(pdu),
      toBrowser: (pdu) => toBrowser.push(pdu),
      picture: (pdu) => pictures.push(pdu),
      input: ({ pointer, keys: pressed }) => {
        pointers.push(pointer);
        keys.push(...pressed);
      },
      files: () => undefined,
      uploads: NO_FILES,
      downloads: NO_FILES,
      resizable: () => undefined,
      resized: (size) => sizes.push(size),
      goodbye: () => undefined,
      endReason: () => undefined,
    },
  );
  return { relay, toServer, toBrowser, pictures, pointers, keys, sizes };
}

/** PDUs of a connection's start, with their sender. */
const STEPS: readonly (readonly ['fromBrowser' | 'fromServer', Buffer])[] = [
  ['fromBrowser', connectInitial()],
  ['fromServer', CONNECT_RESPONSE],
  ['fromBrowser', ERECT_DOMAIN],
  ['fromBrowser', ATTACH_USER],
  ['fromServer', ATTACH_CONFIRM],
  ...[USER, IO, 1004, 1005, 1006].flatMap((channel) => [
    ['fromBrowser', joinRequest(USER, channel)] as const,
    ['fromServer', joined(channel)] as const,
  ]),
  ['fromBrowser', dummyInfo(USER, IO)],
  ['fromServer', indication(VALID_CLIENT)],
  ['fromServer', indication(DEMAND)],
  ...confirmations(USER, IO, SHARE_OF.shareId).map((pdu) => ['fromBrowser', pdu] as const),
  ['fromServer', indication(FONT_MAP)],
];

function active(clipboard?: { copy: boolean; paste: boolean }): Rig {
  const setup = rig(clipboard);
  for (const [from, pdu] of STEPS) setup.relay[from](Buffer.from(pdu));
  return setup;
}

it("replaces the page's settings by those of the gateway, and disables channels other than those of clipboard and size", () => {
  const { toServer } = active();
  const [core, security, net] = settingsOf(
    (toServer[0] ?? Buffer.alloc(0)).subarray(7),
    'Duca',
  ).map(({ bytes }) => bytes);
  expect([
    core?.readUInt16LE(8),
    core?.readUInt16LE(10),
    core?.readUInt32LE(16),
    core?.readUInt32LE(212),
  ]).toEqual([800, 600, 0x407, 2]);
  expect([core?.readUInt16LE(140), core?.readUInt16LE(144)]).toEqual([24, 3]);
  expect(security?.subarray(4).every((byte) => byte === 0)).toBe(true);
  expect(
    net
      ?.toString('latin1')
      .replace(/[^a-z0-9]+/g, ' ')
      .trim(),
  ).toBe('cliprdr off1 drdynvc');
});

it("requests the console if the platform wants it, with and without a session in the page's settings", () => {
  const sent = settingsOf(connectInitial().subarray(7), 'Duca');
  for (const sessionBlocks of [[], [hex('04c00c00 15000000 07000000')]]) {
    const rewritten = settingsOf(
      withConsole(Buffer.from(connectInitial(sessionBlocks).subarray(7))),
      'Duca',
    );
    expect(rewritten.map(({ kind }) => kind)).toEqual([...sent.map(({ kind }) => kind), 0xc004]);
    expect(rewritten.at(-1)?.bytes).toEqual(hex('04c00c00 0f000000 00000000'));
    expect(rewritten.slice(0, -1)).toEqual(sent);
    // All enclosing lengths have grown.
    expect(connectInitial([hex('04c00c00 0f000000 00000000')]).subarray(7)).toEqual(
      withConsole(Buffer.from(connectInitial(sessionBlocks).subarray(7))),
    );
  }
  expect(() => withConsole(Buffer.from('Duca'))).toThrow(BadPdu);
});

it("replaces the page's Client Info completely, and hides the secret from the page", () => {
  const { toServer, toBrowser, pictures } = active();
  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  const all = Buffer.concat(toServer);
  for (const text of ['CORP', 'li.wei', PASSWORD]) expect(all.includes(utf16(text))).toBe(true);
  expect(all.includes(utf16(DUMMY))).toBe(false);
  for (const bytes of [Buffer.concat(toBrowser), Buffer.concat(pictures)]) {
    expect(bytes.includes(utf16(PASSWORD))).toBe(false);
    expect(bytes.includes(PASSWORD)).toBe(false);
  }
  const info = toServer.map((pdu) => pdu.subarray(7)).find((mcs) => mcs[0] === MCS.sendRequest);
  expect(info && readChannelData(info).data.readUInt16LE(0)).toBe(0x40);
  expect(info && readChannelData(info).data.readUInt32LE(8) & 0x80).toBe(0);
});

it('forwards no data of a page before its Client Info was replaced', () => {
  const { relay, toServer } = rig();
  for (const [from, pdu] of STEPS.slice(0, 15)) relay[from](Buffer.from(pdu));
  const before = toServer.length;
  expect(() =>
    relay.fromBrowser(
      writeChannelData(MCS.sendRequest, {
        initiator: 6,
        channel: IO,
        data: hex('0000000011223344'),
      }),
    ),
  ).toThrow(BadPdu);
  expect(() => relay.fromBrowser(pressKey(30))).toThrow(BadPdu);
  expect(toServer.length).toBe(before);
});

it('leaves bitmaps as the only drawing capability of a page', () => {
  const { toServer } = active();
  const confirm = toServer
    .map((pdu) => pdu.subarray(7))
    .filter((mcs) => mcs[0] === MCS.sendRequest)[1];
  const data = confirm ? readChannelData(confirm).data : Buffer.alloc(0);
  expect(data.readUInt16LE(0)).toBe(data.length);
  const count = data.readUInt16LE(16 + data.readUInt16LE(12));
  const kinds: number[] = [];
  for (let at = 20 + data.readUInt16LE(12); at < data.length; at += data.readUInt16LE(at + 2))
    kinds.push(data.readUInt16LE(at));
  expect(kinds).toEqual([1, 2, 3, 8, 13]);
  expect(count).toBe(kinds.length);
});

it('drops auto-reconnect cookies and notifications, and ends the session on redirection', () => {
  const { relay, toBrowser } = active();
  const before = toBrowser.length;
  relay.fromServer(indication(writeData(38, SHARE_OF, Buffer.alloc(600, 7))));
  relay.fromServer(
    indication(
      Buffer.concat([
        writeData(41, SHARE_OF, Buffer.alloc(4)),
        writeData(54, SHARE_OF, Buffer.alloc(4)),
      ]),
    ),
  );
  expect(toBrowser.length).toBe(before);
  relay.fromServer(indication(writeData(47, SHARE_OF, hex('0c000000'))));
  expect(toBrowser.length).toBe(before + 1);
  expect(() => relay.fromServer(indication(hex('0a001a00ea0300000000')))).toThrow(BadPdu);
  expect(() => relay.fromServer(indication(writeData(99, SHARE_OF, Buffer.alloc(4))))).toThrow(
    BadPdu,
  );
});

it('converts slow-path, fragmented and pointer updates to single ones, and starts watchers with the setup PDUs', () => {
  const { relay, toBrowser, pictures } = active();
  const bitmap = hex('0100 0100 0000 0000 0100 0000 0200 0100 1000 0104 0300 6100f8');
  const from = toBrowser.length;
  relay.fromServer(indication(writeData(2, SHARE_OF, bitmap)));
  relay.fromServer(Buffer.concat([Buffer.from([0, 15, 0x21, 10, 0]), bitmap.subarray(0, 10)]));
  const last = bitmap.subarray(10);
  relay.fromServer(Buffer.concat([Buffer.from([0, 5 + last.length, 0x11, last.length, 0]), last]));
  relay.fromServer(indication(writeData(27, SHARE_OF, hex('0100 0000 00000000'))));
  const expected = Buffer.concat([
    Buffer.from([0, 0x80, 6 + bitmap.length, 1, bitmap.length, 0]),
    bitmap,
  ]);
  expect(toBrowser.slice(from)).toEqual([expected, expected, hex('00 8006 05 0000')]);
  expect(pictures.slice(-3)).toEqual(toBrowser.slice(from));
  const beginning = relay.beginning();
  expect(beginning.map((pdu) => pdu[7])).toEqual([
    MCS.connect,
    MCS.attachConfirm,
    MCS.sendIndication,
    MCS.sendIndication,
  ]);
});

it('requests the full picture again', () => {
  const { relay, toServer } = active();
  relay.refresh();
  const data = readChannelData((toServer.at(-1) ?? Buffer.alloc(0)).subarray(7)).data;
  expect(data.subarray(18).toString('hex')).toBe(
    hex('01000000 0000 0000 1f03 5702').toString('hex'),
  );
});

it('forwards input, reports pointer and keys, and rejects unknown events', () => {
  const { relay, toServer, pointers, keys } = active();
  relay.fromBrowser(pressKey(30));
  relay.fromBrowser(click(10, 20));
  expect(toServer.slice(-2)).toEqual([pressKey(30), click(10, 20)]);
  expect(pointers).toEqual([undefined, { x: 10, y: 20, buttons: 0 }]);
  // Two events in one PDU: release of an extended key, and a character.
  relay.fromBrowser(hex('08 07 03 53 80 e900'));
  expect(keys).toEqual([
    { kind: 'scanCode', isDown: true, value: 30 },
    { kind: 'scanCode', isDown: false, value: 30 },
    { kind: 'scanCode', isDown: false, value: 0xe053 },
    { kind: 'character', isDown: true, value: 0xe9 },
  ]);
  for (const wrong of ['04 04 e0 00', '04 05 0000 00', '44 04 001e', '08 04 001e'])
    expect(() => active().relay.fromBrowser(hex(wrong))).toThrow(BadPdu);
});

/** A clipboard message as one chunk. */
function clip(kind: number, flags: number, body: string): Buffer {
  const content = hex(body);
  const message = Buffer.alloc(8);
  message.writeUInt16LE(kind, 0);
  message.writeUInt16LE(flags, 2);
  message.writeUInt32LE(content.length, 4);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(8 + content.length, 0);
  head.writeUInt32LE(3, 4);
  return Buffer.concat([head, message, content]);
}
const FORMATS = '0d000000 0000 08c00000 660069006c00650000 00 11000000 0000'.replaceAll(' ', '');
const TEXT_ONLY = '0d0000000000';

it.each([
  { copy: true, paste: true },
  { copy: true, paste: false },
  { copy: false, paste: true },
  { copy: false, paste: false },
])(
  'passes only texts through the clipboard, by right: $copy out of the desktop, $paste into it',
  (rights) => {
    const { relay, toServer, toBrowser } = active(rights);
    const fromPage = (message: Buffer) =>
      relay.fromBrowser(
        writeChannelData(MCS.sendRequest, { initiator: 6, channel: 1004, data: message }),
      );
    const fromServer = (message: Buffer) => relay.fromServer(indication(message, 1004));
    const last = (list: readonly Buffer[]) =>
      readChannelData((list.at(-1) ?? Buffer.alloc(0)).subarray(7))
        .data.subarray(8)
        .toString('hex');
    const plain = (message: Buffer) => message.subarray(8).toString('hex');

    fromServer(clip(2, 0, FORMATS));
    if (rights.copy) expect(last(toBrowser)).toBe(plain(clip(2, 0, TEXT_ONLY)));
    else expect(last(toServer)).toBe(plain(clip(3, 1, '')));
    fromPage(clip(4, 0, '0d000000'));
    if (rights.copy) expect(last(toServer)).toBe(plain(clip(4, 0, '0d000000')));
    else expect(last(toBrowser)).toBe(plain(clip(5, 2, '')));
    const beforeAnswer = toBrowser.length;
    fromServer(clip(5, 1, '61000000'));
    // Without the right the request was not forwarded, so this answer is dropped.
    if (rights.copy) expect(last(toBrowser)).toBe(plain(clip(5, 1, '61000000')));
    else expect(toBrowser.length).toBe(beforeAnswer);

    fromPage(clip(2, 0, FORMATS));
    expect(last(toServer)).toBe(plain(clip(2, 0, rights.paste ? TEXT_ONLY : '')));
    fromServer(clip(4, 0, '0d000000'));
    if (rights.paste) expect(last(toBrowser)).toBe(plain(clip(4, 0, '0d000000')));
    else expect(last(toServer)).toBe(plain(clip(5, 2, '')));
    const beforePaste = toServer.length;
    fromPage(clip(5, 1, '62000000'));
    if (rights.paste) expect(last(toServer)).toBe(plain(clip(5, 1, '62000000')));
    else expect(toServer.length).toBe(beforePaste);

    // Requests for file contents and for pictures fail.
    const before = toServer.length;
    fromPage(clip(8, 0, '07000000 00000000 02000000 00000000 00000000 10000000'));
    expect(toServer.length).toBe(before);
    expect(last(toBrowser)).toBe(plain(clip(9, 2, '07000000')));
    fromServer(clip(4, 0, '08000000'));
    expect(last(toServer)).toBe(plain(clip(5, 2, '')));
  },
);

it('drops data of channels other than the clipboard, and ends the session for unknown channels', () => {
  const { relay, toServer, toBrowser } = active();
  const before = [toServer.length, toBrowser.length];
  relay.fromServer(indication(hex('0800000003000000'), 1005));
  relay.fromBrowser(
    writeChannelData(MCS.sendRequest, {
      initiator: 6,
      channel: 1005,
      data: hex('0800000003000000'),
    }),
  );
  expect([toServer.length, toBrowser.length]).toEqual(before);
  expect(() => relay.fromServer(indication(hex('0800000003000000'), 1010))).toThrow(BadPdu);
  expect(() => active().relay.fromBrowser(joinRequest(USER, 1010))).toThrow(BadPdu);
});

it('ends the session on a clipboard message with a wrong or excessive length', () => {
  const data = (total: number, flags: number, body: Buffer) =>
    Buffer.concat([hex('00000000'), hex('00000000'), body])
      .fill(flags, 4, 5)
      .fill(total & 255, 0, 1);
  expect(() => active().relay.fromServer(indication(data(4, 1, Buffer.alloc(9)), 1004))).toThrow(
    BadPdu,
  );
  expect(() => active().relay.fromServer(indication(data(9, 0, Buffer.alloc(2)), 1004))).toThrow(
    BadPdu,
  );
  const long = data(0, 1, Buffer.alloc(4));
  long.writeUInt32LE(100_000_000, 0);
  expect(() => active().relay.fromServer(indication(long, 1004))).toThrow(BadPdu);
});

it(
  'throws only BadPdu on random input of page or server at any point',
  () => {
    const steps = fc.nat({ max: STEPS.length });
    const bytes = fc.uint8Array({ maxLength: 60 });
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom('fromBrowser' as const, 'fromServer' as const),
        fc.nat({ max: STEPS.length - 1 }),
        fc.nat({ max: 500 }),
        bytes,
        (count, from, sample, at, piece) => {
          const { relay } = rig();
          for (const [side, pdu] of STEPS.slice(0, count)) relay[side](Buffer.from(pdu));
          const pdu = Buffer.from(STEPS[sample]?.[1] ?? Buffer.alloc(9));
          Buffer.from(piece).copy(pdu, Math.min(at, pdu.length - 1));
          try {
            for (const whole of new PduReader().push(pdu)) relay[from](whole);
          } catch (error) {
            if (!(error instanceof BadPdu)) throw error;
          }
        },
      ),
      runs(3000),
    );
  },
  limitOf(60_000),
);

it('splits a stream into PDUs for any chunk size', () => {
  const stream = Buffer.concat([...STEPS.map(([, pdu]) => pdu), pressKey(30), click(1, 2)]);
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 400 }),
      (sizes) => {
        const reader = new PduReader();
        const pdus: Buffer[] = [];
        let at = 0;
        for (let turn = 0; at < stream.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          pdus.push(...reader.push(stream.subarray(at, at + size)));
          at += size;
        }
        expect(pdus.length).toBe(STEPS.length + 2);
        expect(Buffer.concat(pdus).equals(stream)).toBe(true);
        expect(reader.waiting).toBe(0);
      },
    ),
    runs(),
  );
  expect(() => new PduReader().push(hex('01'))).toThrow(BadPdu);
  expect(() => new PduReader().push(hex('03000002'))).toThrow(BadPdu);
  expect(() => new PduReader().push(hex('0001'))).toThrow(BadPdu);
});

it('completes the connection of a test page', () => {
  const page = new RdpPage(() => undefined);
  for (const [from, pdu] of STEPS) if (from === 'fromServer') page.take(pdu);
  expect(page.isReady).toBe(true);
});

/** A piece of the channel of dynamic channels. */
const dynamic = (content: string) => {
  const message = hex(content);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(message.length, 0);
  head.writeUInt32LE(3, 4);
  return indication(Buffer.concat([head, message]), 1006);
};
const DISPLAY = Buffer.from('Microsoft::Windows::RDS::DisplayControl\0').toString('hex');
const GRAPHICS = Buffer.from('Microsoft::Windows::RDS::Graphics\0').toString('hex');
/** A Demand Active with the bitmap capability of a desktop of 1024 by 700. */
const LARGER = hex(
  '3200 1100 ea03 ea030100 0400 2400 52445000 0100 0000 0200 1c00 2000 0100 0100 0100 0004 bc02 0000 0100 0100 0000 0100 0000',
);
const sentOn = ({ toServer }: Rig, channel: number) =>
  toServer
    .filter((pdu) => pdu[0] === 3 && pdu[7] === MCS.sendRequest)
    .map((pdu) => readChannelData(pdu.subarray(7)))
    .filter((data) => data.channel === channel)
    .map(({ data }) => data.subarray(8).toString('hex'));

it('asks for another size over display control alone, and follows the size of the server', () => {
  const setup = active();
  const { relay, sizes, pictures } = setup;
  relay.resize({ width: 1024, height: 700 });
  expect(sentOn(setup, 1006)).toEqual([]);
  relay.fromServer(dynamic('58000300 3333 1111 3d0a a704'.replaceAll(' ', '')));
  relay.fromServer(dynamic(`1105 00 ${GRAPHICS}`));
  relay.fromServer(dynamic(`1007 ${DISPLAY}`));
  relay.fromServer(dynamic('3007 05000000 14000000 01000000 00200000 00200000'));
  relay.resize({ width: 800, height: 600 });
  relay.resize({ width: 1024, height: 700 });
  expect(sentOn(setup, 1006)).toEqual([
    '50000200',
    '1205000000010000c0',
    '120700000000000000',
    '3207000000020000003800000028000000010000000100000000000000000000000004000' +
      '0bc0200000f010000b9000000000000006400000064000000',
  ]);
  // The window has its former size again before the server has answered.
  relay.resize({ width: 800, height: 600 });
  relay.resize({ width: 800, height: 600 });
  relay.resize({ width: 1024, height: 700 });
  const widths = sentOn(setup, 1006).map((message) => message.slice(66, 74));
  expect(widths.slice(3)).toEqual(['00040000', '20030000', '00040000']);
  const before = pictures.length;
  relay.fromServer(indication(hex('0600 1600 ea03')));
  relay.fromServer(indication(LARGER));
  expect(sizes).toEqual([{ width: 1024, height: 700 }]);
  relay.fromServer(indication(FONT_MAP));
  // Recording and watchers see all three messages.
  expect(pictures.length).toBe(before + 3);
  relay.refresh();
  expect(setup.toServer.at(-1)?.subarray(-4)).toEqual(hex('ff03 bb02'));
});

it('begins later shares with the server, and gives the page the last one when it is ready', () => {
  const { relay, toServer, toBrowser, pictures } = active();
  const bitmap = hex('0100 0100 0000 0000 0100 0000 0200 0100 1000 0104 0300 6100f8');
  const picture = indication(writeData(2, SHARE_OF, bitmap));
  const pointer = hex('00 8006 05 0000');
  const [sentBefore, shown, recorded] = [toServer.length, toBrowser.length, pictures.length];
  const sent = () => toServer.slice(sentBefore).map((pdu) => readChannelData(pdu.subarray(7)).data);
  const kinds = (pdus: readonly Buffer[]) =>
    pdus.map((pdu) =>
      pdu[0] === 3 ? readChannelData(pdu.subarray(7)).data.readUInt16LE(2) & 15 : 'pointer',
    );
  relay.fromServer(indication(hex('0600 1600 ea03')));
  for (const pdu of [pointer, picture]) relay.fromServer(pdu);
  // Two in a row, as xrdp begins them.
  for (const share of [DEMAND, LARGER]) relay.fromServer(indication(share));
  expect(kinds(toServer.slice(sentBefore))).toEqual([3, 7, 7, 7, 7, 3, 7, 7, 7, 7]);
  expect(sent()[5]?.readUInt32LE(6)).toBe(0x103ea);
  expect(sent()[5]?.includes(hex('0004 bc02'))).toBe(true);
  relay.fromServer(picture);
  expect(toBrowser.length).toBe(shown);
  for (const map of [FONT_MAP, FONT_MAP]) relay.fromServer(indication(map));
  expect(kinds(toBrowser.slice(shown))).toEqual([6, 1, 7, 'pointer']);
  expect(pictures.slice(recorded)).toEqual(toBrowser.slice(shown));
  expect(sent().length).toBe(11);
  expect(sent()[10]?.subarray(-4)).toEqual(hex('ff03 bb02'));
  // The answers of the page are dropped once.
  for (const pdu of confirmations(USER, IO, SHARE_OF.shareId)) relay.fromBrowser(pdu);
  expect(sent().length).toBe(11);
  relay.fromServer(picture);
  expect(toBrowser.length).toBe(shown + 5);
});

it('drops what the page says on dynamic channels, and refuses what is too long', () => {
  const setup = active();
  setup.relay.fromBrowser(
    writeChannelData(MCS.sendRequest, { initiator: USER - 1001, channel: 1006, data: hex('00') }),
  );
  expect(sentOn(setup, 1006)).toEqual([]);
  const long = Buffer.alloc(8);
  long.writeUInt32LE(1_000_000, 0);
  long.writeUInt32LE(1, 4);
  expect(() => setup.relay.fromServer(indication(long, 1006))).toThrow(BadPdu);
});

it('survives any message on dynamic channels', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 })), (messages) => {
      const setup = active();
      try {
        for (const message of messages)
          setup.relay.fromServer(dynamic(Buffer.from(message).toString('hex')));
        setup.relay.resize({ width: 640, height: 480 });
      } catch (error) {
        if (!(error instanceof BadPdu)) throw error;
      }
    }),
    runs(60),
  );
});

it('ends a server that confirms a channel without its number', () => {
  const { relay } = rig();
  for (const [from, pdu] of STEPS.slice(0, 5)) relay[from](Buffer.from(pdu));
  for (const confirmation of ['3e', '3e00', '3e000006', '3e00000603'])
    expect(() => relay.fromServer(tpkt(hex(confirmation))), confirmation).toThrow(BadPdu);
});

it('adds the channel of the drive, which the page neither sees nor reaches', () => {
  const folder = new DriveFolder('/nonexistent/drive', {
    ...{ bytes: 1000, entries: 10, freeBytes: async () => 1000 },
  });
  const nothing = () => undefined;
  const ready = async () => undefined;
  const drive = { folder, ready, accepted: nothing, changed: nothing, failed: nothing };
  const { relay, toServer, toBrowser } = rig(undefined, { drive, isConsole: true });
  const [own, sound] = [1008, 1009];
  // The same with two channels more.
  const response = hex(`
    0300007102f0807f66670a0100020100301a020116020103020100020101020100020101020300fff80201020
    443000500147c00012e14760a01010001c0004d63446e802c0
    10c0c000400080003000000 030c1400eb030500ec03ed03ee03f003f1030000 020c0c000000000000000000`);
  for (const [from, pdu] of STEPS) {
    relay[from](Buffer.from(pdu === CONNECT_RESPONSE ? response : pdu));
    if (pdu === ATTACH_CONFIRM)
      for (const channel of [own, sound]) relay.fromServer(joined(channel));
  }
  const request = settingsOf((toServer[0] ?? response).subarray(7), 'Duca');
  expect(request.map(({ kind }) => kind)).toEqual([0xc001, 0xc002, 0xc003, 0xc004]);
  expect(request[2]?.bytes.readUInt32LE(4)).toBe(5);
  expect(request[2]?.bytes.toString('latin1').match(/[a-z0-9]{4,}/g)).toEqual([
    // Windows begins no drive for a client without sound.
    ...['cliprdr', 'off1', 'drdynvc', 'rdpdr', 'rdpsnd'],
  ]);
  const answer = settingsOf((toBrowser[0] ?? response).subarray(7), 'McDn');
  expect(answer.find(({ kind }) => kind === 0x0c03)?.bytes.readUInt16LE(6)).toBe(3);
  for (const channel of [own, sound]) {
    expect(toServer.filter((pdu) => pdu.equals(joinRequest(USER, channel)))).toHaveLength(1);
    expect(toBrowser.some((pdu) => pdu.equals(joined(channel)))).toBe(false);
  }

  const before = [toServer.length, toBrowser.length];
  relay.fromServer(indication(hex('0400000003000000 07000000'), sound));
  expect([toServer.length, toBrowser.length]).toEqual(before);
  relay.fromServer(indication(hex('0c000000 03000000 7244 6e49 0100 0c00 01000000'), own));
  expect([toServer.length, toBrowser.length]).toEqual([(before[0] ?? 0) + 2, before[1]]);
  const data = { initiator: USER - 1001, channel: own, data: hex('0000000003000000') };
  expect(() => relay.fromBrowser(writeChannelData(MCS.sendRequest, data))).toThrow(BadPdu);
});
