import { describe, expect, it } from 'vitest';
import { refuseMetadata } from './address-policy.ts';
import { withDirectory } from './directory/connection.ts';
import { createElastic } from './elastic/client.ts';
import { type MailAccount, reachMailServer } from './mail/mail.ts';
import { createAzureStorage } from './storage/azure-storage.ts';
import { createS3Storage } from './storage/s3-storage.ts';

const REFUSED = /metadata service/;
const mail: MailAccount = {
  host: '169.254.169.254',
  port: 25,
  user: '',
  password: '',
  from: '',
  ssl: false,
  startTls: false,
};
const directory = {
  uri: 'ldap://169.254.169.254',
  startTls: false,
  bindDn: '',
  bindPassword: '',
  bases: [],
  filter: '',
  attributes: {},
  authorities: undefined,
};
const s3 = {
  bucket: 'recordings',
  accessKey: 'a',
  secretKey: 'b',
  endpoint: 'http://169.254.169.254',
  region: '',
  pathStyle: true,
};
const azure = {
  container: 'recordings',
  account: 'a',
  key: 'Yg==',
  suffix: 'example.com',
  endpoint: 'http://169.254.169.254',
};
const cluster = {
  hosts: ['http://169.254.169.254:9200'],
  username: '',
  password: '',
  certificate: '',
};

describe('an address of a metadata service', () => {
  it.each(['169.254.169.254', '100.100.100.200', '[fd00:ec2::254]', '::ffff:169.254.169.254'])(
    'refuses %s',
    async (host) => {
      await expect(refuseMetadata(host)).rejects.toThrow(REFUSED);
    },
  );

  it.each(['127.0.0.1', '[::1]', '10.0.0.5', 'name-that-does-not-resolve.invalid'])(
    'does not include %s',
    async (host) => {
      await expect(refuseMetadata(host)).resolves.toBeUndefined();
    },
  );

  it.each<[string, () => Promise<unknown>]>([
    ['a mail server', () => reachMailServer(mail)],
    ['a directory', () => withDirectory(directory, 5_000, async () => undefined)],
    ['a bucket of S3', () => createS3Storage(s3).stat('2026-01-31/a')],
    ['a container of Azure', () => createAzureStorage(azure).stat('2026-01-31/a')],
    ['an index of commands', () => createElastic(cluster).send('GET', '/')],
  ])('is refused as %s', async (_kind, contact) => {
    await expect(contact()).rejects.toThrow(REFUSED);
  });
});
