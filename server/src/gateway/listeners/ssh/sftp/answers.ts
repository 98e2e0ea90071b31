import { type ErrorCode, INSTANT_ACCESS_END } from '@sallyport/contract';
import {
  type Attributes,
  FileType,
  Packet,
  type PacketReader,
  type Pieces,
  packetOf,
  Status,
} from '@sallyport/ssh';
import { Refusal } from '../../../refusal.ts';
import { decodeName, encodeName, shownName } from '../../../sessions/files/paths.ts';
import type { FileEntry, FileKind } from '../../../sessions/files/remote-files.ts';
import type { Operations } from './operations.ts';

const TYPES: Readonly<Record<FileKind, number>> = {
  folder: FileType.FOLDER,
  file: FileType.FILE,
  link: FileType.LINK,
  other: 0o140000,
};
const LETTERS: Readonly<Record<FileKind, string>> = {
  folder: 'd',
  file: '-',
  link: 'l',
  other: 's',
};
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const HALF_A_YEAR = 182 * 86_400;

const STATUSES: Readonly<Partial<Record<ErrorCode, number>>> = {
  file_not_found: Status.NO_SUCH_FILE,
  file_denied: Status.PERMISSION_DENIED,
  file_attributes: Status.UNSUPPORTED,
  file_outside: Status.PERMISSION_DENIED,
  transfer_denied: Status.PERMISSION_DENIED,
  connect_denied: Status.PERMISSION_DENIED,
  connect_expired: Status.PERMISSION_DENIED,
  [INSTANT_ACCESS_END.code]: Status.PERMISSION_DENIED,
  connect_condition: Status.PERMISSION_DENIED,
};

/** Builds a status answer. */
export function statusPacket(id: number, status: number, message = ''): Buffer {
  return packetOf(Packet.STATUS, id, status, Buffer.from(message), Buffer.from('en'));
}

/** Returns the SFTP status of an error code. */
export function statusOf(code: ErrorCode): number {
  return STATUSES[code] ?? Status.FAILURE;
}

/** Converts an entry to SFTP attributes. */
export function attributesOf({
  kind,
  size,
  mode,
  ownerId,
  groupId,
  modifiedAt,
}: FileEntry): Attributes {
  return { size, mode: TYPES[kind] | mode, ownerId, groupId, modifiedAt };
}

/** Returns the line that a client's `ls -l` shows, without control characters. */
export function longName(entry: FileEntry, now = new Date()): string {
  const {
    kind,
    mode,
    size,
    ownerId,
    groupId,
    owner = String(ownerId),
    group = String(groupId),
    modifiedAt,
    name,
  } = entry;
  const bits = [6, 3, 0]
    .flatMap((shift) => ['r', 'w', 'x'].map((bit, at) => (mode & ((4 >> at) << shift) ? bit : '-')))
    .join('');
  const date = new Date(modifiedAt * 1000);
  const isOld = Math.abs(now.getTime() / 1000 - modifiedAt) > HALF_A_YEAR;
  const hours = String(date.getUTCHours()).padStart(2, '0');
  const minutes = String(date.getUTCMinutes()).padStart(2, '0');
  const day = String(date.getUTCDate()).padStart(2);
  return [
    `${LETTERS[kind]}${bits}   `,
    '1',
    shownName(owner).padEnd(8),
    shownName(group).padEnd(8),
    String(size).padStart(12),
    MONTHS[date.getUTCMonth()],
    day,
    isOld ? ` ${date.getUTCFullYear()}` : `${hours}:${minutes}`,
    shownName(name),
  ].join(' ');
}

const MAX_PATH = 4096;
export const PERMISSIONS = 0o7777;

/** One packet, whole or in pieces. */
export type Answer = Buffer | Pieces;

/** Handles one type of request and returns its answer. */
export type RequestHandler = (
  operations: Operations,
  id: number,
  body: PacketReader,
) => Promise<Answer>;

/** Reads a path; SFTP clients send names in UTF-8. */
export function pathOf(body: PacketReader): string {
  const bytes = body.string();
  if (bytes.length > MAX_PATH || bytes.includes(0)) throw new Refusal('file_name');
  return decodeName(bytes, 'utf8');
}

export const ok = (id: number): Buffer => statusPacket(id, Status.OK, 'Success');

export const bytesOf = (name: string): Buffer => encodeName(name, 'utf8');
