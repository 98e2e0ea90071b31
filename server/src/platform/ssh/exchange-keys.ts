/** Either side of a connection. It emits `handshake` after every key exchange. */
interface Exchanging {
  on(event: 'handshake', listener: () => void): unknown;
}

/**
 * Deletes the key pair after each key exchange; ssh2 keeps it until the next one. That saves 4 KiB
 * per connection, and a later reader of this process's memory cannot decrypt earlier traffic. It
 * sets a private field of the library; a test fails if the field moves.
 */
export function forgetExchangeKeys(connection: Exchanging): void {
  connection.on('handshake', () => {
    const protocol: unknown = Reflect.get(connection, '_protocol');
    const exchange: unknown =
      typeof protocol === 'object' && protocol !== null ? Reflect.get(protocol, '_kex') : undefined;
    // Only Curve25519 exchanges have this field; others delete their keys themselves.
    if (typeof exchange === 'object' && exchange !== null && '_keys' in exchange)
      Reflect.set(exchange, '_keys', null);
  });
}
