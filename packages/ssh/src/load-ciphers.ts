import { cryptoModule } from './internals.ts';
import { withLargePackets } from './packet-size.ts';
import { withPaddingPool } from './padding-pool.ts';
import { refuseNative } from './refuse-native.ts';

let isLoaded = false;

/**
 * Loads ssh2's module of ciphers with its repairs. Every other module of ssh2 loads it, also the
 * parser of keys, so this call comes first.
 */
export function loadCiphers(): void {
  if (isLoaded) return;
  isLoaded = true;
  refuseNative();
  withLargePackets(() => withPaddingPool(cryptoModule));
}
