import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'ldapts';
import { type Certificates, makeCertificates } from '../certificates.ts';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';

export const SUFFIX = 'dc=example,dc=com';
export const PEOPLE = `ou=people,${SUFFIX}`;
export const CONTRACTORS = `ou=contractors,${SUFFIX}`;
/** The account that may change all entries. */
const WRITER = { dn: `cn=writer,${SUFFIX}`, password: 'writer hunter2' };
/** The account that may read all entries. */
export const READER = { dn: `cn=reader,${SUFFIX}`, password: 'reader hunter2' };

/** A user of the directory. */
export interface Entry {
  readonly uid: string;
  readonly cn?: string;
  readonly mail?: string;
  /** Values of departmentNumber. */
  readonly groups?: readonly string[];
  readonly base?: string;
  /** Policy of its password, and when the password was changed. */
  readonly policy?: { readonly name: keyof typeof MORE_POLICIES; readonly changed: Date };
}

/** Policies that say when a password expires, and that allow sign-ins after it. */
const MORE_POLICIES = {
  warns: 'pwdMaxAge: 864000\npwdExpireWarning: 864000',
  grace: 'pwdMaxAge: 2592000\npwdGraceAuthNLimit: 3',
};
const timeOf = (date: Date) => `${date.toISOString().slice(0, 19).replace(/\D/g, '')}Z`;

/** Returns the password for a user name. */
export const passwordOf = (uid: string) => `secret of ${uid}`;

/** A real OpenLDAP server in a separate folder. */
export interface Slapd {
  readonly port: number;
  readonly url: string;
  readonly secureUrl: string;
  readonly certificates: Certificates;
  /** Certificate of its authority. */
  readonly authorities: readonly string[];
  /** Changes entries as the administrator of the directory would. */
  change(work: (directory: Client) => Promise<unknown>): Promise<void>;
  /** Returns the output so far. */
  readonly log: () => string;
  stop(): Promise<void>;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function entryOf({ uid, cn = uid, mail, groups = [], base = PEOPLE, policy }: Entry): string {
  const lines = [
    `dn:: ${base64(`uid=${uid.replace(/[\\",+;<=>#]/g, '\\$&')},${base}`)}`,
    'objectClass: inetOrgPerson',
    `uid:: ${base64(uid)}`,
    `cn:: ${base64(cn)}`,
    `sn:: ${base64(cn)}`,
  ];
  if (mail) lines.push(`mail: ${mail}`);
  if (policy)
    lines.push(
      `pwdPolicySubentry: cn=${policy.name},${SUFFIX}`,
      `pwdChangedTime: ${timeOf(policy.changed)}`,
    );
  for (const group of groups) lines.push(`departmentNumber:: ${base64(group)}`);
  return [...lines, `userPassword:: ${base64(passwordOf(uid))}`].join('\n');
}

/** Returns `count` users; the last quarter are contractors. */
export function manyPeople(count: number): Entry[] {
  return Array.from({ length: count }, (_, index) => {
    const uid = `person${String(index + 1).padStart(4, '0')}`;
    return {
      uid,
      cn: `Person ${index + 1}`,
      mail: `${uid}@example.com`,
      base: index < count * 0.75 ? PEOPLE : CONTRACTORS,
    };
  });
}

/** Password policy and groups, as an administrator adds them. */
const POLICY = `overlay ppolicy
ppolicy_default "cn=policy,${SUFFIX}"
ppolicy_use_lockout
overlay memberof
`;
const POLICY_ENTRY = `dn: cn=policy,${SUFFIX}
objectClass: organizationalRole
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
pwdLockout: TRUE
pwdMaxFailure: 3
pwdLockoutDuration: 0
pwdMustChange: TRUE`;

const morePolicies = Object.entries(MORE_POLICIES).map(
  ([name, rules]) => `dn: cn=${name},${SUFFIX}
objectClass: organizationalRole
objectClass: pwdPolicy
cn: ${name}
pwdAttribute: userPassword
${rules}`,
);

function settingsOf(
  folder: string,
  { authority, certificate, key }: Certificates,
  policy: boolean,
): string {
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
${policy ? 'moduleload ppolicy\nmoduleload memberof\n' : ''}pidfile ${join(folder, 'pid')}
# As generous as many directories are: a name without a password is let in as a visitor.
allow bind_anon_cred
TLSCACertificateFile ${authority}
TLSCertificateFile ${certificate}
TLSCertificateKeyFile ${key}
database mdb
maxsize 134217728
suffix "${SUFFIX}"
directory ${join(folder, 'db')}
rootdn "${WRITER.dn}"
rootpw "${WRITER.password}"
index uid,mail,cn eq
limits dn.exact="${READER.dn}" size=unlimited time=unlimited
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${READER.dn}" read by * none
${policy ? POLICY : ''}`;
}

/** Starts a directory with these users. */
export async function startSlapd(
  people: readonly Entry[],
  { names, policy = false }: { readonly names?: string; readonly policy?: boolean } = {},
): Promise<Slapd> {
  requirePeers('slapd');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-slapd-'));
  mkdirSync(join(folder, 'db'));
  const certificates = await makeCertificates(folder, names);
  const settings = join(folder, 'slapd.conf');
  writeFileSync(settings, settingsOf(folder, certificates, policy));
  const content = [
    `dn: ${SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\no: Example\ndc: example`,
    ...[PEOPLE, CONTRACTORS].map(
      (dn) => `dn: ${dn}\nobjectClass: organizationalUnit\nou: ${dn.slice(3, dn.indexOf(','))}`,
    ),
    `dn: ${READER.dn}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\ncn: reader\nuserPassword: ${READER.password}`,
    ...(policy ? [POLICY_ENTRY, ...morePolicies] : []),
    ...people.map(entryOf),
  ].join('\n\n');
  writeFileSync(join(folder, 'people.ldif'), `${content}\n`);
  execFileSync('/usr/sbin/slapadd', ['-q', '-f', settings, '-l', join(folder, 'people.ldif')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });

  const [port, securePort] = [await freePort(), await freePort()];
  const url = `ldap://127.0.0.1:${port}`;
  const secureUrl = `ldaps://127.0.0.1:${securePort}`;
  const child = spawn(
    '/usr/sbin/slapd',
    ['-d', 'stats', '-h', `${url} ${secureUrl}`, '-f', settings],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let printed = '';
  child.stderr.on('data', (chunk) => {
    printed += String(chunk);
  });
  const closed = once(child, 'close');
  const answers = (at: number) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(at, '127.0.0.1', () => resolve(true)).on('error', () =>
        resolve(false),
      );
      socket.once('connect', () => socket.destroy());
    });
  await until(async () => (await answers(port)) && (await answers(securePort)), 'slapd answers');
  return {
    port,
    url,
    secureUrl,
    certificates,
    authorities: [readFileSync(certificates.authority, 'utf8')],
    async change(work) {
      const directory = new Client({ url });
      try {
        await directory.bind(WRITER.dn, WRITER.password);
        await work(directory);
      } finally {
        await directory.unbind();
      }
    },
    log: () => printed,
    async stop() {
      child.kill();
      await closed;
      await removeFolder(folder);
    },
  };
}
