import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { ALNUM, DIGITS, LOWER, type Maker } from './maker.ts';

/**
 * Output of commands that an administrator runs: diffs, logs, lists of files and packages, digests,
 * dumps, certificates and configuration files. Recorded on Debian.
 */
export const recordedWork = (): string =>
  zstdDecompressSync(readFileSync(new URL('ordinary-work.txt.zst', import.meta.url))).toString(
    'utf8',
  );

const NAMES = [
  'api',
  'auth',
  'billing',
  'cache',
  'db',
  'keycloak',
  'session',
  'token-issuer',
  'web',
];
const USERS = ['root', 'deploy', 'postgres', 'www-data'];

const uuid = (m: Maker) => [8, 4, 4, 4, 12].map((length) => m.hex(length)).join('-');
const ip = (m: Maker) => `10.${m.below(256)}.${m.below(256)}.${m.below(256)}`;
const time = (m: Maker) => `${10 + m.below(14)}:${10 + m.below(50)}:${10 + m.below(50)}`;
const date = (m: Maker) => `2026-${10 + m.below(3)}-${10 + m.below(19)}`;
const pod = (m: Maker) => `${m.pick(NAMES)}-${m.of(`${LOWER}${DIGITS}`, 10)}-${m.of(LOWER, 5)}`;

