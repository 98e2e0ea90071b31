import type { Client } from '@sallyport/ssh';
import type { Locale } from '../connector.ts';

/** Exists on all systems since glibc 2.35, and on Debian, Fedora and Alpine for much longer. */
const UTF8_LANGUAGE = 'C.UTF-8';
const OPENSSH = /^OpenSSH_(\d{1,3})\./;
/**
 * Systems with an older OpenSSH, such as CentOS 7, may not know `C.UTF-8`. There the variable would
 * replace a language of the system that works.
 */
const FIRST_OPENSSH = 8;

/**
 * Returns the variables for a shell or command: those of the client, else `LANG` by the charset of
 * the target. No charset, or a server other than OpenSSH, gets none: devices may end a session at
 * an unknown request.
 */
export function variablesFor(
  client: Client,
  { environment, charset }: Locale,
): Record<string, string> {
  if (environment) return { ...environment };
  const version: unknown = Reflect.get(client, '_remoteVer');
  const major = typeof version === 'string' ? OPENSSH.exec(version)?.[1] : undefined;
  const isKnown = Number(major) >= FIRST_OPENSSH;
  return charset === 'utf8' && isKnown ? { LANG: UTF8_LANGUAGE } : {};
}
