import { posixWord } from './posix-words.ts';

/** A bastion and a site, for the commands on the machine of the site. */
export interface SitePlace {
  /** URL of the console, without a slash at the end. */
  readonly console: string;
  readonly installKey: string;
  /** Host and port of the SSH listener. */
  readonly host: string;
  readonly port: number;
  /** Name to sign in with. */
  readonly login: string;
  /** Ports that the site lets the bastion connect to. */
  readonly ports: readonly number[];
}

/** POST assets/gateways/{id}/install-key/: what the machine of a site needs to join. */
export interface SiteInstall {
  readonly install_key: string;
  readonly date_expired: string;
  /** Makes a key, joins, and pins the host keys of this bastion. */
  readonly command: string;
  /** systemd unit that keeps the tunnel open. */
  readonly unit: string;
}

/** Folder of a site's key on its machine. */
const FOLDER = '/etc/sallyport-site';
/** The client names this port only; nothing listens on it at either end. */
const FORWARDED = '1080';

/** The public route at which the machine of a site joins. */
export const JOIN_SITE_PATH = '/api/v1/assets/sites/join/';

/**
 * Returns the command for the machine of a site. It makes a key, sends the public half with the
 * install key, and pins the host keys of the answer.
 */
export function siteJoinCommand({ console, installKey }: SitePlace): string {
  const commands = [
    ['install', '-d', '-m', '700', FOLDER],
    ['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', 'site', '-f', `${FOLDER}/key`],
    [
      'curl',
      '-fsS',
      '--data-urlencode',
      `install_key=${installKey}`,
      '--data-urlencode',
      `public_key@${FOLDER}/key.pub`,
      '-o',
      `${FOLDER}/known_hosts`,
      `${console}${JOIN_SITE_PATH}`,
    ],
  ];
  return commands.map((words) => ['sudo', ...words.map(posixWord)].join(' ')).join(' && ');
}

/** Arguments of `ssh` that keep the tunnel of a site open. */
export function siteTunnelWords({
  host,
  port,
  login,
  ports,
}: Pick<SitePlace, 'host' | 'port' | 'login' | 'ports'>): readonly string[] {
  const settings: Readonly<Record<string, string>> = {
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    StrictHostKeyChecking: 'yes',
    UserKnownHostsFile: `${FOLDER}/known_hosts`,
    ExitOnForwardFailure: 'yes',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '3',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const permitted = ports.length === 0 ? ['*:22'] : ports.map((one) => `*:${one}`);
  return [
    ...['-N', '-T', '-R', FORWARDED, '-i', `${FOLDER}/key`],
    ...options,
    ...['-o', `PermitRemoteOpen=${permitted.join(' ')}`],
    ...['-p', String(port), '-l', login, '--', host],
  ];
}

/** systemd reads `%` and `$` in a command, and splits at blanks outside of quotes. */
const unitWord = (word: string) => {
  const escaped = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w./:@=%+-]+$/.test(escaped) ? escaped : `"${escaped}"`;
};

/** Returns the systemd unit that keeps the tunnel of a site open. */
export const siteUnit = (place: SitePlace): string => `[Unit]
Description=Tunnel to the bastion
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
ExecStart=/usr/bin/ssh ${siteTunnelWords(place).map(unitWord).join(' ')}
Restart=always
RestartSec=5
# A file for each channel; systemd allows 1,024.
LimitNOFILE=4096

[Install]
WantedBy=multi-user.target
`;
