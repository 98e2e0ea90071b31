import { expect, it } from 'vitest';
import { BadPdu } from './byte-reader.ts';
import { ShareRelay } from './share-relay.ts';

/** A licensing message (MS-RDPELE 2.2.2) without content. */
const LICENSE = Buffer.from([0x80, 0, 0, 0, 2, 2, 4, 0]);
/** Demand Active and Deactivate All (MS-RDPBCGR 2.2.1.13.1, 2.2.3.1), as short as they may be. */
const DEMAND_ACTIVE = Buffer.from('12001100ea03ea0301000000000000000000', 'hex');
const DEACTIVATE_ALL = Buffer.from('06001600ea03', 'hex');
const USER = 1007;

const startRelay = () =>
  new ShareRelay(32, {
    toServer: () => undefined,
    toBrowser: (data) => data,
    endReason: () => undefined,
    resized: () => undefined,
    complete: () => undefined,
    picture: () => undefined,
    show: () => undefined,
  });

it('rejects the seventeenth license of a server whose page answers each', () => {
  const relay = startRelay();
  for (let license = 0; license < 16; license++) {
    relay.fromServer(LICENSE, USER);
    relay.fromBrowser(LICENSE);
  }
  expect(() => relay.fromServer(LICENSE, USER)).toThrow(BadPdu);
});

it('rejects a server that begins the desktop without end', () => {
  const relay = startRelay();
  for (let time = 0; time < 200; time++) {
    relay.fromServer(DEMAND_ACTIVE, USER);
    relay.fromServer(DEACTIVATE_ALL, USER);
  }
  expect(() => relay.fromServer(DEMAND_ACTIVE, USER)).toThrow(BadPdu);
});
