import { catalogue } from '../../../../kit/i18n/index.ts';

/** The kinds of secrets that a server masks. */
export const kinds = catalogue({
  private_key: {
    zh: '{count, number} 个私钥',
    en: '{count, plural, one {# private key} other {# private keys}}',
  },
  cloud_key: {
    zh: '{count, number} 个云密钥',
    en: '{count, plural, one {# cloud key} other {# cloud keys}}',
  },
  token: {
    zh: '{count, number} 个令牌',
    en: '{count, plural, one {# token} other {# tokens}}',
  },
  jwt: { zh: '{count, number} 个 JWT', en: '{count, plural, one {# JWT} other {# JWTs}}' },
  authorization: {
    zh: '{count, number} 个 Authorization 请求头',
    en: '{count, plural, one {# Authorization header} other {# Authorization headers}}',
  },
  url_password: {
    zh: '{count, number} 个 URL 中的密码',
    en: '{count, plural, one {# password in a URL} other {# passwords in URLs}}',
  },
  assignment: {
    zh: '{count, number} 个按名称识别的值',
    en: '{count, plural, one {# value found by its name} other {# values found by their names}}',
  },
  password_hash: {
    zh: '{count, number} 个密码哈希',
    en: '{count, plural, one {# password hash} other {# password hashes}}',
  },
  encoded_secret: {
    zh: '{count, number} 个编码后的值',
    en: '{count, plural, one {# encoded value} other {# encoded values}}',
  },
  known_password: {
    zh: '{count, number} 次所用账号的密码',
    en: '{count, plural, one {the password of the account} other {# times the password of the account}}',
  },
});

export const words = catalogue({
  masked: {
    zh: '已遮盖 {count, number} 处：{kinds}',
    en: '{count, plural, one {# secret masked} other {# secrets masked}}: {kinds}',
  },
});
