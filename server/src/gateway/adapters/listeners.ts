import { LISTENED_DATABASES } from '@sallyport/contract';
import { connections } from '../../features/connections/index.ts';
import { health } from '../../features/health/index.ts';
import { identity } from '../../features/identity/index.ts';
import { perms } from '../../features/perms/index.ts';
import { servers } from '../../features/servers/index.ts';
import { sessions } from '../../features/sessions/index.ts';
import { settings } from '../../features/settings/index.ts';
import type { ModuleContext } from '../../module.ts';
import type { Gateway } from '../gateway.ts';
import type { SshListener } from '../listeners/ssh/listener.ts';
import type { SshSites } from '../listeners/ssh/ports.ts';
import type { GatewayPorts } from '../ports.ts';
import { type DatabaseListeners, startDatabaseListeners } from './databases/database-listeners.ts';
import { startSshListener } from './ssh/ssh-listener.ts';

interface Surroundings {
  readonly ports: GatewayPorts;
  readonly gateway: Gateway;
  readonly sites: SshSites;
}

/** The ports for programs of users: SSH, MySQL and PostgreSQL. Nothing listens before `start`. */
export class Listeners {
  #ssh: SshListener | undefined;
  #databases: DatabaseListeners | undefined;

  /** Starts the configured listeners. @throws StartError */
  async start(
    { core, use }: ModuleContext,
    { ports, gateway, sites }: Surroundings,
  ): Promise<void> {
    const people = use(identity);
    this.#ssh = await startSshListener({
      core,
      gateway,
      ports,
      self: use(servers),
      people,
      grants: use(perms),
      named: use(connections).named,
      invitations: use(sessions).invitations,
      settings: use(settings),
      sites,
    });
    this.#databases = await startDatabaseListeners({
      core,
      gateway,
      ports,
      limit: people.limit,
      processes: use(servers).processes,
    });
  }

  /** Makes the configured listeners a part of the health of this server. */
  addHealthChecks({ core: { config }, use }: ModuleContext): void {
    const { addCheck } = use(health);
    if (config.sshPort !== 0) addCheck('ssh', () => this.#ssh?.isListening === true);
    for (const kind of LISTENED_DATABASES)
      if (config[`${kind}Port`] !== 0)
        addCheck(kind, () => this.#databases?.isListening(kind) === true);
  }

  /** Port of the SSH listener; 0 without one. */
  get sshPort(): number {
    return this.#ssh?.port ?? 0;
  }

  /** Undefined unless one of them listens. */
  get databases(): DatabaseListeners | undefined {
    return this.#databases;
  }

  /** Returns the ports of all listeners. */
  ports(): readonly number[] {
    const databases = LISTENED_DATABASES.map((kind) => this.#databases?.port(kind) ?? 0);
    return [this.sshPort, ...databases].filter((port) => port !== 0);
  }

  /** Ends the SSH connections of a sign-in. */
  signOut(loginId: string): void {
    this.#ssh?.signOut(loginId);
  }

  /** Rejects new connections; open ones continue. */
  stopAccepting(): void {
    this.#ssh?.stopAccepting();
    this.#databases?.stopAccepting();
  }

  /** Rejects new connections, and waits until the open ones have ended. */
  async handOver(): Promise<void> {
    await Promise.all([this.#ssh?.handOver(), this.#databases?.handOver()]);
  }

  /** Closes the listeners and all connections. */
  stop(): void {
    this.#ssh?.stop();
    this.#databases?.stop();
  }
}
