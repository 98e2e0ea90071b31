import { createHash } from 'node:crypto';
import type { Problem } from '@sallyport/contract';
import {
  CANCEL,
  ENDS,
  encodeData,
  encodeHeader,
  type Format,
  TYPES,
} from '@sallyport/contract/zmodem/frames.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileRecord } from '../../../ports/records.ts';
import { FileTransfers } from '../../file-transfers.ts';
import { ZmodemRelay } from './zmodem-relay.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** As lrzsz 0.12.21 wrote them. */
const READY = '**\x18B0100000023be50\r\x8a\x11';
const SENDS = '**\x18B00000000000000\r\x8a\x11';

const header = (type: number, value = 0, format: Format = 'hexadecimal') =>
  Buffer.from(encodeHeader({ format, type, value })).toString('latin1');
const data = (content: string, end: number = ENDS.frame, is32 = true) =>
  Buffer.from(encodeData(Buffer.from(content, 'latin1'), end, is32)).toString('latin1');
const file = (name: string, size: number) =>
  header(TYPES.file, 0, 'binary32') + data(`${name}\0${size} 0 0`, ENDS.frameAnswer);
const content = (text: string, at = 0) => header(TYPES.data, at, 'binary32') + data(text);
const endOfFile = (size: number) => header(TYPES.endOfFile, size, 'binary32');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const CANCELLED = Buffer.from(CANCEL).toString('latin1');

function open(options: { readonly refusal?: Problem; readonly isSeparate?: boolean } = {}) {
  const got = { target: '', client: '', screen: '', seen: '', keys: '' };
  const records: FileRecord[] = [];
  const lines: string[] = [];
  const state = { refusal: options.refusal };
  const relay = new ZmodemRelay({
    language: 'en',
    charset: 'utf8',
    log: new FileTransfers({
      pathOf: (name) => name,
      write: async (record) => void records.push(record),
    }),
    refusal: () => state.refusal,
    isSeparate: options.isSeparate ?? false,
    toTarget: (bytes) => {
      got.target += bytes.toString('latin1');
    },
    toClient: (bytes) => {
      got.client += bytes.toString('latin1');
    },
    text: (bytes) => {
      got.screen += bytes.toString('latin1');
    },
    seenText: (bytes) => {
      got.seen += bytes.toString('latin1');
    },
    keys: (bytes) => {
      got.keys += bytes.toString('latin1');
    },
    show: (line) => void lines.push(line),
    changed: () => undefined,
  });
  const pieces = (text: string, length: number, take: (piece: Buffer) => void) => {
    const bytes = Buffer.from(text, 'latin1');
    for (let at = 0; at < bytes.length; at += length) take(bytes.subarray(at, at + length));
  };
  return {
    relay,
    got,
    records,
    lines,
    state,
    target: (text: string, length = 1 << 20) =>
      pieces(text, length, (piece) => relay.fromTarget(piece)),
    client: (text: string, length = 1 << 20) =>
      pieces(text, length, (piece) => {
        if (relay.takesInput) relay.fromClient(piece);
        else got.keys += piece.toString('latin1');
      }),
  };
}

/** An upload as far as its first bytes. */
function uploading() {
  const rig = open();
  rig.target(`rz waiting to receive.${READY}`);
  rig.client(`rz\r${SENDS}`);
  rig.target(READY);
  rig.client(file('a.txt', 10));
  rig.target(header(TYPES.position));
  rig.client(content('01234'));
  return rig;
}

