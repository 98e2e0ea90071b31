import { hybridExchanges, type OfferedAlgorithms } from '@sallyport/ssh';

/** Software name in our SSH identification. */
export const IDENT = 'Sallyport';

/**
 * Supported by every client of the last ten years. ChaCha20 is for clients without AES-GCM: it
 * costs several times as much CPU here (docs/adr/0006).
 */
export const MODERN: OfferedAlgorithms = {
  kex: [
    ...hybridExchanges(),
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-ctr',
    'aes192-ctr',
    'aes256-ctr',
    'chacha20-poly1305@openssh.com',
  ],
  mac: [
    'hmac-sha2-256-etm@openssh.com',
    'hmac-sha2-512-etm@openssh.com',
    'hmac-sha2-256',
    'hmac-sha2-512',
  ],
};

/** Modern algorithms, followed by SHA-1 and CBC for older clients. */
export const WITH_OLD: OfferedAlgorithms = {
  kex: [...MODERN.kex, 'diffie-hellman-group14-sha1'],
  serverHostKey: [...MODERN.serverHostKey, 'ssh-rsa'],
  cipher: [...MODERN.cipher, 'aes256-cbc', 'aes192-cbc', 'aes128-cbc'],
  mac: [...MODERN.mac, 'hmac-sha1-etm@openssh.com', 'hmac-sha1'],
};
