/** Either side of a connection: `handshake` comes after each key exchange, the first one and those that follow. */
interface Exchanging {
  on(event: 'handshake', listener: () => void): unknown;
}

/**
 * Has a connection forget the key pair of each key exchange when that is over: ssh2 keeps it until the next one. That is 4 KiB for each connection, and who reads the memory of this process
 * later could open what was sent before. It sets a field of the library that is not its interface; a test fails if it moves.
 */
export function forgetExchangeKeys(connection: Exchanging): void {
  connection.on('handshake', () => {
    const protocol: unknown = Reflect.get(connection, '_protocol');
    const exchange: unknown =
      typeof protocol === 'object' && protocol !== null ? Reflect.get(protocol, '_kex') : undefined;
    // Only exchanges over Curve25519 have it; the others forget theirs by themselves.
    if (typeof exchange === 'object' && exchange !== null && '_keys' in exchange)
      Reflect.set(exchange, '_keys', null);
  });
}