describe('an upload', () => {
  it.each([1, 2, 3, 5, 1000])(
    'passes, is logged and not shown, in pieces of %i bytes',
    (length) => {
      const rig = open();
      rig.target(`rz waiting to receive.${READY}`, length);
      rig.client(`rz\r${SENDS}`, length);
      rig.target(READY, length);
      rig.client(file('a.txt', 10), length);
      rig.target(header(TYPES.position), length);
      rig.client(content('line\rline\n') + endOfFile(10), length);
      rig.target(READY, length);
      rig.client(header(TYPES.finish), length);
      rig.target(`${header(TYPES.finish)}\r\nready> `, length);
      rig.client('OO', length);
      rig.client('ls\r', length);
      expect(rig.records).toEqual([
        { operation: 'upload', path: 'a.txt', size: 10, sha256: sha256('line\rline\n') },
      ]);
      expect(rig.lines).toEqual(['[file uploaded: a.txt, 10 bytes]']);
      // Two pads may have been shown before the rest of the header came.
      expect(rig.got.screen.replaceAll('*', '')).toBe('rz waiting to receive.\r\nready> ');
      expect(rig.got.keys).toBe('ls\r');
    },
  );

  it('gives the target no control character except the escape', () => {
    const rig = uploading();
    rig.client(content('\r\n\x04\x0f\x03rm -rf /\r', 5) + endOfFile(15));
    rig.target(READY);
    rig.client(header(TYPES.finish));
    rig.target(header(TYPES.finish));
    expect(rig.got.target).toContain('rm -rf /');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are tested
    expect(rig.got.target).not.toMatch(/[\x00-\x17\x19-\x1f\x80-\x9f]/);
    expect(rig.got.target.endsWith('OO')).toBe(true);
  });

  it('ends when a shell reads instead of the program, and types nothing', () => {
    const rig = uploading();
    rig.target('bash: 01234: command not found\r\nready> ');
    rig.client(content('56789', 5));
    expect(rig.got.screen).toContain('command not found\r\nready> ');
    expect(rig.got.client.endsWith(CANCELLED)).toBe(true);
    expect(rig.got.target).not.toContain('56789');
    expect(rig.got.keys).toBe('');
    expect(rig.records).toMatchObject([{ path: 'a.txt', size: 5, reason: 'file_incomplete' }]);
    vi.advanceTimersByTime(1900);
    rig.client(content('56789', 5));
    vi.advanceTimersByTime(200);
    rig.client(content('56789', 5));
    rig.client('ls\r');
    expect(rig.got.keys).toBe('ls\r');
  });

  it.each([
    ['typed text', 'ls\r'],
    ['a broken frame', '**\x18B0900000000a87d\r\x8a'],
    ['a command for the target', header(18)],
    ['an answer of the other side', header(TYPES.position)],
  ])('cancels both ends after %s', (_, input) => {
    const rig = uploading();
    rig.client(input);
    expect(rig.got.target.endsWith(CANCELLED)).toBe(true);
    expect(rig.got.client.endsWith(CANCELLED)).toBe(true);
    expect(rig.got.keys).toBe('');
    expect(rig.records).toMatchObject([{ path: 'a.txt', reason: 'file_incomplete' }]);
  });

  it('rejects content for which the target has not asked', () => {
    const rig = open();
    rig.target(READY);
    rig.client(file('a.txt', 10));
    rig.client(content('01234'));
    expect(rig.got.target.endsWith(CANCELLED)).toBe(true);
    expect(rig.records).toEqual([]);
  });

  it('answers for the target to a text that would interrupt the sender', () => {
    const rig = open();
    rig.target(READY);
    rig.client(header(TYPES.senderInit) + data('rm -rf /\r\0', ENDS.frameAnswer, false));
    expect(rig.got.client).toContain(header(TYPES.ack, 1));
    expect(rig.got.target).toBe('');
  });

  it('removes control characters from names', () => {
    const rig = open();
    rig.target(READY);
    rig.client(file('a\r\n\x1b[2Jb', 1));
    rig.target(header(TYPES.position));
    rig.client(content('1') + endOfFile(1));
    rig.target(READY);
    expect(rig.records).toMatchObject([{ path: 'a___[2Jb', size: 1 }]);
  });

  it('logs a file that the target skips', () => {
    const rig = open();
    rig.target(READY);
    rig.client(file('a.txt', 10));
    rig.target(header(TYPES.skip));
    rig.client(file('b.txt', 1));
    rig.target(header(TYPES.position));
    rig.client(content('1') + endOfFile(1));
    rig.target(READY);
    expect(rig.records).toMatchObject([
      { path: 'a.txt', reason: 'file_incomplete' },
      { path: 'b.txt', size: 1 },
    ]);
  });

  it('has no digest after bytes that were sent twice', () => {
    const rig = uploading();
    rig.target(header(TYPES.position, 2));
    rig.client(content('23456789', 2) + endOfFile(10));
    rig.target(READY);
    expect(rig.records).toEqual([
      { operation: 'upload', path: 'a.txt', size: 13, sha256: undefined },
    ]);
  });
});

