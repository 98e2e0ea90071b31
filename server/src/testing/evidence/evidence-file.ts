import { createHash } from 'node:crypto';
import type { Sm2Key } from '../../platform/crypto/sm2.ts';
import { TAR_END, tarHeader, tarPadding } from '../../platform/tar.ts';

/** The manifest of an evidence file. */
export interface Manifest {
  format: string;
  range: { session?: string; from?: string; to?: string };
  parts: { log: string; first: number; last: number; end: number }[];
  files: { name: string; size: number; sha256: string; sm3?: string }[];
  sm2?: { public_key: string; signature: string };
}

/** An evidence file, taken apart. */
export interface EvidenceFile {
  readonly files: Map<string, Buffer>;
  readonly manifest: Manifest;
}

const BLOCK = 512;

/** Takes an evidence file apart. */
export function openEvidence(bytes: Buffer): EvidenceFile {
  const files = new Map<string, Buffer>();
  for (let at = 0; bytes[at] !== 0; ) {
    const name = bytes.toString('utf8', at, bytes.indexOf(0, at));
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8);
    files.set(name, bytes.subarray(at + BLOCK, at + BLOCK + size));
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest;
  files.delete('manifest.json');
  return { files, manifest };
}

/** Returns a tar archive of files. */
export const packFiles = (files: Iterable<readonly [string, Buffer]>): Buffer =>
  Buffer.concat([
    ...[...files].flatMap(([name, content]) => [
      tarHeader(name, content.length),
      content,
      tarPadding(content.length),
    ]),
    TAR_END,
  ]);

/** Packs an evidence file. The manifest gets the digests of the files, as an attacker would do. */
export function packEvidence({ files, manifest }: EvidenceFile): Buffer {
  manifest.files = [...files].map(([name, content]) => ({
    name,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  return packManifest(files, manifest);
}

/** Changes an evidence file as an attacker would. */
export function forge(bytes: Buffer, change: (file: EvidenceFile) => void): Buffer {
  const file = openEvidence(bytes);
  change(file);
  return packEvidence(file);
}

const packManifest = (files: EvidenceFile['files'], manifest: Manifest): Buffer =>
  packFiles([
    ...files,
    ['manifest.json', Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)],
  ]);

/** Signs an evidence file by SM2. `change` changes its manifest afterwards. */
export function signEvidence(
  bytes: Buffer,
  key: Sm2Key,
  change: (manifest: Manifest) => void = () => undefined,
): Buffer {
  const { files, manifest } = openEvidence(bytes);
  for (const file of manifest.files)
    file.sm3 = createHash('sm3')
      .update(files.get(file.name) ?? '')
      .digest('hex');
  const lines = manifest.files.map(({ name, size, sm3 }) => `${sm3} ${size} ${name}\n`);
  const text = `${manifest.format}\n${JSON.stringify(manifest.range)}\n${lines.join('')}`;
  manifest.sm2 = { public_key: key.publicKey.toString('hex'), signature: key.sign(text) };
  change(manifest);
  return packManifest(files, manifest);
}

/** The lines of all files whose name begins with `prefix`. */
export const linesOf = ({ files }: EvidenceFile, prefix: string): readonly string[] =>
  [...files]
    .filter(([name]) => name.startsWith(prefix))
    .flatMap(([, content]) => content.toString().split('\n').filter(Boolean));

/** Replaces the rows of a log. */
export function setLines({ files }: EvidenceFile, prefix: string, lines: readonly string[]): void {
  const names = [...files.keys()].filter((name) => name.startsWith(prefix));
  for (const name of names.slice(1)) files.delete(name);
  files.set(names[0] ?? '', Buffer.from(lines.map((line) => `${line}\n`).join('')));
}
