import { expect, it } from 'vitest';
import { BadPdu } from './byte-reader.ts';
import { ShareRelay } from './share-relay.ts';

/** A licensing message (MS-RDPELE 2.2.2) without content. */
const LICENSE = Buffer.from([0x80, 0, 0, 0, 2, 2, 4, 0]);
const USER = 1007;

it('rejects the seventeenth license of a server whose page answers each', () => {
  const relay = new ShareRelay(32, {
    toServer: () => undefined,
    toBrowser: (data) => data,
    endReason: () => undefined,
    picture: () => undefined,
    show: () => undefined,
  });
  for (let license = 0; license < 16; license++) {
    relay.fromServer(LICENSE, USER);
    relay.fromBrowser(LICENSE);
  }
  expect(() => relay.fromServer(LICENSE, USER)).toThrow(BadPdu);
});
