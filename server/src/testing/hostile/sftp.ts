import { Packet, type Part, packetOf, Status } from '@sallyport/ssh';

/** An attack of a file server on the gateway, and the error that its user gets. */
export interface HostileSftp {
  readonly name: string;
  /** The request of the user. */
  readonly request: 'list' | 'download';
  readonly answers: (type: number, id: number) => Buffer | undefined;
  /** Code of the error, or undefined if the server does no harm. */
  readonly expected: string | undefined;
}

const LONG = Buffer.alloc(200_000, 'x');
const MANY = 2 ** 32 - 1;
const [HAS_SIZE, HAS_MODE, HAS_EXTENDED] = [1, 4, 0x80000000] as const;
const FOLDER = 0o040755;
const LINK = 0o120777;
const FILE = 0o100644;

/** Attributes with any fields. */
const attributes = (flags: number, ...fields: readonly Part[]): readonly Part[] => [
  flags,
  ...fields,
];
const sized = (size: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(size);
  return bytes;
};
/** A part without the length of a string. */
const raw = (bytes: Buffer): readonly Part[] => [
  { uint64: bytes.readUInt32BE(0) * 2 ** 32 + bytes.readUInt32BE(4) },
];
const entry = (name: Buffer, ...rest: readonly Part[]): readonly Part[] => [
  name,
  Buffer.from('-rw-r--r-- 1 a b'),
  ...rest,
];
const name = (id: number, ...entries: readonly (readonly Part[])[]) =>
  packetOf(Packet.NAME, id, entries.length, ...entries.flat());
/** Answers requests of one type only. */
const to =
  (wanted: number, answer: (id: number) => Buffer) =>
  (type: number, id: number): Buffer | undefined =>
    type === wanted ? answer(id) : undefined;
/** Answers READDIR once with these entries. */
const listing = (...entries: readonly (readonly Part[])[]) => {
  let count = 0;
  return to(Packet.READDIR, (id) =>
    count++ === 0 ? name(id, ...entries) : packetOf(Packet.STATUS, id, Status.EOF),
  );
};

