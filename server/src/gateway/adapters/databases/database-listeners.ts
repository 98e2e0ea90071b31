import type { ListenedDatabase } from '@sallyport/contract';
import { type Config, StartError } from '../../../config.ts';
import type { RateLimit } from '../../../features/identity/index.ts';
import type { Core } from '../../../module.ts';
import type { Gateway } from '../../gateway.ts';
import { DatabaseListener } from '../../listeners/databases/listener.ts';
import { mysqlSpeaker } from '../../listeners/databases/mysql/serve.ts';
import type { SharedListener } from '../../listeners/databases/ports.ts';
import { postgresSpeaker } from '../../listeners/databases/postgresql/serve.ts';
import type { GatewayPorts } from '../../ports.ts';
import { createDatabasePasswords } from './database-passwords.ts';
import { ensureListenerCertificate, type ListenerCertificate } from './listener-certificate.ts';

export interface DatabaseListenerParts {
  readonly core: Pick<Core, 'db' | 'vault' | 'config' | 'recordings'>;
  readonly gateway: Gateway;
  readonly ports: GatewayPorts;
  readonly limit: RateLimit;
  readonly processes: SharedListener;
}

export interface DatabaseListeners {
  readonly certificate: ListenerCertificate;
  readonly allowsPlain: boolean;
  port(kind: ListenedDatabase): number;
  isListening(kind: ListenedDatabase): boolean;
  stopAccepting(): void;
  /** Rejects new connections, and waits until the open ones have ended. */
  handOver(): Promise<unknown>;
  stop(): void;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/**
 * Starts the configured listeners. Returns undefined when all are off.
 * @throws StartError
 */
export async function startDatabaseListeners({
  core,
  gateway,
  ports,
  limit,
  processes,
}: DatabaseListenerParts): Promise<DatabaseListeners | undefined> {
  const { db, vault, config, recordings } = core;
  const portNumbers = { mysql: config.mysqlPort, postgresql: config.postgresqlPort } as const;
  if (portNumbers.mysql === 0 && portNumbers.postgresql === 0) return undefined;
  const certificate = await ensureListenerCertificate({ db, vault, config });
  const allowsPlain = LOOPBACK.has(config.sqlHost);
  const mockKeys = vault.keysFor('database listeners: unknown names');
  const context = {
    ports,
    hub: gateway.hub,
    recordings,
    passwords: createDatabasePasswords(db, limit, ports.access.isSignedIn),
    // The same in all servers and processes: an unknown name must look like a known one.
    // Read at each use: processes that started before and after a rotation agree.
    get mockKey() {
      return mockKeys.active().bytes;
    },
    tls: certificate.context,
    tlsBinding: certificate.binding,
    allowsPlain,
  };
  const listeners = new Map<ListenedDatabase, DatabaseListener>();
  const stop = () => {
    for (const listener of listeners.values()) listener.stop();
  };
  try {
    for (const [kind, speaker] of SPEAKERS) {
      const port = portNumbers[kind];
      if (port === 0) continue;
      const listener = new DatabaseListener({
        context,
        host: config.sqlHost,
        port,
        speak: speaker(processes),
      });
      await listener.listen().catch((error: unknown) => {
        throw startErrorOf(error, kind, port, config);
      });
      listeners.set(kind, listener);
    }
  } catch (error) {
    stop();
    throw error;
  }
  return {
    certificate,
    allowsPlain,
    port: (kind) => listeners.get(kind)?.port ?? 0,
    isListening: (kind) => listeners.get(kind)?.isListening === true,
    stopAccepting: () => {
      for (const listener of listeners.values()) listener.stopAccepting();
    },
    handOver: () => Promise.all([...listeners.values()].map((listener) => listener.handOver())),
    stop,
  };
}

const SPEAKERS = [
  ['postgresql', postgresSpeaker],
  ['mysql', mysqlSpeaker],
] as const;

function startErrorOf(
  error: unknown,
  kind: ListenedDatabase,
  port: number,
  { sqlHost }: Config,
): unknown {
  const name = kind === 'mysql' ? 'SALLYPORT_MYSQL_PORT' : 'SALLYPORT_POSTGRESQL_PORT';
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new StartError(
        `${name}: port ${port} is in use. Stop the program that has it, choose another, or switch the listener off (${name}='0').`,
      );
    case 'EACCES':
      return new StartError(
        `${name}: this account may not listen on port ${port}. Choose one above 1023.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(
        `SALLYPORT_SQL_HOST: this machine does not have the address ${sqlHost}. Example: SALLYPORT_SQL_HOST='127.0.0.1'`,
      );
    default:
      return error;
  }
}
