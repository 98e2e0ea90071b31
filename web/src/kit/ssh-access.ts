import { type SshAccess, type SshPlace, sshAddress, sshText } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';

/** An asset and an account on it, as SSH clients name them. */
export interface SshTarget {
  readonly asset: { readonly id: string; readonly hostname: string };
  readonly account: { readonly id: string; readonly name: string; readonly username: string };
}

/** Names that are safe as part of a login name. */
const PLAIN_NAME = /^[\p{L}\p{N}_.+-]+$/u;

/** Reads how SSH clients reach the bastion; undefined until loaded. */
export function useSshAccess(enabled: boolean) {
  return useQuery({
    queryKey: ['ssh-access'],
    queryFn: ({ signal }) => api.get<SshAccess>('terminal/ssh/', { signal }),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Returns the host for SSH clients: the configured one, or that of this page. */
function sshHost({ host }: Pick<SshAccess, 'host'>): string {
  return host || window.location.hostname.replace(/^\[|\]$/g, '');
}

/** Returns the login name for the menu, or for an account of a server. */
export function sshLogin(username: string, target?: SshTarget): string {
  // A name with two or more @ would be parsed as one with a server.
  if (!target) return username.split('@').length > 2 ? `${username}@@` : username;
  const { asset, account } = target;
  return [
    username,
    firstPlain(account.name, account.username, account.id),
    firstPlain(asset.hostname, asset.id),
  ].join('@');
}

const placeOf = (access: SshAccess, username: string, target?: SshTarget): SshPlace => ({
  host: sshHost(access),
  port: access.port,
  login: sshLogin(username, target),
});

/** Returns the command that connects to the menu, or directly to a server. */
export const sshCommand = (access: SshAccess, username: string, target?: SshTarget): string =>
  sshText(placeOf(access, username, target));

/** Returns the `ssh://` address of the menu, or of a server. */
export const sshLink = (access: SshAccess, username: string, target?: SshTarget): string =>
  sshAddress(placeOf(access, username, target));

/** Returns the block of `~/.ssh/config` for the bastion. */
export function sshConfig(access: SshAccess, username: string): string {
  return [
    'Host sallyport',
    `  HostName ${sshHost(access)}`,
    `  Port ${access.port}`,
    `  User ${quoted(sshLogin(username))}`,
    '  ServerAliveInterval 30',
  ].join('\n');
}

/** Returns the lines of `~/.ssh/known_hosts` for the bastion and the servers reached through it. */
export function knownHosts(access: SshAccess): string {
  const host = sshHost(access);
  const name = access.port === 22 ? host : `[${host}]:${access.port}`;
  return [
    ...access.host_keys.map(({ public_key }) => `${name} ${public_key}`),
    ...(access.host_ca ? [`@cert-authority * ${access.host_ca}`] : []),
  ].join('\n');
}

const quoted = (text: string) => (/\s/.test(text) ? `"${text}"` : text);

const firstPlain = (...names: readonly string[]) =>
  names.find((name) => PLAIN_NAME.test(name)) ?? names.at(-1) ?? '';
