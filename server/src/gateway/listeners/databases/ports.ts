import type { SecureContext } from 'node:tls';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Hub } from '../../hub.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts } from '../../ports.ts';

/** What proves a short-lived password: one of these for each way in which clients sign in. None of them is enough to sign in with. */
export interface PasswordVerifier {
  readonly scram?: {
    readonly salt: string;
    readonly iterations: number;
    readonly storedKey: string;
    readonly serverKey: string;
  };
  /** SHA-256 of SHA-256, and SHA-1 of SHA-1, as base64. */
  readonly sha256?: string;
  readonly sha1?: string;
}

/** A password that is in force, with what it opens. */
export interface LivePassword {
  readonly id: string;
  readonly verifier: PasswordVerifier;
  readonly databaseId: string;
  readonly systemUserId: string;
  readonly person: Person;
}

/** The short-lived passwords. */
export interface DatabasePasswords {
  /** The password of a name that clients sign in with; undefined where none is in force. */
  find(login: string, remoteAddress: string): Promise<LivePassword | undefined>;
  /** The version that clients of MySQL are greeted with: the protocol wants it before it says who comes. */
  mysqlVersion(): Promise<string>;
  /** It was used from an address. */
  used(id: string, remoteAddress: string): Promise<void>;
  /** Lets an address try. @throws an error with a code when it tries too often */
  limit(remoteAddress: string): Promise<void>;
}

/** What the listeners for clients of databases work with. */
export interface DatabaseContext {
  readonly ports: GatewayPorts;
  readonly hub: Hub;
  readonly recordings: Recordings;
  readonly passwords: DatabasePasswords;
  /** Makes the answers to names that nobody has the same each time. */
  readonly mockKey: Buffer;
  readonly tls: SecureContext;
  /** The hash of the certificate that clients bind their proof to; undefined where RFC 5929 has none for its signature. */
  readonly tlsBinding: Buffer | undefined;
  /** Whether clients may speak without TLS: only where the listener is reached from this machine alone. */
  readonly allowsPlain: boolean;
}
