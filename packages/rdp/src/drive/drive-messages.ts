import { u16, u32 } from '../byte-reader.ts';
import type { DriveFailure, DriveNode } from './drive-folder.ts';

/** Name of the channel of devices (MS-RDPEFS 1.5). */
export const DRIVE_CHANNEL = 'rdpdr';
/**
 * Name of the channel of sound. Windows begins no devices for a client without it (MS-RDPEFS,
 * appendix A <1>); it needs no answer.
 */
export const SOUND_CHANNEL = 'rdpsnd';
/** The name of the drive: Windows shows at most seven characters. */
export const DRIVE_NAME = 'bastion';

const CORE = 0x4472;
/** Packets of the core (MS-RDPEFS 2.2.1.1). */
export const PACKET = {
  announce: 0x496e,
  clientId: 0x4343,
  clientName: 0x434e,
  serverCapabilities: 0x5350,
  clientCapabilities: 0x4350,
  devices: 0x4441,
  deviceReply: 0x6472,
  loggedOn: 0x554c,
  request: 0x4952,
  completion: 0x4943,
} as const;

/** Status codes (MS-ERREF 2.3.1). */
export const STATUS = {
  ok: 0,
  noMoreFiles: 0x8000_0006,
  unsuccessful: 0xc000_0001,
  badHandle: 0xc000_0008,
  badParameter: 0xc000_000d,
  /** xrdp takes every other status of a missing file for a broken disk. */
  missing: 0xc000_000f,
  endOfFile: 0xc000_0011,
  denied: 0xc000_0022,
  badName: 0xc000_0033,
  exists: 0xc000_0035,
  full: 0xc000_007f,
  isFolder: 0xc000_00ba,
  unsupported: 0xc000_00bb,
  notEmpty: 0xc000_0101,
  isFile: 0xc000_0103,
  tooManyOpen: 0xc000_011f,
} as const;

export const STATUS_OF: Readonly<Record<DriveFailure, number>> = {
  missing: STATUS.missing,
  exists: STATUS.exists,
  full: STATUS.full,
  notEmpty: STATUS.notEmpty,
  badName: STATUS.badName,
  isFolder: STATUS.isFolder,
  isFile: STATUS.isFile,
  loop: STATUS.denied,
};

const ATTRIBUTES = { folder: 0x10, archive: 0x20 } as const;
/** `RDPDR_DTYP_FILESYSTEM`. */
const FILE_SYSTEM = 8;
const DEVICE = 1;
/** Device of a disk, which is mounted remotely (MS-FSCC 2.5.10). */
const [DISK, IS_REMOTE] = [7, 0x10] as const;
const SECTOR = 512;
const SECTORS = 8;
const CLUSTER = SECTOR * SECTORS;

/** Builds a packet of the core. */
export const packet = (kind: number, ...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([u16(CORE), u16(kind), ...parts]);

export const isCore = (component: number): boolean => component === CORE;

export const u64 = (value: number | bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const wide = (text: string) => Buffer.from(text, 'utf16le');

export const clientName = (): Buffer => {
  const name = wide('sallyport\0');
  return packet(PACKET.clientName, u32(1), u32(0), u32(name.length), name);
};

/** The capabilities of a client that has drives only (MS-RDPEFS 2.2.2.8). */
export const clientCapabilities = (): Buffer =>
  packet(
    PACKET.clientCapabilities,
    ...[u16(2), u16(0)],
    ...[u16(1), u16(44), u32(2), u32(0), u32(0), u16(1), u16(12), u32(0xffff), u32(0)],
    // Device removal, and waiting for the sign-in of the user.
    ...[u32(0x05), u32(0), u32(0), u32(0)],
    ...[u16(4), u16(8), u32(2)],
  );

/** Announces the drive. */
export const deviceList = (): Buffer =>
  packet(
    PACKET.devices,
    ...[u32(1), u32(FILE_SYSTEM), u32(DEVICE)],
    Buffer.from(DRIVE_NAME.padEnd(8, '\0'), 'latin1'),
    u32(0),
  );

export const completion = (id: number, status: number, body: Buffer): Buffer =>
  packet(PACKET.completion, u32(DEVICE), u32(id), u32(status), body);

/** Milliseconds between 1601 and 1970. */
const EPOCH = 11_644_473_600_000n;
/** FILETIME: units of 100 nanoseconds since 1601. */
const timeOf = (time: number) => u64((BigInt(Math.trunc(time)) + EPOCH) * 10_000n);

/** Milliseconds since 1970 of a FILETIME; undefined for "unchanged". */
export function timeFrom(fileTime: bigint): number | undefined {
  const time = Number(fileTime / 10_000n - EPOCH);
  return fileTime > 0n && time >= 0 && time < 8.64e15 ? time : undefined;
}

const times = ({ createdAt, changedAt }: DriveNode) => [
  timeOf(createdAt),
  ...[timeOf(changedAt), timeOf(changedAt), timeOf(changedAt)],
];
const attributes = ({ isFolder }: DriveNode) =>
  u32(isFolder ? ATTRIBUTES.folder : ATTRIBUTES.archive);
const allocated = (size: number) => Math.ceil(size / CLUSTER) * CLUSTER;

/** Information about a node (MS-RDPEFS 2.2.3.3.8, MS-FSCC 2.4); undefined for unknown classes. */
export function nodeInformation(node: DriveNode, kind: number): Buffer | undefined {
  if (kind === 4) return Buffer.concat([...times(node), attributes(node)]);
  if (kind === 5)
    return Buffer.concat([
      ...[u64(allocated(node.size)), u64(node.size), u32(1)],
      Buffer.from([0, node.isFolder ? 1 : 0]),
    ]);
  if (kind === 0x23) return Buffer.concat([attributes(node), u32(0)]);
  return undefined;
}

/** An entry of a folder (MS-RDPEFS 2.2.3.3.10); undefined for unknown classes. */
export function folderEntry(node: DriveNode, name: string, kind: number): Buffer | undefined {
  const bytes = wide(name);
  const facts = [
    ...[u32(0), u32(0), ...times(node)],
    ...[u64(node.size), u64(allocated(node.size)), attributes(node), u32(bytes.length)],
  ];
  if (kind === 1) return Buffer.concat([...facts, bytes]);
  if (kind === 2) return Buffer.concat([...facts, u32(0), bytes]);
  if (kind === 3) return Buffer.concat([...facts, u32(0), Buffer.alloc(25), bytes]);
  if (kind === 12) return Buffer.concat([u32(0), u32(0), u32(bytes.length), bytes]);
  return undefined;
}

/** Information about the volume (MS-RDPEFS 2.2.3.3.6); undefined for unknown classes. */
export function volumeInformation(kind: number, max: number, used: number): Buffer | undefined {
  const label = wide(DRIVE_NAME);
  const [total, free] = [max, Math.max(0, max - used)].map((bytes) =>
    u64(Math.floor(bytes / CLUSTER)),
  );
  if (!total || !free) return undefined;
  if (kind === 1)
    return Buffer.concat([timeOf(0), u32(1), u32(label.length), Buffer.from([0]), label]);
  if (kind === 3) return Buffer.concat([total, free, u32(SECTORS), u32(SECTOR)]);
  if (kind === 4) return Buffer.concat([u32(DISK), u32(IS_REMOTE)]);
  if (kind === 5) {
    const system = wide('FAT32');
    // Names keep their case and are Unicode.
    return Buffer.concat([u32(0x06), u32(255), u32(system.length), system]);
  }
  if (kind === 7) return Buffer.concat([total, free, free, u32(SECTORS), u32(SECTOR)]);
  return undefined;
}