describe('a download', () => {
  /** A download as far as its first bytes. */
  const downloading = () => {
    const rig = open();
    rig.target(`rz\r${SENDS}`);
    rig.client(READY);
    rig.target(file('a.txt', 10));
    rig.client(header(TYPES.position));
    rig.target(content('01234'));
    return rig;
  };

  it.each([1, 2, 3, 5, 1000])(
    'passes, is logged and not shown, in pieces of %i bytes',
    (length) => {
      const rig = open();
      rig.target(`rz\r${SENDS}`, length);
      rig.client(READY, length);
      rig.target(file('a.txt', 10), length);
      rig.client(header(TYPES.position), length);
      rig.target(content('0123456789') + endOfFile(10), length);
      rig.client(READY, length);
      rig.target(`\r${header(TYPES.finish)}`, length);
      rig.client(header(TYPES.finish), length);
      rig.target('OO', 2);
      rig.target('ready> ', length);
      rig.client('ls\r', length);
      expect(rig.records).toEqual([
        { operation: 'download', path: 'a.txt', size: 10, sha256: sha256('0123456789') },
      ]);
      expect(rig.lines).toEqual(['[file downloaded: a.txt, 10 bytes]']);
      expect(rig.got.screen.replaceAll('*', '')).toBe('rz\rready> ');
      expect(rig.got.client.endsWith('OO')).toBe(true);
      expect(rig.got.keys).toBe('ls\r');
    },
  );

  it('drops the rest of the file after the client has cancelled', () => {
    const rig = downloading();
    rig.client(CANCELLED);
    rig.target(content('56789', 5));
    expect(rig.got.target.endsWith(CANCELLED)).toBe(true);
    vi.advanceTimersByTime(1000);
    rig.target('ready> ');
    expect(rig.got.screen).toBe('rz\rready> ');
    expect(rig.records).toMatchObject([{ path: 'a.txt', size: 5, reason: 'file_incomplete' }]);
    expect(rig.lines).toEqual(['[file not downloaded: a.txt]']);
  });

  it('shows what follows when the program at the target cancels', () => {
    const rig = downloading();
    rig.target(`${CANCELLED}\x08\x08\x08sz: disk error\r\nready> `);
    expect(rig.got.screen).toBe('rz\rsz: disk error\r\nready> ');
    expect(rig.got.client.endsWith(CANCELLED)).toBe(true);
  });

  it('cancels when the permission ends, or the session is locked', () => {
    const rig = downloading();
    rig.state.refusal = { code: 'second_person_left' };
    rig.relay.recheck();
    expect(rig.got.target.endsWith(CANCELLED)).toBe(true);
    expect(rig.records).toMatchObject([{ path: 'a.txt', reason: 'file_incomplete' }]);
  });

  it('cancels after a minute without progress', () => {
    const rig = downloading();
    vi.advanceTimersByTime(61_000);
    expect(rig.got.target.endsWith(CANCELLED)).toBe(true);
    expect(rig.got.client.endsWith(CANCELLED)).toBe(true);
  });

  it('logs the open file when the session ends', () => {
    const rig = downloading();
    rig.relay.end();
    expect(rig.records).toMatchObject([{ path: 'a.txt', size: 5, reason: 'file_incomplete' }]);
    expect(rig.got.client.endsWith(CANCELLED)).toBe(true);
  });

  it('shows messages after the transfer', () => {
    const rig = downloading();
    rig.relay.show('a message');
    expect(rig.lines).toEqual([]);
    rig.target(`${endOfFile(5)}`);
    rig.client(READY);
    rig.target(header(TYPES.finish));
    rig.client(header(TYPES.finish));
    expect(rig.lines).toEqual(['a message', '[file downloaded: a.txt, 5 bytes]']);
  });

  it('lists twenty files of many', () => {
    const rig = open();
    rig.target(SENDS);
    rig.client(READY);
    for (let index = 0; index < 25; index++) {
      rig.target(file(`${index}.txt`, 0));
      rig.client(header(TYPES.position));
      rig.target(endOfFile(0));
      rig.client(READY);
    }
    rig.target(header(TYPES.finish));
    rig.client(header(TYPES.finish));
    expect(rig.lines).toHaveLength(21);
    expect(rig.lines.at(-1)).toBe('[and 5 more files]');
    expect(rig.records).toHaveLength(25);
  });
});

describe('without the right', () => {
  const refusal = { code: 'transfer_denied', params: { action: 'Upload file' } } as const;

  it.each([
    ['rz', READY, 'upload'],
    ['sz', SENDS, 'download'],
  ])('cancels %s at its header, and the client never sees it', (path, begin, operation) => {
    const rig = open({ refusal });
    rig.target(begin);
    vi.advanceTimersByTime(1000);
    expect(rig.got.client).toBe('');
    expect(rig.got.screen).toBe('');
    expect(rig.got.target).toBe(CANCELLED);
    expect(rig.records).toEqual([{ operation, path, reason: 'transfer_denied' }]);
    expect(rig.lines).toEqual(['Your permission does not include: Upload file.']);
    rig.target(`${CANCELLED}\x08\x08ready> `);
    expect(rig.got.screen).toBe('ready> ');
  });

  it.each([1, 7, 1000])(
    'shows text with a header in a readable form, in pieces of %i bytes',
    (length) => {
      const rig = open({ refusal });
      rig.target(`before ${READY}\nafter\r\n`, length);
      vi.advanceTimersByTime(1000);
      expect(rig.got.screen).toBe('before **^XB0100000023be50\r\x8a\x11\nafter\r\n');
      expect(rig.got.target).toBe('');
      expect(rig.records).toEqual([]);
    },
  );
});

