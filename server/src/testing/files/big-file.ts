import { open as openFile } from 'node:fs/promises';

/** Writes a file of printable, hardly compressible lines. */
export async function writeBigFile(path: string, megabytes: number): Promise<void> {
  const line = (seed: number) =>
    `${Buffer.from(`${seed * 2654435761}${seed * 40503}${seed}`)
      .toString('base64')
      .padEnd(78, '.')
      .slice(0, 78)}\n`;
  const block = Buffer.from(
    Array.from({ length: 13_272 }, (_, index) => line(index)).join(''),
  ).subarray(0, 1024 * 1024);
  const file = await openFile(path, 'w', 0o644);
  for (let written = 0; written < megabytes; written++) await file.write(block);
  await file.close();
}