/** Lines of programs, with random values where real output has ids, digests and numbers. */
const LINES: readonly ((m: Maker) => string)[] = [
  (m) => `commit ${m.hex(40)}`,
  (m) => `${m.hex(8)} auth: rotates the token of a session when the password changes`,
  (m) => `index ${m.hex(10)}..${m.hex(10)} 100644`,
  () => '+    const token = await readToken(request.headers.authorization);',
  (m) => `-  "integrity": "sha512-${m.base64(64)}",`,
  (m) => `${m.hex(64)}  ${m.pick(NAMES)}-${m.below(9)}.${m.below(20)}.tar.gz`,
  (m) =>
    `${m.hex(12)}   ${m.pick(NAMES)}:${m.hex(7)}   "/entrypoint.sh ${m.pick(NAMES)}"   Up 3 hours`,
  (m) => `${m.pick(NAMES)}@sha256:${m.hex(64)}`,
  (m) => `sha256:${m.hex(64)}: Pull complete`,
  (m) => `${pod(m)}   1/1     Running   ${m.below(9)}   ${m.below(90)}d`,
  (m) =>
    `${m.pick(NAMES)}-token-${m.of(LOWER, 5)}   kubernetes.io/service-account-token   3   ${m.below(90)}d`,
  (m) => `db-password          Opaque                 ${m.below(5)}      ${m.below(90)}d`,
  (m) => `    uid: ${uuid(m)}`,
  (m) => `    secretName: ${m.pick(NAMES)}-tls`,
  (m) => `      secretKeyRef: {name: ${m.pick(NAMES)}, key: password}`,
  (m) =>
    `Nov 27 ${time(m)} web1 sshd[${m.below(9999)}]: Accepted publickey for ${m.pick(USERS)} from ${ip(m)} port ${m.below(65535)} ssh2: ED25519 SHA256:${m.base64(32).replace('=', '')}`,
  (m) =>
    `Nov 27 ${time(m)} web1 sshd[${m.below(9999)}]: Failed password for invalid user ${m.of(LOWER, 6)} from ${ip(m)} port ${m.below(65535)}`,
  (m) =>
    `Nov 27 ${time(m)} web1 sudo: pam_unix(sudo:auth): authentication failure; logname=${m.pick(USERS)} uid=${m.below(2000)}`,
  (m) =>
    `Nov 27 ${time(m)} web1 systemd[1]: Starting password-agent.service - Forward Password Requests to Wall...`,
  (m) =>
    `Nov 27 ${time(m)} web1 kernel: audit: type=1400 audit(${m.below(1e9)}.${m.below(999)}:${m.below(999)}): apparmor="DENIED" operation="open"`,
  (m) =>
    `${ip(m)} - - [27/Nov/2026:${time(m)} +0000] "POST /oauth/token HTTP/1.1" 200 ${m.below(9999)} "-" "curl/7.88.1" rt=0.0${m.below(99)}`,
  (m) =>
    `${ip(m)} - - [27/Nov/2026:${time(m)} +0000] "GET /reset-password?next=/a/${m.below(99)} HTTP/2.0" 302 0`,
  (m) =>
    `{"level":"info","ts":"${date(m)}T${time(m)}Z","trace_id":"${m.hex(32)}","span_id":"${m.hex(16)}","msg":"token refreshed","user":${m.below(9999)}}`,
  (m) =>
    `time="${date(m)}T${time(m)}Z" level=warning msg="secret not found" secret=${m.pick(NAMES)} request=${uuid(m)}`,
  (m) =>
    `-rw-r--r-- 1 ${m.pick(USERS)} ${m.pick(USERS)} ${m.below(99999)} Nov 27 10:11 ${m.of(ALNUM, 12)}.key`,
  (m) => `-rw------- 1 root root 2602 Nov 27 10:11 id_rsa_${m.pick(NAMES)}`,
  (m) =>
    `${String(m.below(32768)).padStart(7)} ${m.pick(USERS)}  20   0  ${m.below(99999)}  ${m.below(99999)}   ${m.below(9999)} S   ${m.below(99)}.${m.below(9)}   0:0${m.below(9)}.${10 + m.below(80)} ${m.pick(NAMES)}`,
  (m) =>
    `Get:${m.below(99)} http://deb.debian.org/debian bookworm/main amd64 lib${m.of(LOWER, 6)} amd64 ${m.below(9)}.${m.below(20)}.${m.below(9)}-${m.below(9)}+deb12u${m.below(9)} [${m.below(999)} kB]`,
  (m) => `Setting up passwd (1:4.13+dfsg1-1+deb12u${m.below(9)}) ...`,
  (m) =>
    `tcp   LISTEN 0  4096  ${ip(m)}:${m.below(65535)}  0.0.0.0:*  users:(("${m.pick(NAMES)}",pid=${m.below(9999)},fd=${m.below(99)}))`,
  (m) => `${m.hex(8)}  ${(m.hex(32).match(/../g) ?? []).join(' ')}  |${m.of(`${ALNUM}.`, 16)}|`,
  (m) => m.base64(57),
  (m) => `iVBORw0KGgo${m.base64(45)}`,
  (m) =>
    `        X509v3 Subject Key Identifier: ${(m.hex(40).toUpperCase().match(/../g) ?? []).join(':')}`,
  (m) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${m.base64(31)} ${m.pick(USERS)}@web1`,
  (m) =>
    ` ${m.below(9999)} | ${m.pick(USERS)} | ${uuid(m)} | ${date(m)} ${time(m)}.${m.below(999999)}+00 | password_changed`,
  (m) =>
    `${m.pick(NAMES)}.example.org. 300 IN TXT "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC${m.base64(60)}"`,
  () => '  + password    = (sensitive value)',
  (m) => `  + key_id      = "arn:aws:kms:eu-west-1:${m.of(DIGITS, 12)}:key/${uuid(m)}"`,
  (m) => `PWD=/home/${m.pick(USERS)}/${m.pick(NAMES)}${m.below(99)}`,
  (m) => `SSH_AUTH_SOCK=/tmp/ssh-${m.of(ALNUM, 12)}/agent.${m.below(9999)}`,
  () => 'password_encryption = scram-sha-256   # scram-sha-256 or md5',
  (m) => `GET ${m.pick(NAMES)}:session:${uuid(m)} -> (nil)`,
  (m) => `remote: https://git.example.org/${m.pick(NAMES)}/${m.pick(NAMES)}.git (fetch)`,
];

/** Makes output of ordinary work, as long as the recorded one. */
export const makeWork = (m: Maker, lines: number): string =>
  Array.from({ length: lines }, () => m.pick(LINES)(m)).join('\n');
