import { createHash } from 'node:crypto';
import { TAR_END, tarHeader, tarPadding } from '../../platform/tar.ts';

/** The manifest of an evidence file. */
export interface Manifest {
  format: string;
  range: { session?: string; from?: string; to?: string };
  parts: { log: string; first: number; last: number; end: number }[];
  files: { name: string; size: number; sha256: string }[];
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
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  return packFiles([...files, ['manifest.json', Buffer.from(text)]]);
}

/** Changes an evidence file as an attacker would. */
export function forge(bytes: Buffer, change: (file: EvidenceFile) => void): Buffer {
  const file = openEvidence(bytes);
  change(file);
  return packEvidence(file);
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
