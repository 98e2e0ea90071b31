import { invalid } from '../../../platform/errors.ts';

/**
 * Shell functions for password hashes. `stored` reads the hash of the account `name`.
 * `set_password` and `set_hash` take the value as a function argument and pass it by standard
 * input, so that no process has it on its command line.
 */
export const PASSWORDS = String.raw`
stored() {
  hash=; found=; shadow=/etc/shadow; [ "$kind" = freebsd ] && shadow=/etc/master.passwd
  while IFS=: read -r n h rest; do [ "$n" = "$name" ] && { hash=$h; found=1; }; done <"$shadow"
  [ -n "$found" ]
}
set_password() {
  if [ "$kind" = freebsd ]; then printf "%s\n" "$1" | pw usermod -n "$name" -h 0
  else printf "%s:%s\n" "$name" "$1" | chpasswd; fi >&2
}
set_hash() {
  if [ "$kind" = freebsd ]; then printf "%s\n" "$1" | pw usermod -n "$name" -H 0
  else printf "%s:%s\n" "$name" "$1" | chpasswd -e; fi >&2
}
passwords() {
  system; root
  case $kind in freebsd) need pw ;; macos) refuse remote_macos ;; *) need chpasswd ;; esac
}`;

/**
 * Names of accounts and groups that `useradd` accepts. None begins with a hyphen, so none can be
 * read as an option.
 */
const ACCOUNT = /^[a-z_][a-z0-9_.-]{0,31}$/;
const PATH = /^\/[A-Za-z0-9_./-]{0,254}$/;

/** Validates the name of an account or group. @throws Invalid */
export function accountName(value: string, field: string): string {
  if (!ACCOUNT.test(value)) throw invalid(field, 'not_username');
  return value;
}

/** Validates an absolute path of safe characters. @throws Invalid */
export function plainPath(value: string, field: string): string {
  if (!PATH.test(value) || value.split('/').includes('..')) throw invalid(field, 'not_sftp_root');
  return value;
}

/** Validates a text of one line. @throws Invalid */
export function oneLine(value: string, field: string, max: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(value))
    throw invalid(field, 'control_character');
  return limited(value, field, max);
}

/** Validates a text that may have several lines, but no null character. @throws Invalid */
export function anyText(value: string, field: string, max: number): string {
  if (value.includes('\u0000')) throw invalid(field, 'control_character');
  return limited(value, field, max);
}

function limited(value: string, field: string, max: number): string {
  if (value === '') throw invalid(field, 'blank');
  if (Buffer.byteLength(value) > max) throw invalid(field, 'too_long', { max });
  return value;
}
