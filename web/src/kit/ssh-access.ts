import type { SshAccess } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';

/** A server and an account on it, as an SSH client names them. */
export interface SshTarget {
  readonly asset: { readonly id: string; readonly hostname: string };
  readonly account: { readonly id: string; readonly name: string; readonly username: string };
}

/** What may be part of a login name without being taken for something else. */
const PLAIN_NAME = /^[\p{L}\p{N}_.+-]+$/u;
/** What no shell gives a meaning to. */
const PLAIN_WORD = /^[\w.@:+-]+$/;

/** How SSH clients reach the bastion; undefined until it is known. */
export function useSshAccess(enabled: boolean) {
  return useQuery({
    queryKey: ['ssh-access'],
    queryFn: ({ signal }) => api.get<SshAccess>('terminal/ssh/', { signal }),
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The host that SSH clients connect to: the configured one, or that of this page. */
function sshHost({ host }: Pick<SshAccess, 'host'>): string {
  return host || window.location.hostname.replace(/^\[|\]$/g, '');
}

/** The name to sign in with: for the menu, or for an account of a server. */
export function sshLogin(username: string, target?: SshTarget): string {
  // A name with two or more @ would be read as one with a server.
  if (!target) return username.split('@').length > 2 ? `${username}@@` : username;
  const { asset, account } = target;
  return [
    username,
    firstPlain(account.name, account.username, account.id),
    firstPlain(asset.hostname, asset.id),
  ].join('@');
}

/** The command for a POSIX shell that connects: to the menu, or straight to a server. */
export function sshCommand(access: SshAccess, username: string, target?: SshTarget): string {
  const destination = `${sshLogin(username, target)}@${sshHost(access)}`;
  const port = access.port === 22 ? '' : `-p ${access.port} `;
  return `ssh ${port}${PLAIN_WORD.test(destination) ? destination : `'${destination.replaceAll("'", `'\\''`)}'`}`;
}

/** The address that a program registered for `ssh://` opens (draft-ietf-secsh-scp-sftp-ssh-uri); the login is one word in it, whatever it holds. */
export function sshLink(access: SshAccess, username: string, target?: SshTarget): string {
  const host = sshHost(access);
  return `ssh://${encodeURIComponent(sshLogin(username, target))}@${host.includes(':') ? `[${host}]` : host}${access.port === 22 ? '' : `:${access.port}`}`;
}

/** The block of `~/.ssh/config` that names the bastion. */
export function sshConfig(access: SshAccess, username: string): string {
  return [
    'Host sallyport',
    `  HostName ${sshHost(access)}`,
    `  Port ${access.port}`,
    `  User ${quoted(sshLogin(username))}`,
    '  ServerAliveInterval 30',
  ].join('\n');
}

/** The lines of `~/.ssh/known_hosts` by which clients know the bastion, and the servers that they reach through it. */
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
