import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../config.ts';
import type { Vault } from '../../platform/crypto/vault.ts';

/** The name of the file that is written last: a folder without it is no backup. */
export const MANIFEST = 'manifest.json';
export const SEALS = 'audit-seals.json';
export const RECORDINGS_INDEX = 'recordings.ndjson.gz';
export const RECORDINGS = 'recordings';
const FORMAT = 'sallyport-backup';
/** Counts up when an older program could not read what a newer one writes. */
export const FORMAT_VERSION = 1;
const CONTEXT = 'backup manifest';
const MOST_BYTES = 16 * 1_048_576;

/** A file of the backup; its checksum is that of its bytes as they are on the disk. */
export interface KeptFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The rows of a table, as PostgreSQL's COPY writes them, compressed with gzip. */
export interface KeptTable extends KeptFile {
  /** The table that they go into. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

export interface KeptSequence {
  readonly name: string;
  readonly value: string;
  readonly isCalled: boolean;
}

/** What a backup holds. */
export interface Manifest {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Of the program that made it. */
  readonly product: string;
  readonly postgres: string;
  readonly node: string;
  readonly date: string;
  /** The server that made it, as rows name it. */
  readonly holder: string;
  readonly migrations: readonly { readonly name: string; readonly digest: string }[];
  readonly tables: readonly KeptTable[];
  readonly sequences: readonly KeptSequence[];
  /** The newest seals of the audit logs, where the data folder has them. */
  readonly seals: KeptFile | null;
  readonly recordings: RecordingsSummary;
}

export interface RecordingsSummary {
  /** One line for each recording. */
  readonly index: KeptFile;
  /** Whether the recordings of this server's disk were copied. */
  readonly included: boolean;
  readonly copied: number;
  readonly bytes: number;
  /** On this server's disk, and not copied. */
  readonly left: number;
  /** On the disks of other servers, and in buckets. */
  readonly elsewhere: number;
  /** Named by a row, and not found. */
  readonly missing: number;
}

/** The text of the file: the manifest with a proof that a holder of the secret key wrote it. */
export function writeManifest(
  manifest: Omit<Manifest, 'format' | 'version'>,
  vault: Vault,
): string {
  const whole: Manifest = { format: FORMAT, version: FORMAT_VERSION, ...manifest };
  return `${JSON.stringify({ ...whole, signature: vault.sign(JSON.stringify(whole), CONTEXT) }, undefined, 2)}\n`;
}

/**
 * Reads what a folder holds.
 *
 * @returns the manifest, and whether a vault has the key that signed it.
 * @throws StartError for a folder that holds no complete backup, or one of a later format.
 */
export async function readManifest(
  folder: string,
): Promise<{ readonly manifest: Manifest; isSignedBy(vault: Vault): boolean }> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new StartError(`${join(folder, MANIFEST)} cannot be read (${code}).`);
    throw new StartError(
      `${folder} holds no complete backup: it has no ${MANIFEST}. Name the folder that the command backup made.`,
    );
  }
  const found = text.length > MOST_BYTES ? undefined : parse(text);
  if (found?.format !== FORMAT || typeof found.version !== 'number')
    throw new StartError(`${join(folder, MANIFEST)} is not the manifest of a backup.`);
  if (found.version > FORMAT_VERSION)
    throw new StartError(
      `This backup has the format ${found.version} of a newer Sallyport (${String(found.product)}); this one reads ${FORMAT_VERSION}. Restore it with that version.`,
    );
  const { signature, ...manifest } = found as Manifest & { readonly signature?: string };
  return {
    manifest,
    isSignedBy: (vault) => vault.sign(JSON.stringify(manifest), CONTEXT) === signature,
  };
}

function parse(text: string): Partial<Manifest> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
