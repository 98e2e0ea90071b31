import { expect, it } from 'vitest';
import { RESOURCES } from '../resources/index.ts';
import { SETTING_CATEGORIES } from '../settings/settings.ts';
import { type Field, membersOf } from './field-kinds.ts';
import { METADATA_NETWORKS, namesMetadataService } from './metadata-service.ts';
import type { Fields } from './resource.ts';

it.each([
  '169.254.169.254',
  '169.254.170.2:80',
  '2852039166',
  '0xa9fea9fe',
  '0xA9.0xFE.0xA9.0xFE',
  '0251.0376.0251.0376',
  '169.254.43518',
  '１６９.254.169.254',
  '169.254.169.254.',
  '::ffff:169.254.169.254',
  '[::ffff:a9fe:a9fe]:389',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '[64:ff9b::169.254.169.254]',
  '64:ff9b:1::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  '::ffff:0:169.254.169.254',
  'fd00:ec2::254',
  'FD00:0EC2:0:0:0:0:0:254',
  'fd20:ce::254',
  'fe80::a9fe:a9fe%eth0',
  'http://[fe80::a9fe:a9fe%25eth0]/',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'metadata',
  'Metadata.Google.Internal.',
  'metadata.tencentyun.com:80',
  'instance-data.ec2.internal',
  'https://metadata.goog/computeMetadata/v1/',
  'http://169.254.169.254/latest/meta-data/',
  'HTTP:\\\\169.254.169.254\\latest',
  'https://user:secret@2852039166:443/x?y#z',
  'https://%31%36%39.254.169.254/',
  'ldap://0xa9fea9fe:389',
  'ldaps://[fd00:ec2::254]',
  'radius.example.com, 169.254.169.254:1812',
  'https://es-1.example.com:9200,https://169.254.169.254:9200',
  'https://es-1.example.com:9200; https://100.100.100.200',
])('recognizes %j', (text) => expect(namesMetadataService(text)).toBe(true));

it.each([
  '',
  'localhost',
  '127.0.0.1',
  '10.0.0.5:1812',
  '169.253.255.255',
  '169.255.0.1',
  '100.100.100.201',
  '[2001:db8::169]',
  'fe80::1%eth0',
  'metadata.example.com',
  'https://login.example.com/saml/metadata',
  'https://mail.example.com/?from=169.254.169.254',
  'https://169.254.169.254.example.com/',
  'ldap://localhost:389',
  'radius.example.com, 10.0.0.2:1645',
])('passes %j', (text) => expect(namesMetadataService(text)).toBe(false));

it('knows networks that every reader of addresses accepts', () => {
  for (const network of METADATA_NETWORKS) expect(network).toMatch(/^[0-9a-f.:]+(\/\d{1,3})?$/);
});

/** Fields that hold an address and that this server never calls as a service, with the reason. */
const NO_SERVICES: Readonly<Record<string, string>> = {
  'basic.SITE_URL': 'browsers open it',
  'basic.USER_GUIDE_URL': 'browsers open it',
  'basic.HELP_DOCS_URL': 'browsers open it',
  'basic.HELP_SUPPORT_URL': 'browsers open it',
  'basic.HELP_ENTERPRISE_URL': 'browsers open it',
  'basic.TASK_MONITOR_URL': 'browsers open it',
  'notices.ANNOUNCEMENT_LINK': 'browsers open it',
  'email.EMAIL_HOST_USER': 'an account',
  'agent.hosts': 'patterns of names',
  'asset.hostname': 'a name',
  'asset.ip': 'a target, which SALLYPORT_TARGET_NETWORKS decides',
  'asset.public_ip': 'shown only',
  'gateway.ip': 'a target, which SALLYPORT_TARGET_NETWORKS decides',
  'cluster.host': 'a target, which SALLYPORT_TARGET_NETWORKS decides',
  'cluster.tls_name': 'a name in a certificate',
  'database_app.host': 'a target, which SALLYPORT_TARGET_NETWORKS decides',
  'remote_app.params.mysql_workbench_ip': 'a program on a target opens it',
  'remote_app.params.chrome_target': 'a program on a target opens it',
  'remote_app.params.vmware_target': 'a program on a target opens it',
  'remote_app.params.custom_target': 'a program on a target opens it',
};
const LOOKS_LIKE_ADDRESS =
  /(^|_)(url|uri|hosts?|hostname|servers|endpoint|address|issuer|ip|domain|target|link|proxy|collector)(_|$)/i;

/** The fields of text that callers write, by their path. */
function textsOf(path: string, fields: Fields): [string, Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Field][] => {
    if (field.mode === 'readonly') return [];
    if (field.kind === 'object') return textsOf(`${path}.${name}`, membersOf(field));
    return field.kind === 'text' || field.kind === 'list' ? [[`${path}.${name}`, field]] : [];
  });
}
const TEXTS = [
  ...RESOURCES.flatMap(({ name, fields }) => textsOf(name, fields)),
  ...Object.entries(SETTING_CATEGORIES).flatMap(([name, { fields }]) => textsOf(name, fields)),
];
const isService = (field: Field) => 'isService' in field && field.isService === true;

it('checks each field that looks like the address of a service, or says why not', () => {
  const looks = TEXTS.filter(([path, field]) => {
    const name = path.split('.').at(-1) ?? '';
    const isAddress = 'format' in field && ['url', 'host'].includes(field.format);
    return (isAddress || LOOKS_LIKE_ADDRESS.test(name)) && !isService(field);
  }).map(([path]) => path);
  expect(looks.filter((path) => NO_SERVICES[path] === undefined)).toEqual([]);
});

it('gives a reason only for fields that exist and are not checked', () => {
  const paths = TEXTS.map(([path]) => path);
  for (const path of Object.keys(NO_SERVICES)) expect(paths).toContain(path);
  const checked = TEXTS.filter(([, field]) => isService(field)).map(([path]) => path);
  expect(Object.keys(NO_SERVICES).filter((path) => checked.includes(path))).toEqual([]);
});
