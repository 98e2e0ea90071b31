import { BadPdu } from './byte-reader.ts';
import { insertSettings } from './grown-settings.ts';
import { settingsOf } from './mcs.ts';

/**
 * Cluster data block (MS-RDPBCGR 2.2.1.3.5): redirection version 4, with a valid session id. The id
 * 0 is the console.
 */
const CLUSTER = 0xc004;
const FLAGS = 0x0f;
const BLOCK = Buffer.from([0x04, 0xc0, 12, 0, FLAGS, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Makes a Connect Initial request the server's console. Replaces the browser's cluster block, or
 * appends one and adjusts all enclosing lengths.
 *
 * @throws BadPdu
 */
export function withConsole(mcs: Buffer): Buffer {
  for (const { kind, bytes } of settingsOf(mcs, 'Duca')) {
    if (kind !== CLUSTER) continue;
    if (bytes.length < BLOCK.length) throw new BadPdu('the settings of the session are too short');
    BLOCK.copy(bytes, 4, 4);
    return mcs;
  }
  return insertSettings(mcs, mcs.length, BLOCK);
}
