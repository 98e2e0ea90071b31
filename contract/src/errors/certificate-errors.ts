import type { LocalText } from '../kit/text.ts';

/** Errors of SSH certificates that sign system users in. */
export const CERTIFICATE_ERRORS = {
  ssh_authority_missing: {
    en: 'No SSH authority can sign a certificate for {account}. An administrator can create one.',
    zh: '没有可为 {account} 签发证书的 SSH 证书颁发机构，请由管理员创建。',
  },
  ssh_authority_failed: {
    en: 'The outside SSH authority issued no certificate ({reason}).',
    zh: '外部 SSH 证书颁发机构未签发证书（{reason}）。',
  },
  ssh_authority_unreadable: {
    en: 'The outside SSH authority did not print an Ed25519 certificate.',
    zh: '外部 SSH 证书颁发机构输出的不是 Ed25519 证书。',
  },
  ssh_authority_key: {
    en: 'The outside SSH authority certified another key than the requested one.',
    zh: '外部 SSH 证书颁发机构签发的证书不属于所请求的密钥。',
  },
  ssh_authority_type: {
    en: 'The outside SSH authority issued a host certificate, not a user certificate.',
    zh: '外部 SSH 证书颁发机构签发的是主机证书，而不是用户证书。',
  },
  ssh_authority_validity: {
    en: 'The certificate of the outside SSH authority is valid for longer than allowed.',
    zh: '外部 SSH 证书颁发机构签发的证书有效期超过允许的上限。',
  },
  ssh_authority_expired: {
    en: 'The certificate of the outside SSH authority is not valid now.',
    zh: '外部 SSH 证书颁发机构签发的证书当前无效。',
  },
  ssh_authority_principal: {
    en: 'The certificate of the outside SSH authority lacks the principal {name}.',
    zh: '外部 SSH 证书颁发机构签发的证书缺少主体 {name}。',
  },
} as const satisfies Record<string, LocalText>;
