import { deleteKeyPair } from './internals.ts';

/** Either side of a connection. It emits `handshake` after every key exchange. */
interface Exchanging {
  on(event: 'handshake', listener: () => void): unknown;
}

/**
 * Deletes the key pair after each key exchange; ssh2 keeps it until the next one. That saves 4 KiB
 * per connection, and a later reader of this process's memory cannot decrypt earlier traffic.
 */
export function forgetExchangeKeys(connection: Exchanging): void {
  connection.on('handshake', () => deleteKeyPair(connection));
}
