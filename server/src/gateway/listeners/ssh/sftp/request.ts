import { type PacketReader, type Pieces, Status } from '@sallyport/ssh';
import { Refusal } from '../../../refusal.ts';
import { decodeName, encodeName } from '../../../sessions/files/names.ts';
import { statusPacket } from './answers.ts';
import type { Operations } from './operations.ts';

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
