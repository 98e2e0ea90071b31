import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../../config.ts';
import { openDataKey, type WrappedDataKey } from '../../platform/crypto/data-keys.ts';
import type { MasterKey } from '../../platform/crypto/master-key.ts';
import { createVault, directKey, type KeyRing, type Vault } from '../../platform/crypto/vault.ts';

/** Written last: a folder without it is no backup. */
export const MANIFEST = 'manifest.json';
export const SEALS = 'audit-seals.json';
export const RECORDINGS_INDEX = 'recordings.ndjson.gz';
export const RECORDINGS = 'recordings';
const FORMAT = 'sallyport-backup';
/** Increases when older programs cannot read the format. */
export const FORMAT_VERSION = 2;
const CONTEXT = 'backup manifest';
const MOST_BYTES = 16 * 1_048_576;

/** A file of the backup with the checksum of its bytes on disk. */
export interface KeptFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Rows of a table in the format of PostgreSQL's COPY, compressed with gzip. */
export interface KeptTable extends KeptFile {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

export interface KeptSequence {
  readonly name: string;
  readonly value: string;
  readonly isCalled: boolean;
}

/** Contents of a backup. */
export interface Manifest {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version and commit of the program that made it. */
  readonly product: string;
  readonly postgres: string;
  readonly node: string;
  readonly date: string;
  /** Holder name of the server that made it. */
  readonly holder: string;
  readonly migrations: readonly { readonly name: string; readonly digest: string }[];
  readonly tables: readonly KeptTable[];
  readonly sequences: readonly KeptSequence[];
  /** The newest seals of the audit logs, if the data folder has any. */
  readonly seals: KeptFile | null;
  readonly recordings: RecordingsSummary;
  /** The key of the signature. Absent: the secret key itself, as in version 1. */
  readonly signing_key?: WrappedDataKey;
}

export interface RecordingsSummary {
  /** One line per recording. */
  readonly index: KeptFile;
  /** True if recordings of this server's disk were copied. */
  readonly included: boolean;
  readonly copied: number;
  readonly bytes: number;
  /** On this server's disk, not copied. */
  readonly left: number;
  /** On disks of other servers, and in buckets. */
  readonly elsewhere: number;
  /** Named by a row, but not found. */
  readonly missing: number;
}

/** Returns the text of the manifest with a signature by the key that it names. */
export function writeManifest(
  manifest: Omit<Manifest, 'format' | 'version'>,
  vault: Vault,
): string {
  const whole: Manifest = { format: FORMAT, version: FORMAT_VERSION, ...manifest };
  return `${JSON.stringify({ ...whole, signature: vault.sign(JSON.stringify(whole), CONTEXT) }, undefined, 2)}\n`;
}

/**
 * Reads the manifest of a folder.
 *
 * @returns the manifest, and a check that an installation with these master keys signed it
 *
 * @throws StartError for an incomplete backup or a later format
 */
export async function readManifest(folder: string): Promise<{
  readonly manifest: Manifest;
  isSignedBy(masters: readonly MasterKey[]): Promise<boolean>;
}> {
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
  const parsed = text.length > MOST_BYTES ? undefined : parse(text);
  if (parsed?.format !== FORMAT || typeof parsed.version !== 'number')
    throw new StartError(`${join(folder, MANIFEST)} is not the manifest of a backup.`);
  if (parsed.version > FORMAT_VERSION)
    throw new StartError(
      `This backup has the format ${parsed.version} of a newer Sallyport (${String(parsed.product)}); this one reads ${FORMAT_VERSION}. Restore it with that version.`,
    );
  const { signature, ...manifest } = parsed as Manifest & { readonly signature?: string };
  return {
    manifest,
    async isSignedBy(masters) {
      for (const key of await signingKeys(manifest, masters))
        if (createVault(key).isSignature(String(signature), JSON.stringify(manifest), CONTEXT))
          return true;
      return false;
    },
  };
}

/** Returns the keys that may have signed a manifest. */
async function signingKeys(
  { signing_key: wrapped }: Manifest,
  masters: readonly MasterKey[],
): Promise<KeyRing[]> {
  if (!wrapped) return masters.flatMap(({ bytes }) => (bytes ? [directKey(bytes)] : []));
  const bytes = await openDataKey(masters, wrapped);
  if (!bytes) return [];
  const key = { id: wrapped.id, bytes };
  return [{ active: () => key, find: (_purpose, id) => (id === key.id ? bytes : undefined) }];
}

function parse(text: string): Partial<Manifest> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
