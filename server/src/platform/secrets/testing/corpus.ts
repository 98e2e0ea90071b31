import { ALNUM, DIGITS, type Maker, UPPER } from './maker.ts';

/** A made-up secret in ordinary surroundings. */
export interface Sample {
  readonly format: string;
  readonly text: string;
  /** The parts of `text` that must not remain. */
  readonly secrets: readonly string[];
}

type Make = (m: Maker) => { readonly text: string; readonly secret: string | readonly string[] };

const around =
  (prefix: (m: Maker) => string, body: (m: Maker) => string): Make =>
  (m) => {
    const secret = body(m);
    const before = m.pick(['', '  ', 'key: ', 'curl -s -d "', 'found ', '> ', 'remote: ']);
    return { text: `${before}${prefix(m)}${secret}${before.endsWith('"') ? '"' : ''}`, secret };
  };

const token = (prefixes: readonly string[], body: (m: Maker) => string): Make =>
  around((m) => m.pick(prefixes), body);

const pem =
  (name: string): Make =>
  (m) => {
    const key = m.lines(900 + m.below(900));
    return {
      text: `-----BEGIN ${name}-----\r\n${key}\r\n-----END ${name}-----`,
      secret: key.split('\r\n'),
    };
  };

const assigned =
  (template: readonly string[], body: (m: Maker) => string = (m) => m.password()): Make =>
  (m) => {
    const secret = body(m);
    return { text: m.pick(template).replace('@', () => secret), secret };
  };

const crypt = (m: Maker, length: number) => m.of(`${ALNUM}./`, length);

/** Formats of secrets, each made after its public description. */
/** Letters of hashes by crypt(3), and of ciphers of Huawei. */
const CRYPT = `${UPPER}${UPPER.toLowerCase()}${DIGITS}./`;
const SIGNS = `${CRYPT}#&*()+,-:;<=>?@[]{|}~`;

const device =
  (before: string, make: (m: Maker) => string, end = ''): Make =>
  (m) => {
    const secret = make(m);
    return { text: `${before}${secret}${end}`, secret };
  };

