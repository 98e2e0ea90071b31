import { type Config, StartError } from '../../../config.ts';
import { createNamedDatabases, type NamedAssets } from '../../../features/connections/index.ts';
import { endSignInsHeldBy, type identity } from '../../../features/identity/index.ts';
import type { GrantService } from '../../../features/perms/index.ts';
import type { InvitationService } from '../../../features/sessions/index.ts';
import type { Core, Module } from '../../../module.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import type { Gateway } from '../../gateway.ts';
import { SshListener } from '../../listeners/ssh/listener.ts';
import type { SshSites } from '../../listeners/ssh/ports.ts';
import type { GatewayPorts } from '../../ports.ts';
import { ensureHostAuthority, ensureListenerKeys } from './listener-keys.ts';
import { createSshSharing } from './ssh-sharing.ts';
import { createSshSignIns } from './ssh-sign-ins.ts';
import { createSshTargets } from './ssh-targets.ts';

type ServiceOf<M> = M extends Module<infer Service> ? Service : never;

export interface SshListenerParts {
  readonly core: Pick<Core, 'db' | 'vault' | 'config' | 'log' | 'recordings'>;
  readonly gateway: Gateway;
  readonly ports: GatewayPorts;
  /** This process. */
  readonly self: { readonly id: string; readonly inherited: readonly string[] };
  readonly people: ServiceOf<typeof identity>;
  readonly grants: GrantService;
  readonly named: NamedAssets;
  readonly invitations: InvitationService;
  readonly settings: SettingsService;
  readonly sites: SshSites;
}

/** Starts the SSH listener as configured. Returns undefined when it is off. @throws StartError */
export async function startSshListener({
  core,
  gateway,
  ports,
  self,
  people,
  grants,
  named,
  invitations,
  settings,
  sites,
}: SshListenerParts): Promise<SshListener | undefined> {
  const { db, vault, config, log, recordings } = core;
  // The connections of these sign-ins ended when the previous process of this server died.
  await endSignInsHeldBy(db, self.inherited);
  if (config.sshPort === 0) return undefined;
  const keys = await ensureListenerKeys(db, vault);
  const authority = await ensureHostAuthority(db, vault);
  const [own] = keys;
  if (own?.type !== 'ssh-ed25519') throw new Error('there is no Ed25519 host key');
  const make = (port: number) =>
    new SshListener({
      context: {
        ports,
        hub: gateway.hub,
        visits: gateway,
        recordings,
        ssh: {
          identity: { key: own.privateKey, authority: authority.privateKey },
          signIns: createSshSignIns(db, people.signIns, people.limit, self.id),
          targets: createSshTargets(db, grants, named, () =>
            settings.get('TERMINAL_ASSET_LIST_SORT_BY'),
          ),
          databases: createNamedDatabases(db),
          sites,
          sharing: createSshSharing(invitations, people.current, people.site),
          settings: () => ({
            password: settings.get('TERMINAL_PASSWORD_AUTH'),
            publicKey: settings.get('TERMINAL_PUBLIC_KEY_AUTH'),
            oldAlgorithms: settings.get('TERMINAL_SSH_OLD_CLIENTS'),
            pageSize: settings.get('TERMINAL_ASSET_LIST_PAGE_SIZE'),
            notice: settings.get('SIGN_IN_NOTICE'),
          }),
        },
      },
      host: config.sshHost,
      port,
      hostKeys: keys.map(({ privateKey }) => privateKey),
      trustedProxies: config.sshTrustedProxies,
    });
  const listener = make(config.sshPort);
  try {
    await listener.listen();
    return listener;
  } catch (error) {
    // A demo next to another running server takes any free port.
    if (!config.demo || config.isSshPortChosen || codeOf(error) !== 'EADDRINUSE')
      throw startErrorOf(error, config);
    log.warn({ port: config.sshPort }, 'the SSH port is in use; the demo takes another one');
    const other = make(0);
    await other.listen();
    return other;
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

function startErrorOf(error: unknown, { sshPort, sshHost, httpHost }: Config): unknown {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new StartError(
        `SALLYPORT_SSH_PORT: port ${sshPort} is in use. Stop the program that has it, choose another (SALLYPORT_SSH_PORT='2223'), or switch the SSH listener off (SALLYPORT_SSH_PORT='0').`,
      );
    case 'EACCES':
      return new StartError(
        `SALLYPORT_SSH_PORT: this account may not listen on port ${sshPort}. Choose one above 1023: SALLYPORT_SSH_PORT='2222'`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(
        sshHost === httpHost
          ? `SALLYPORT_HTTP_HOST: this machine does not have the address ${httpHost}. Example: SALLYPORT_HTTP_HOST='127.0.0.1'`
          : `SALLYPORT_SSH_HOST: this machine does not have the address ${sshHost}. Example: SALLYPORT_SSH_HOST='127.0.0.1'`,
      );
    default:
      return error;
  }
}
