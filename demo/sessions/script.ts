import type { ScriptedTerminal } from './scripted-terminal.ts';

/** The machine of a script. */
export interface Stage {
  readonly hostname: string;
  readonly ip: string;
  readonly username: string;
  readonly os: string;
  readonly startedAt: Date;
}

/** A sample session on some machines; users and account match the sample permissions. */
export interface Script {
  /** Prefixes of the host names. */
  readonly hosts: readonly string[];
  /** Groups of the users. */
  readonly groups: readonly string[];
  readonly account: string;
  play(terminal: ScriptedTerminal, stage: Stage): void;
}

const paint = (code: string) => (text: string) => `\x1b[${code}m${text}\x1b[0m`;

/** Colors of shells and tools. */
export const red = paint('31');
export const green = paint('32');
export const yellow = paint('33');
export const cyan = paint('36');
export const bold = paint('1');

/** Returns the system's prompt in a folder. */
export function shellPrompt({ hostname, username, os }: Stage, folder = '~'): string {
  if (os === 'FreeBSD' || os === 'OpenBSD')
    return `${username}@${hostname}:${folder} ${username === 'root' ? '#' : '%'} `;
  if (os === 'Debian' || os === 'Ubuntu')
    return `\x1b[01;32m${username}@${hostname}\x1b[00m:\x1b[01;34m${folder}\x1b[00m$ `;
  return `[${username}@${hostname} ${folder === '~' ? '~' : (folder.split('/').at(-1) ?? folder)}]$ `;
}

/** Returns the output of a login. */
export function greeting({ startedAt, os }: Stage): string {
  const last = `Last login: ${logDate(new Date(startedAt.getTime() - 19.4 * 3_600_000))} from 198.18.1.11`;
  if (os === 'Ubuntu')
    return `Welcome to Ubuntu 24.04.3 LTS (GNU/Linux 6.8.0-85-generic x86_64)\n\n * Documentation:  https://help.ubuntu.com\n\n${last}`;
  if (os === 'FreeBSD') return `${last}\nFreeBSD 14.3-RELEASE-p5 GENERIC`;
  return last;
}

/** Formats a date as `Thu Nov 19 14:02:11 2026` in UTC. */
export function logDate(date: Date): string {
  const [weekday = '', day = '', month = '', year = '', time = ''] = date
    .toUTCString()
    .replace(',', '')
    .split(' ');
  return `${weekday} ${month} ${day} ${time} ${year}`;
}

/** Formats a date with an offset in seconds as `2026-11-19 14:02:11`. */
export function stamp(date: Date, seconds = 0): string {
  return new Date(date.getTime() + seconds * 1000).toISOString().replace('T', ' ').slice(0, 19);
}
