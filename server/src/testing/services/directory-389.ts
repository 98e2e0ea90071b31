import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { freePort } from '../free-port.ts';
import { requirePeers } from '../peers.ts';
import { until } from '../poll.ts';
import { removeFolder } from '../remove-folder.ts';

const SUFFIX = 'dc=example,dc=com';
export const PEOPLE_389 = `ou=people,${SUFFIX}`;
/** The directory manager. */
export const MANAGER_389 = { dn: 'cn=manager', password: 'manager hunter2' };

/** A real 389 Directory Server in a separate folder. */
export interface Directory389 {
  readonly url: string;
  add(uid: string): Promise<void>;
  /** Replaces attributes of an entry, `cn=config` for the policy of passwords. */
  replace(dn: string, values: Readonly<Record<string, string>>): Promise<void>;
  /** Works on the directory as its manager. */
  change(work: (directory: Client) => Promise<unknown>): Promise<void>;
  /** Changes a password as its user. */
  changeOwn(uid: string, password: string, next: string): Promise<void>;
  stop(): Promise<void>;
}

export const dn389 = (uid: string) => `uid=${uid},${PEOPLE_389}`;
export const password389 = (uid: string) => `secret of ${uid}`;

const PLACES = {
  schema_dir: 'conf/schema',
  config_dir: 'conf',
  lock_dir: 'lock',
  tmp_dir: 'tmp',
  cert_dir: 'cert',
  ldif_dir: 'ldif',
  bak_dir: 'bak',
  run_dir: 'run',
  inst_dir: 'inst',
  log_dir: 'log',
  db_dir: 'db',
  db_home_dir: 'db',
};

const BACKEND = `
dn: cn=userRoot,cn=ldbm database,cn=plugins,cn=config
objectclass: top
objectclass: extensibleObject
objectclass: nsBackendInstance
cn: userRoot
nsslapd-suffix: ${SUFFIX}

dn: cn="${SUFFIX}",cn=mapping tree,cn=config
objectclass: top
objectclass: extensibleObject
objectclass: nsMappingTree
cn: ${SUFFIX}
nsslapd-state: backend
nsslapd-backend: userRoot
`;

function hashOf(password: string): string {
  const salt = 'salt';
  const digest = createHash('sha1').update(password).update(salt).digest();
  return `{SSHA}${Buffer.concat([digest, Buffer.from(salt)]).toString('base64')}`;
}

/** Writes the configuration as `dscreate` does, but for any account and folder. */
function configure(folder: string, port: number): string {
  const places = Object.fromEntries(
    Object.entries(PLACES).map(([name, place]) => [name, join(folder, place)]),
  );
  for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
  const values: Readonly<Record<string, string>> = {
    ...places,
    fqdn: 'localhost',
    ds_port: String(port),
    ds_user: userInfo().username,
    rootdn: MANAGER_389.dn,
    ds_passwd: hashOf(MANAGER_389.password),
    ldapi_enabled: 'off',
    ldapi_autobind: 'off',
    ldapi: join(folder, 'run/ldapi'),
    ds_suffix: SUFFIX,
    db_lib: 'bdb',
  };
  const template = readFileSync('/usr/share/dirsrv/data/template-dse.ldif', 'utf8');
  const content = template
    .replace(/%(\w+)%/g, (_, name: string) => values[name] ?? '')
    .replace('nsslapd-rootpw:', 'nsslapd-listenhost: 127.0.0.1\nnsslapd-rootpw:');
  const config = join(folder, 'conf');
  // The server exits without a word at two blank lines.
  writeFileSync(join(config, 'dse.ldif'), `${content.trimEnd()}\n${BACKEND}`);
  for (const schema of ['/usr/share/dirsrv/schema', '/etc/dirsrv/schema'])
    cpSync(schema, join(config, 'schema'), { recursive: true });
  cpSync('/etc/dirsrv/config/slapd-collations.conf', join(config, 'slapd-collations.conf'));
  return config;
}

const replaced = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(
    ([type, value]) =>
      new Change({
        operation: 'replace',
        modification: new Attribute({ type, values: [value] }),
      }),
  );

/** Starts an empty directory: about two seconds. */
export async function startDirectory389(): Promise<Directory389> {
  requirePeers('389-ds-base');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-389-'));
  const port = await freePort();
  const url = `ldap://127.0.0.1:${port}`;
  const config = configure(folder, port);
  const child = spawn(
    '/usr/sbin/ns-slapd',
    ['-D', config, '-i', join(folder, 'run/pid'), '-d', '0'],
    { stdio: 'ignore' },
  );
  const closed = once(child, 'close');
  const change = async (work: (directory: Client) => Promise<unknown>, who = MANAGER_389) => {
    const directory = new Client({ url });
    try {
      await directory.bind(who.dn, who.password);
      await work(directory);
    } finally {
      await directory.unbind();
    }
  };
  const isUp = () =>
    change(async () => undefined).then(
      () => true,
      () => false,
    );
  await until(isUp, '389 Directory Server answers');
  await change(async (directory) => {
    await directory.add(SUFFIX, { objectClass: 'domain', dc: 'example' });
    await directory.add(PEOPLE_389, {
      objectClass: 'organizationalUnit',
      ou: 'people',
      aci: '(targetattr="userPassword")(version 3.0; acl "own"; allow (write) userdn="ldap:///self";)',
    });
  });
  return {
    url,
    add: (uid) =>
      change((directory) =>
        directory.add(dn389(uid), {
          objectClass: 'inetOrgPerson',
          uid,
          cn: uid,
          sn: uid,
          mail: `${uid}@example.com`,
          userPassword: password389(uid),
        }),
      ),
    change: (work) => change(work),
    replace: (dn, values) => change((directory) => directory.modify(dn, replaced(values))),
    changeOwn: (uid, password, next) =>
      change((directory) => directory.modify(dn389(uid), replaced({ userPassword: next })), {
        dn: dn389(uid),
        password,
      }),
    async stop() {
      child.kill();
      await closed;
      await removeFolder(folder);
    },
  };
}
