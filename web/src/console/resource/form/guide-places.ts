import { type Field, type LocalText, targetOf } from '@sallyport/contract';

/** Anchors in the operator guide, by language, for words that newcomers do not know. */
export const GUIDE = {
  accounts: { en: 'accounts-which-is-which', zh: '账号的区别' },
  commandFilters: { en: 'command-filters', zh: '命令过滤器' },
  domains: { en: 'domains', zh: '网域' },
  encryptedBackups: { en: 'encrypted-backups', zh: '加密备份' },
  labels: { en: 'labels', zh: '标签' },
  nodes: { en: 'nodes', zh: '节点' },
  permissionFactor: { en: 'second-factor-of-a-permission', zh: '授权的双重认证' },
  platforms: { en: 'platforms', zh: '系统平台' },
  pushing: { en: 'pushing-system-users', zh: '推送系统用户' },
  sftpRoot: { en: 'sftp-root', zh: 'sftp-根路径' },
  sshCertificates: { en: 'ssh-certificates', zh: 'ssh-证书' },
  systemUsers: { en: 'system-users', zh: '系统用户' },
  telnet: { en: 'telnet', zh: 'telnet' },
} as const satisfies Record<string, LocalText>;

const BY_TARGET: Readonly<Record<string, LocalText>> = {
  admin_user: GUIDE.accounts,
  command_filter: GUIDE.commandFilters,
  domain: GUIDE.domains,
  label: GUIDE.labels,
  node: GUIDE.nodes,
  platform: GUIDE.platforms,
  system_user: GUIDE.accounts,
};

/** Returns the place in the operator guide that explains the objects of a field. */
export function guideOf(field: Field): LocalText | undefined {
  const target = targetOf(field);
  return target === undefined ? undefined : BY_TARGET[target];
}
