/** Parses and generates keys with only the needed modules of ssh2, loaded on first use. */
import './refuse-native.ts';
import { onUse } from '../on-use.ts';
import type { ssh2 } from './ssh2.ts';

type Utils = typeof ssh2.utils;

const reader = onUse<Pick<Utils, 'parseKey'>>('ssh2/lib/protocol/keyParser.js');
const maker = onUse<Pick<Utils, 'generateKeyPairSync'>>('ssh2/lib/keygen.js');

/** Parses a key in any format that ssh2 supports. Returns an error instead of throwing it. */
export const parseKey: Utils['parseKey'] = (data, passphrase) =>
  reader().parseKey(data, passphrase);

/** Generates an Ed25519 key pair in OpenSSH format. */
export const makeEd25519 = (comment: string): ReturnType<Utils['generateKeyPairSync']> =>
  maker().generateKeyPairSync('ed25519', { comment });
