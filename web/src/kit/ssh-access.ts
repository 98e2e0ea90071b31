import type { SshAccess } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';

/** An asset and an account on it, as SSH clients name them. */
export interface SshTarget {
  readonly asset: { readonly id: string; readonly hostname: string };
  readonly account: { readonly id: string; readonly name: string; readonly username: string };
}

/** Names that are safe as part of a login name. */
const PLAIN_NAME = /^[\p{L}\p{N}_.+-]+$/u;
/** Words without a special meaning in any shell. */
const PLAIN_WORD = /^[\w.@:+-]+$/;

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

/** Returns the POSIX shell command that connects to the menu, or directly to a server. */
export function sshCommand(access: SshAccess, username: string, target?: SshTarget): string {
  const destination = `${sshLogin(username, target)}@${sshHost(access)}`;
  const port = access.port === 22 ? '' : `-p ${access.port} `;
  return `ssh ${port}${PLAIN_WORD.test(destination) ? destination : `'${destination.replaceAll("'", `'\\''`)}'`}`;
}

/**
 * Returns an `ssh://` address (draft-ietf-secsh-scp-sftp-ssh-uri); the login is percent-encoded
 * into one word.
 */
export function sshLink(access: SshAccess, username: string, target?: SshTarget): string {
  const host = sshHost(access);
  return `ssh://${encodeURIComponent(sshLogin(username, target))}@${host.includes(':') ? `[${host}]` : host}${access.port === 22 ? '' : `:${access.port}`}`;
}

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
