import { crc32, inflateRawSync } from 'node:zlib';

/**
 * Returns the text files of a zip archive by name, read from its directory. @throws Error for a
 * wrong checksum
 */
export function unzip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  const parts = new Map<string, string>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [sum, packed, size] = [
      archive.readUInt32LE(at + 16),
      archive.readUInt32LE(at + 20),
      archive.readUInt32LE(at + 24),
    ];
    const nameLength = archive.readUInt16LE(at + 28);
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    const begin = local + 30 + archive.readUInt16LE(local + 26);
    const data = inflateRawSync(archive.subarray(begin, begin + packed));
    if (data.length !== size || crc32(data) !== sum) throw new Error(`${name} is damaged`);
    parts.set(name, data.toString());
    at += 46 + nameLength;
  }
  return parts;
}
