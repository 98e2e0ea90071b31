import { randomUUID } from 'node:crypto';
import { generateSshKeyPair } from '@sallyport/ssh';
import {
  djangoHash,
  SOURCE_KEY,
  type Source,
  sealEcb,
  sealGcm,
  sealSm4,
  signText,
} from './source.ts';

/** The password of the imported user `li.wei`. */
export const PASSWORD = 'the password of Li Wei 1';
/** Texts that no output may contain. */
export const SECRETS = [PASSWORD, SOURCE_KEY, 'of the gateway 1', 'of deploy 1', 'of db-1 only 1'];
/** Base32 secret of the user's codes. */
export const OTP = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** Adds the rows of an installation in the default organization. Returns ids by name. */
export async function fillVersion2({ add }: Source) {
  const id = randomUUID;
  const ids = {
    ...{ liWei: id(), wangFang: id(), group: id(), root: id(), web: id(), db: id() },
    ...{ domain: id(), adminUser: id(), deploy: id(), rdp: id(), web1: id(), db1: id() },
    ...{ byNode: id(), byAsset: id(), filter: id() },
  };
  await add('users_user', {
    ...{ id: ids.liWei, username: 'li.wei', name: 'Li Wei', email: 'li.wei@example.com' },
    ...{ password: djangoHash(PASSWORD), mfa_level: 1, otp_secret_key: sealEcb(OTP) },
    date_expired: '2090-01-01T00:00:00Z',
  });
  await add('users_user', {
    ...{ id: ids.wangFang, username: 'wang.fang', name: 'Wang Fang' },
    ...{ email: 'wang.fang@example.com', password: '!', source: 'ldap', role: 'Auditor' },
  });
  await add('users_user', { id: id(), username: 'koko', name: 'koko', role: 'App' });
  await add('users_usergroup', { id: ids.group, name: 'Operators' });
  await add('users_user_groups', { user_id: ids.liWei, usergroup_id: ids.group });
  await add('assets_node', { id: ids.root, key: '1', value: 'Default' });
  await add('assets_node', { id: ids.web, key: '1:1', value: 'Web' });
  await add('assets_node', { id: ids.db, key: '1:1:1', value: 'Databases' });
  await add('assets_platform', { id: 1, name: 'Linux', base: 'Linux', internal: true });
  await add('assets_platform', { id: 9, name: 'Old-Unix', base: 'Unix', charset: 'gbk' });
  await add('assets_domain', { id: ids.domain, name: 'Shanghai' });
  await add('assets_gateway', {
    ...{ id: id(), name: 'sh-gw', ip: '198.51.100.7', port: 22, domain_id: ids.domain },
    ...{ username: 'jump', password: sealGcm('of the gateway 1') },
  });
  await add('assets_adminuser', {
    ...{ id: ids.adminUser, name: 'root key', username: 'root' },
    private_key: signText(generateSshKeyPair('root').private),
  });
  await add('assets_systemuser', {
    ...{ id: ids.deploy, name: 'deploy', username: 'deploy', sudo: '/bin/systemctl' },
    ...{ shell: '/bin/bash', sftp_root: 'home', password: sealGcm('of deploy 1') },
  });
  await add('assets_systemuser', {
    ...{ id: ids.rdp, name: 'operators', username: 'ops', protocol: 'rdp', login_mode: 'manual' },
  });
  const asset = { platform_id: 1, admin_user_id: ids.adminUser };
  await add('assets_asset', {
    ...{ ...asset, id: ids.web1, hostname: 'web-1', ip: '10.0.0.1', protocols: 'ssh/22 rdp/3389' },
    domain_id: ids.domain,
  });
  await add('assets_asset', {
    ...{ ...asset, id: ids.db1, hostname: 'db-1', ip: '10.0.0.2', port: 2222, platform_id: 9 },
  });
  await add('assets_asset_nodes', { asset_id: ids.web1, node_id: ids.web });
  await add('assets_asset_nodes', { asset_id: ids.db1, node_id: ids.db });
  await add('assets_authbook', {
    ...{ id: id(), asset_id: ids.db1, username: 'deploy', password: sealSm4('of db-1 only 1') },
  });
  await add('perms_assetpermission', { id: ids.byNode, name: 'Operators on web' });
  await add('perms_assetpermission_user_groups', {
    ...{ assetpermission_id: ids.byNode, usergroup_id: ids.group },
  });
  await add('perms_assetpermission_nodes', {
    ...{ assetpermission_id: ids.byNode, node_id: ids.web },
  });
  for (const systemUser of [ids.deploy, ids.rdp])
    await add('perms_assetpermission_system_users', {
      ...{ assetpermission_id: ids.byNode, systemuser_id: systemUser },
    });
  await add('assets_commandfilter', { id: ids.filter, name: 'No reboot' });
  await add('assets_commandfilterrule', {
    ...{ id: id(), filter_id: ids.filter, content: 'reboot\r\nhalt', priority: 90 },
  });
  await add('assets_systemuser_cmd_filters', {
    ...{ systemuser_id: ids.deploy, commandfilter_id: ids.filter },
  });
  return ids;
}