export const FORMATS: Readonly<Record<string, Make>> = {
  'PKCS#8 key': pem('PRIVATE KEY'),
  'RSA key': pem('RSA PRIVATE KEY'),
  'EC key': pem('EC PRIVATE KEY'),
  'OpenSSH key': pem('OPENSSH PRIVATE KEY'),
  'PGP key': pem('PGP PRIVATE KEY BLOCK'),
  'PEM in JSON': (m) => {
    const key = m.lines(900, '\\n');
    return {
      text: `"private_key": "-----BEGIN PRIVATE KEY-----\\n${key}\\n-----END PRIVATE KEY-----\\n",`,
      secret: key.split('\\n'),
    };
  },
  'PuTTY key': (m) => {
    const key = m.lines(600);
    const lines = key.split('\r\n');
    return {
      text: `PuTTY-User-Key-File-3: ssh-rsa\r\nEncryption: none\r\nPrivate-Lines: ${lines.length}\r\n${key}\r\nPrivate-MAC: ${m.hex(64)}`,
      secret: lines,
    };
  },
  'AWS access key': token(['AKIA', 'ASIA'], (m) => m.of(UPPER + DIGITS, 16)),
  'AWS secret key': assigned(
    [
      'aws_secret_access_key = @',
      'AWS_SECRET_ACCESS_KEY=@',
      '"SecretAccessKey": "@",',
      'export AWS_SECRET_ACCESS_KEY="@"',
    ],
    (m) => m.base64(30),
  ),
  'AWS session token': assigned(
    ['aws_session_token = @', 'AWS_SESSION_TOKEN=@', '"SessionToken": "@"'],
    (m) => `IQoJb3JpZ2lu${m.base64(240)}`,
  ),
  'GitHub token': token(['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_'], (m) => m.alnum(36)),
  'GitHub fine-grained token': token(['github_pat_'], (m) => `${m.alnum(22)}_${m.alnum(59)}`),
  'GitLab token': token(['glpat-', 'gldt-', 'glrt-'], (m) => m.word(20)),
  'Slack token': token(
    ['xoxb-', 'xoxp-'],
    (m) => `${m.of(DIGITS, 12)}-${m.of(DIGITS, 12)}-${m.alnum(24)}`,
  ),
  'Slack webhook': token(
    ['https://hooks.slack.com/services/'],
    (m) => `T${m.of(UPPER + DIGITS, 8)}/B${m.of(UPPER + DIGITS, 8)}/${m.alnum(24)}`,
  ),
  'Stripe key': token(['sk_live_', 'rk_live_', 'sk_test_'], (m) => m.alnum(24 + m.below(60))),
  'Google API key': token(['AIza'], (m) => m.word(35)),
  'Google client secret': token(['GOCSPX-'], (m) => m.word(28)),
  'Azure storage key': assigned(
    [
      'DefaultEndpointsProtocol=https;AccountName=logs;AccountKey=@;EndpointSuffix=core.windows.net',
    ],
    (m) => m.base64(64),
  ),
  'Azure client secret': around(
    () => '',
    (m) => `${m.alnum(3)}${m.of(DIGITS, 1)}Q~${m.of(`${ALNUM}_.~-`, 33)}${m.alnum(1)}`,
  ),
  'Azure SAS': assigned(
    ['https://logs.blob.core.windows.net/a?sv=2022-11-02&se=2026-12-01T00%3A00Z&sr=c&sig=@'],
    (m) => encodeURIComponent(m.base64(32)),
  ),
  'npm token': token(['npm_'], (m) => m.alnum(36)),
  'PyPI token': token(['pypi-AgEIcHlwaS5vcmc'], (m) => m.base64url(100)),
  'OpenAI key': token(['sk-proj-', 'sk-'], (m) => m.alnum(47) + m.of(DIGITS, 1)),
  'Anthropic key': token(['sk-ant-api03-'], (m) => m.word(90)),
  'Hugging Face token': token(['hf_'], (m) => m.alnum(33) + m.of(DIGITS, 1)),
  'SendGrid key': token(['SG.'], (m) => `${m.word(22)}.${m.word(43)}`),
  'DigitalOcean token': token(['dop_v1_'], (m) => m.hex(64)),
  'Telegram bot token': (m) => {
    const secret = m.word(33);
    return { text: `bot ${m.of('123456789', 10)}:AA${secret}`, secret };
  },
  'Telegram bot token in a URL': (m) => {
    const secret = m.word(33);
    return { text: `https://api.telegram.org/bot${m.of('123456789', 9)}:AA${secret}/send`, secret };
  },
  'Cisco type 5': (m) => {
    const secret = `${m.alnum(4)}$${m.of(CRYPT, 22)}`;
    return { text: `enable secret 5 $1$${secret}`, secret };
  },
  'Cisco type 7': device('username admin password 7 ', (m) => m.hex(14).toUpperCase()),
  'Cisco key of type 7': device('tacacs-server key 7 ', (m) => m.hex(16).toUpperCase()),
  'Cisco type 8': device('secret 8 $8$', (m) => `${m.of(CRYPT, 14)}$${m.of(CRYPT, 43)}`),
  'Cisco type 9': device('secret 9 $9$', (m) => `${m.of(CRYPT, 14)}$${m.of(CRYPT, 43)}`),
  'Arista sha512': device('secret sha512 $6$', (m) => `${m.alnum(16)}$${m.of(CRYPT, 86)}`),
  'SNMP community of Cisco': device('snmp-server community ', (m) => m.alnum(12), ' RO 10'),
  'SNMP community of net-snmp': device('rocommunity ', (m) => m.alnum(12), ' 10.0.0.0/8'),
  'SNMP community of an option': device('snmpwalk -v2c -c ', (m) => m.alnum(12), ' sw1 system'),
  'SNMP community of Huawei': device(
    'snmp-agent community read cipher %^%#',
    (m) => m.of(SIGNS, 48),
    '%^%# mib-view iso',
  ),
  'SNMP community of com2sec': device('com2sec local  10.0.0.0/8  ', (m) => m.alnum(12)),
  'Huawei password': device('irreversible-cipher %^%#', (m) => m.of(SIGNS, 48), '%^%#'),
  'Huawei password of old systems': device('cipher %$%$', (m) => m.of(SIGNS, 24), '%$%$'),
  'H3C key': device('key authentication cipher $c$3$', (m) => `${m.alnum(43)}=`),
  'H3C hash': device('password hash $h$6$', (m) => m.alnum(100)),
  'Juniper password': device('simple-password "$9$', (m) => m.of(CRYPT, 20), '"; ## SECRET'),
  'Fortinet password': device('set psksecret ENC ', (m) => `${m.alnum(62)}==`),
  'F5 password': device('secret $M$Wx$', (m) => `${m.alnum(22)}==`),
  'Aruba password': device('password-encrypted ciphertext ', (m) => `${m.alnum(40)}=`),
  'MikroTik password': device('/ppp secret add name=vpn password=', (m) => `${m.alnum(12)}7`),
  'Vault token': token(['hvs.'], (m) => m.word(90)),
  'Terraform cloud token': token(['Xk2abCdEfgH1jk.atlasv1.'], (m) => m.alnum(60)),
  'age key': token(['AGE-SECRET-KEY-1'], (m) => m.of(`${UPPER}${DIGITS}`, 58)),
  'WireGuard key': assigned(['PrivateKey = @', 'PresharedKey = @'], (m) => m.base64(32)),
  JWT: around(
    () => '',
    (m) => `eyJ${m.base64url(30)}.eyJ${m.base64url(60 + m.below(300))}.${m.base64url(32)}`,
  ),
  'bearer header': assigned(
    ['Authorization: Bearer @', "-H 'Authorization: Bearer @'", '"authorization": "bearer @"'],
    (m) => m.word(40),
  ),
  'basic header': assigned(
    ['Authorization: Basic @', '> authorization: Basic @', "-H 'Authorization: Basic @'"],
    (m) => Buffer.from(`deploy:${m.password()}`).toString('base64'),
  ),
  'API key header': assigned(
    ['X-Api-Key: @', 'x-auth-token: @', "curl -H 'X-Vault-Token: @' http://127.0.0.1:8200/v1/kv"],
    (m) => m.word(32),
  ),
  'URL password': assigned([
    'postgres://app:@@db.internal:5432/app',
    'DATABASE_URL=mysql://root:@@10.0.0.3/shop',
    'redis://:@@cache:6379/0',
    'remote: https://deploy:@@git.example.org/a.git',
    'mongodb+srv://app:@@cluster0.example.net/?retryWrites=true',
    'amqp://guest:@@mq:5672/',
  ]),
  'environment variable': assigned([
    'DB_PASSWORD=@',
    'export SECRET_KEY=@',
    'API_KEY=@',
    'MYSQL_ROOT_PASSWORD=@',
    '  -e POSTGRES_PASSWORD=@ ',
    'ENV APP_TOKEN=@',
  ]),
  'ini value': assigned(['password = @', 'db_password=@', 'secret_key = @', 'api_key=@']),
  'YAML value': assigned([
    '  password: @',
    '  apiKey: @',
    'secret: "@"',
    "token: '@'",
    '    client_secret: @',
  ]),
  'JSON value': assigned([
    '{"user":"app","password":"@"}',
    '  "apiKey": "@",',
    '  "client_secret": "@",',
    '{\\"token\\":\\"@\\"}',
  ]),
  'Terraform state': assigned([
    '            "password": "@",',
    '            "master_password": "@",',
    '            "secret_string": "@",',
  ]),
  'SQL password': assigned([
    "ALTER USER app WITH PASSWORD '@';",
    "CREATE USER 'app'@'%' IDENTIFIED BY '@';".replace('@', '\u0000'),
    "CREATE ROLE app LOGIN ENCRYPTED PASSWORD '@';",
    "SET PASSWORD = '@';",
  ]),
  'command option': assigned([
    'mysqldump --user=root --password=@ shop',
    'ldapsearch --password @ ',
    'sshpass -p @ ssh root@db'.replace('root@', 'root\u0000'),
    'mysql -uroot -p@ shop',
    'curl -u admin:@ http://localhost/',
    'redis-cli -a @ ping',
  ]),
  'shadow hash': assigned(['root:@:19700:0:99999:7:::', 'deploy:@:19812:0:99999:7:::'], (m) =>
    m.pick([
      `$6$${crypt(m, 16)}$${crypt(m, 86)}`,
      `$y$j9T$${crypt(m, 22)}$${crypt(m, 43)}`,
      `$5$${crypt(m, 16)}$${crypt(m, 43)}`,
    ]),
  ),
  'htpasswd hash': (m) =>
    m.pick([
      assigned(['admin:$apr1$@'], () => `${crypt(m, 8)}$${crypt(m, 22)}`),
      assigned(['admin:$2y$05$@'], () => crypt(m, 53)),
      assigned(['admin:{SHA}@'], () => m.base64(20)),
    ])(m),
  'Kubernetes secret': (m) => {
    const secret = Buffer.from(m.password()).toString('base64');
    const key = m.base64(60);
    return {
      text: `apiVersion: v1\r\ndata:\r\n  username: ${secret}\r\n  tls.key: ${key}\r\nkind: Secret\r\nmetadata:\r\n  name: db`,
      secret: [secret, key],
    };
  },
  'Docker login': assigned(['      "auth": "@"', '{"auths":{"r.example.org":{"auth":"@"}}}'], (m) =>
    Buffer.from(`robot:${m.password()}`).toString('base64'),
  ),
  pgpass: assigned(['db.internal:5432:shop:app:@', 'localhost:*:*:postgres:@']),
  netrc: assigned(['machine git.example.org login deploy password @']),
  'router secret': assigned(['username admin password 7 @', 'enable secret 9 @'], (m) =>
    `${m.hex(20)}a1`.toUpperCase(),
  ),
  'one-time password seed': assigned(
    ['otpauth://totp/Example:a?secret=@&issuer=Example'],
    (m) => `${m.of(`${UPPER}234567`, 30)}2A`,
  ),
};

/** Makes samples of all formats in turn. */
export function makeCorpus(m: Maker, size: number): readonly Sample[] {
  const formats = Object.entries(FORMATS);
  return Array.from({ length: size }, (_none, index) => {
    const [format, make] = formats[index % formats.length] as (typeof formats)[number];
    const { text, secret } = make(m);
    const secrets = typeof secret === 'string' ? [secret] : secret;
    return { format, text: text.replaceAll('\u0000', '@'), secrets };
  });
}