describe('text that looks like a header', () => {
  it('does not reach the client as a header when more text follows at once', () => {
    const rig = open();
    rig.target(`before ${READY}after\r\n`);
    expect(rig.got.client).toBe('');
    expect(rig.got.screen).toBe('before **^XB0100000023be50\r\x8a\x11after\r\n');
  });

  it('ends the offer when other text follows later', () => {
    const rig = open();
    rig.target(SENDS);
    rig.target('ready> ');
    expect(rig.got.screen).toBe('ready> ');
    expect(rig.got.seen).toBe('**^XB00000000000000\r\x8a\x11');
    rig.client(`${READY}`);
    expect(rig.got.keys).toBe(READY);
  });

  it('passes keys of a client that does not know the protocol', () => {
    const rig = open();
    rig.target(READY);
    rig.client('r', 1);
    rig.client('z\rls\r', 1);
    expect(rig.got.keys).toBe('rz\rls\r');
    rig.client('*x');
    rig.target(READY);
    rig.client(CANCELLED);
    expect(rig.got.keys).toBe(`rz\rls\r*x${CANCELLED}`);
  });

  it.each([
    '**\x18B0100000023be51\r\x8a\x11',
    '**\x18B0800000000022d\r\x8a',
    '*\x18B0100000023be50',
    '**\x18A01',
    '**\x18**\x18B010000',
  ])('passes %j unchanged', (text) => {
    for (const length of [1, 1000]) {
      const rig = open();
      rig.target(`${text}\n`, length);
      vi.advanceTimersByTime(1000);
      expect(rig.got.screen).toBe(`${text}\n`);
    }
  });

  it.each([
    ['an offer', undefined, READY],
    ['a refused header', { code: 'zmodem_checked' } as const, READY],
    ['the beginning of a header', undefined, READY.slice(0, 8)],
  ])('records %s when the session ends', (_, refusal, text) => {
    const rig = refusal ? open({ refusal }) : open();
    rig.target(text);
    rig.relay.end();
    expect(rig.got.screen + rig.got.seen).toContain('B0100');
    vi.advanceTimersByTime(1000);
    expect(rig.got.target).toBe('');
  });

  it('passes the beginning of a header after a pause', () => {
    const rig = open();
    rig.target('**\x18B0100');
    expect(rig.got.screen).toBe('');
    vi.advanceTimersByTime(1000);
    expect(rig.got.screen).toBe('**\x18B0100');
  });
});

describe('a client that separates frames', () => {
  const offered = () => {
    const rig = open({ isSeparate: true });
    rig.target(`rz waiting to receive.${READY}`);
    expect(rig.relay.isPassing).toBe(true);
    return rig;
  };

  it('cancels an offer that the user does not want, and shows the prompt at once', () => {
    const rig = offered();
    rig.relay.abort();
    expect(rig.got.target).toBe(CANCELLED);
    expect(rig.lines).toEqual([]);
    rig.target(`${CANCELLED}\b\b\b\b\b\b\b\bready> `);
    expect(rig.lines).toEqual(['[file transfer cancelled]']);
    expect(rig.got.screen).toBe('rz waiting to receive.ready> ');
    expect(rig.got.keys).toBe('');
    expect(rig.relay.isPassing).toBe(false);
  });

  it('cancels an offer at bytes that are no frames, which are no keys', () => {
    for (const bytes of [CANCELLED, 'rm -rf /\r', header(TYPES.init).replace('0100', '0101')]) {
      const rig = offered();
      rig.client(bytes);
      expect(rig.got.target).toBe(CANCELLED);
      vi.advanceTimersByTime(1000);
      expect(rig.relay.isPassing).toBe(false);
      expect([rig.got.keys, rig.lines]).toEqual(['', ['[file transfer cancelled]']]);
    }
  });

  it('says when the program does not wait any longer', () => {
    const rig = offered();
    rig.target(`${CANCELLED}\b\b`);
    rig.target('ready> ');
    expect(rig.lines).toEqual(['[file transfer cancelled]']);
    expect(rig.got.screen).toContain('ready> ');
    expect(rig.relay.isPassing).toBe(false);
  });

  it('drops frames that were on the way when a transfer was cancelled', () => {
    const rig = open({ isSeparate: true });
    rig.target(SENDS);
    rig.client(READY);
    rig.target(file('a.txt', 10));
    rig.client(header(TYPES.position));
    rig.target(header(TYPES.data, 0, 'binary32') + data('01', ENDS.more));
    rig.relay.abort();
    rig.target(data('23456', ENDS.more));
    rig.target(`${data('789')}ready> `, 7);
    expect(rig.lines).toEqual(['[file not downloaded: a.txt]']);
    expect(rig.got.screen).toBe('ready> ');
    expect(rig.records).toMatchObject([{ size: 2, reason: 'file_incomplete' }]);
  });
});
