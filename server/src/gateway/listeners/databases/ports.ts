import type { SecureContext } from 'node:tls';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';

/**
 * Verifiers of a short-lived password, one per authentication method. None is sufficient to sign
 * in.
 */
export interface PasswordVerifier {
  readonly scram?: {
    readonly salt: string;
    readonly iterations: number;
    readonly storedKey: string;
    readonly serverKey: string;
  };
  /** SHA-256 of SHA-256, and SHA-1 of SHA-1, in base64. */
  readonly sha256?: string;
  readonly sha1?: string;
}

/** A valid password and its target. */
export interface LivePassword {
  readonly id: string;
  readonly verifier: PasswordVerifier;
  readonly databaseId: string;
  readonly systemUserId: string;
  readonly person: Person;
}

/** Short-lived passwords. */
export interface DatabasePasswords {
  /** Returns the valid password for a login name; undefined if none. */
  find(login: string, remoteAddress: string): Promise<LivePassword | undefined>;
  /**
   * The version in the greeting of MySQL clients. The protocol sends it before the client names
   * itself.
   */
  mysqlVersion(): Promise<string>;
  /** Records the use of a password. */
  used(id: string, remoteAddress: string): Promise<void>;
  /** Enforces the rate limit of an address. @throws an error with a code when it is exceeded */
  limit(remoteAddress: string): Promise<void>;
}

/**
 * The processes of this server that share the port of a listener. A client cancels a statement on a
 * new connection, which may reach another process.
 */
export interface SharedListener {
  /** Number of this process, 1 to 32. */
  readonly number: number;
  answer(name: string, answer: (about: unknown) => unknown): void;
  /** Asks another process. Undefined if it does not answer. */
  ask(number: number, name: string, about: unknown): Promise<unknown>;
}

/** Bits of a connection id that name its process. */
const PROCESS_BITS = 0b11111;

/** Puts the number of a process into a random connection id. */
export const idInProcess = (id: number, { number }: SharedListener): number =>
  ((id & ~PROCESS_BITS) | (number - 1)) >>> 0;

/** The number of the process that gave out a connection id. */
export const processOfId = (id: number): number => (id & PROCESS_BITS) + 1;

export interface DatabaseContext {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
  readonly passwords: DatabasePasswords;
  /** Key for the constant answers to unknown names. */
  readonly mockKey: Buffer;
  readonly tls: SecureContext;
  /**
   * Hash of the certificate for channel binding; undefined if RFC 5929 defines none for its
   * signature.
   */
  readonly tlsBinding: Buffer | undefined;
  /** Allows connections without TLS; only for listeners on loopback. */
  readonly allowsPlain: boolean;
}