/** Misbehavior of a file server, from its version to the content of a file. */
export const SFTP_ATTACKS: readonly HostileSftp[] = [
  {
    name: 'speaks version 2',
    request: 'list',
    answers: to(Packet.INIT, () => packetOf(Packet.VERSION, 2)),
    expected: 'files_not_offered',
  },
  {
    name: 'announces a packet of 4 GiB',
    request: 'list',
    answers: to(Packet.INIT, () => Buffer.from([255, 255, 255, 255, 2])),
    expected: 'files_not_offered',
  },
  {
    name: 'announces extensions of any length',
    request: 'list',
    answers: to(Packet.INIT, () => packetOf(Packet.VERSION, 3, LONG, Buffer.alloc(0))),
    expected: undefined,
  },
  ...[1, 2 ** 53].map((limit) => ({
    name: `limits requests to ${limit} bytes`,
    request: 'download' as const,
    answers: (type: number, id: number) => {
      if (type === Packet.INIT)
        return packetOf(Packet.VERSION, 3, Buffer.from('limits@openssh.com'), Buffer.from('1'));
      const sizes = Array.from({ length: 4 }, () => raw(sized(BigInt(limit)))).flat();
      return type === Packet.EXTENDED ? packetOf(Packet.EXTENDED_REPLY, id, ...sizes) : undefined;
    },
    expected: undefined,
  })),
  {
    name: 'answers a request that was never sent',
    request: 'list',
    answers: to(Packet.OPENDIR, (id) => packetOf(Packet.STATUS, id + 1000, Status.OK)),
    expected: 'connect_target_broke',
  },
  {
    name: 'refuses without a text',
    request: 'list',
    answers: to(Packet.OPENDIR, (id) => packetOf(Packet.STATUS, id, Status.PERMISSION_DENIED)),
    expected: 'file_denied',
  },
  {
    name: 'refuses with an unknown code and a long text',
    request: 'list',
    answers: to(Packet.OPENDIR, (id) => packetOf(Packet.STATUS, id, MANY, LONG, Buffer.alloc(0))),
    expected: 'file_failed_words',
  },
  {
    name: 'gives a handle of 200 KB',
    request: 'list',
    answers: to(Packet.OPENDIR, (id) => packetOf(Packet.HANDLE, id, LONG)),
    expected: 'connect_target_broke',
  },
  {
    name: 'has a home of 200 KB',
    request: 'list',
    answers: to(Packet.REALPATH, (id) =>
      name(id, entry(Buffer.concat([Buffer.from('/'), LONG]), 0)),
    ),
    expected: 'file_root',
  },
  {
    name: 'has a home without a name',
    request: 'list',
    answers: to(Packet.REALPATH, (id) => name(id)),
    expected: 'file_root',
  },
  {
    name: 'announces 4 billion entries',
    request: 'list',
    answers: to(Packet.READDIR, (id) => packetOf(Packet.NAME, id, MANY)),
    expected: 'connect_target_broke',
  },
  {
    name: 'sends answers without entries for ever',
    request: 'list',
    answers: to(Packet.READDIR, (id) => name(id)),
    expected: 'file_folder_full',
  },
  {
    name: 'sends entries for ever',
    request: 'list',
    answers: to(Packet.READDIR, (id) =>
      name(
        id,
        ...Array.from({ length: 9000 }, (_, index) => [
          Buffer.from(`${index}`),
          Buffer.alloc(0),
          0,
        ]),
      ),
    ),
    expected: 'file_folder_full',
  },
  {
    name: 'sends impossible names',
    request: 'list',
    answers: listing(
      entry(LONG, 0),
      ...['', '.', '..', 'a/b', '/', 'a\0b'].map((bad) => entry(Buffer.from(bad), 0)),
    ),
    expected: undefined,
  },
  {
    name: 'has files of 2^63 bytes',
    request: 'list',
    answers: listing(
      entry(Buffer.from('large'), ...attributes(HAS_SIZE | HAS_MODE, { uint64: 2 ** 63 }, FILE)),
    ),
    expected: undefined,
  },
  {
    name: 'has attributes of any length',
    request: 'list',
    answers: listing(
      entry(Buffer.from('one'), ...attributes(HAS_EXTENDED, 1, LONG, Buffer.alloc(0))),
    ),
    expected: undefined,
  },
  {
    name: 'announces 4 billion extended attributes',
    request: 'list',
    answers: listing(entry(Buffer.from('one'), ...attributes(HAS_EXTENDED, MANY))),
    expected: 'connect_target_broke',
  },
  {
    name: 'ends in the middle of an entry',
    request: 'list',
    answers: to(Packet.READDIR, (id) => packetOf(Packet.NAME, id, 2, Buffer.from('one'))),
    expected: 'connect_target_broke',
  },
  {
    name: 'says that each file is a link to itself',
    request: 'download',
    answers: (type, id) => {
      if (type === Packet.LSTAT) return packetOf(Packet.ATTRS, id, ...attributes(HAS_MODE, LINK));
      return type === Packet.READLINK ? name(id, entry(Buffer.from('file'), 0)) : undefined;
    },
    expected: 'file_outside',
  },
  {
    name: 'has a link of 200 KB',
    request: 'download',
    answers: (type, id) => {
      if (type === Packet.LSTAT) return packetOf(Packet.ATTRS, id, ...attributes(HAS_MODE, LINK));
      return type === Packet.READLINK ? name(id, entry(Buffer.alloc(200_000, 'a/'), 0)) : undefined;
    },
    expected: 'file_failed',
  },
  {
    name: 'says that each file is a folder',
    request: 'download',
    answers: to(Packet.LSTAT, (id) => packetOf(Packet.ATTRS, id, ...attributes(HAS_MODE, FOLDER))),
    expected: 'file_kind',
  },
  {
    name: 'sends more data than requested',
    request: 'download',
    answers: to(Packet.READ, (id) => packetOf(Packet.DATA, id, LONG)),
    expected: 'connect_target_broke',
  },
  {
    name: 'sends a name instead of data',
    request: 'download',
    answers: to(Packet.READ, (id) => name(id, entry(Buffer.from('x'), 0))),
    expected: 'connect_target_broke',
  },
];
