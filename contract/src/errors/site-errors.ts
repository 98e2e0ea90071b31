import type { LocalText } from '../kit/text.ts';

/** Errors of sites: gateways that reach out to this bastion. */
export const SITE_ERRORS = {
  connect_site_away: {
    en: 'The site {site} is not connected to this bastion.',
    zh: '站点“{site}”未连接到本堡垒机。',
  },
  connect_site_refused: {
    en: 'The site {site} does not connect to {host}: from there it cannot be reached, or the site does not permit it.',
    zh: '站点“{site}”没有连接到 {host}：从该站点无法访问，或站点不允许。',
  },
  connect_site_full: {
    en: 'The site {site} has too many connections. Try again later.',
    zh: '站点“{site}”的连接过多，请稍后重试。',
  },
  site_only: {
    en: 'This gateway is no site.',
    zh: '该网关不是站点。',
  },
  site_joined: {
    en: 'A machine has joined as this site. Create another site for another machine.',
    zh: '已有机器以该站点加入。其他机器需要新建站点。',
  },
  site_install_key: {
    en: 'The install key is wrong, used or expired.',
    zh: '安装密钥错误、已使用或已过期。',
  },
  site_public_key: {
    en: 'Send the public key of an Ed25519 key pair in the format of OpenSSH.',
    zh: '请发送 OpenSSH 格式的 Ed25519 公钥。',
  },
  site_no_listener: {
    en: 'The SSH port of this bastion is off; sites connect to it.',
    zh: '本堡垒机的 SSH 端口已关闭，站点需要连接该端口。',
  },
  site_behind_domain: {
    en: 'A site connects to this bastion itself, so its domain cannot be reached through another one.',
    zh: '站点主动连接本堡垒机，其网域不能经由其他网域访问。',
  },
} as const satisfies Record<string, LocalText>;
