/** Reads and makes keys with the parts of ssh2 that do it, which are loaded with the first key; the rest of ssh2 is not needed for it. */
import './refuse-native.ts';
import { onUse } from '../on-use.ts';
import type { ssh2 } from './ssh2.ts';

type Utils = typeof ssh2.utils;

const reader = onUse<Pick<Utils, 'parseKey'>>('ssh2/lib/protocol/keyParser.js');
const maker = onUse<Pick<Utils, 'generateKeyPairSync'>>('ssh2/lib/keygen.js');

/** Reads a key in any form that ssh2 knows; an error that is not thrown when it cannot be read. */
export const parseKey: Utils['parseKey'] = (data, passphrase) =>
  reader().parseKey(data, passphrase);

/** Makes an Ed25519 key pair in the format of OpenSSH. */
export const makeEd25519 = (comment: string): ReturnType<Utils['generateKeyPairSync']> =>
  maker().generateKeyPairSync('ed25519', { comment });
