import { LOOPBACK, serviceUrl, type Variable } from './config-checks.ts';

/** Variables of a master key in HashiCorp Vault or OpenBao. */
export const VAULT_VARIABLES = [
  {
    name: 'SALLYPORT_VAULT_URL',
    fallback: '',
    meaning: {
      en: 'HashiCorp Vault or OpenBao that keeps the master key in its Transit engine: HTTPS, or HTTP on this machine.',
      zh: '用 Transit 引擎保管主密钥的 HashiCorp Vault 或 OpenBao：HTTPS，本机可用 HTTP。',
    },
    example: 'https://vault.example.com:8200',
    check: (value) => serviceUrl(value) ?? plainProblem(new URL(value)),
  },
  {
    name: 'SALLYPORT_VAULT_KEY',
    fallback: 'transit/sallyport',
    meaning: {
      en: 'Path of the Transit engine, and name of the key in it.',
      zh: 'Transit 引擎的路径和密钥名称。',
    },
    example: 'transit/sallyport',
    check: (value) =>
      /^(?:[\w-]+\/)+[\w.-]+$/.test(value) ? undefined : 'is not the path of an engine and a name',
  },
  {
    name: 'SALLYPORT_VAULT_TOKEN',
    fallback: '',
    meaning: { en: 'Token of Vault.', zh: 'Vault 令牌。' },
    example: 'hvs.CAESIJ',
    check: (value) => (/^[\x21-\x7e]{1,4096}$/.test(value) ? undefined : 'is not a token'),
  },
  {
    name: 'SALLYPORT_VAULT_TOKEN_FILE',
    fallback: '',
    meaning: {
      en: 'File that contains the token of Vault; read again for each request, so an agent may renew it.',
      zh: '存放 Vault 令牌的文件；每次请求都重新读取，可由代理程序更新。',
    },
    example: '/run/vault/token',
  },
  {
    name: 'SALLYPORT_VAULT_ROLE_ID',
    fallback: '',
    meaning: {
      en: 'Role id of AppRole (`auth/approle`), instead of a token.',
      zh: 'AppRole（`auth/approle`）的角色 ID，代替令牌。',
    },
    example: '675a50e7-cfe0-be76-e35f-49ec009731ea',
    check: (value) => (/^[\x21-\x7e]{1,200}$/.test(value) ? undefined : 'is not a role id'),
  },
  {
    name: 'SALLYPORT_VAULT_SECRET_ID_FILE',
    fallback: '',
    meaning: {
      en: 'File that contains the secret id of the role.',
      zh: '存放该角色 secret ID 的文件。',
    },
    example: '/etc/sallyport/vault.secret-id',
  },
  {
    name: 'SALLYPORT_VAULT_NAMESPACE',
    fallback: '',
    meaning: { en: 'Namespace of Vault.', zh: 'Vault 命名空间。' },
    example: 'security',
    check: (value) => (/^[\w./-]{1,200}$/.test(value) ? undefined : 'is not a namespace'),
  },
  {
    name: 'SALLYPORT_VAULT_CA_FILE',
    fallback: '',
    meaning: {
      en: 'CA certificate (PEM) that verifies Vault; default: the certificates that the machine trusts.',
      zh: '校验 Vault 证书所用的 CA 证书（PEM）；未设置时使用本机信任的证书。',
    },
    example: '/etc/ssl/certs/company-ca.pem',
  },
] as const satisfies readonly Variable[];

/** A key of a Transit engine, and how the server signs in there. */
export interface TransitConfig {
  readonly url: string;
  readonly mount: string;
  readonly key: string;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly roleId: string | undefined;
  readonly secretIdFile: string | undefined;
  readonly namespace: string | undefined;
  readonly caFile: string | undefined;
}

const plainProblem = ({ protocol, hostname, username, password, pathname, search }: URL) => {
  if (protocol === 'http:' && !LOOPBACK.includes(hostname))
    return 'begins with http: on another machine, which would show the token';
  return username || password || pathname !== '/' || search
    ? 'has more than a protocol, a host and a port'
    : undefined;
};

const SIGN_INS = [
  'SALLYPORT_VAULT_TOKEN',
  'SALLYPORT_VAULT_TOKEN_FILE',
  'SALLYPORT_VAULT_ROLE_ID',
] as const;

/**
 * Reads the variables of the key service.
 * @returns its configuration, undefined without an address, or the sentence of a problem
 */
export function readTransitConfig(
  read: (name: (typeof VAULT_VARIABLES)[number]['name']) => string,
): TransitConfig | string | undefined {
  const address = read('SALLYPORT_VAULT_URL');
  const signIns = SIGN_INS.filter((name) => read(name));
  if (!address)
    return (
      signIns[0] &&
      `${signIns[0]} is set without SALLYPORT_VAULT_URL. Example: SALLYPORT_VAULT_URL='https://vault.example.com:8200'`
    );
  if (signIns.length !== 1)
    return `SALLYPORT_VAULT_URL needs one of ${SIGN_INS.join(', ')}. Example: SALLYPORT_VAULT_TOKEN_FILE='/run/vault/token'`;
  const [, mount = '', key = ''] = /^(.+)\/([^/]+)$/.exec(read('SALLYPORT_VAULT_KEY')) ?? [];
  return {
    url: new URL(address).origin,
    mount,
    key,
    token: read('SALLYPORT_VAULT_TOKEN') || undefined,
    tokenFile: read('SALLYPORT_VAULT_TOKEN_FILE') || undefined,
    roleId: read('SALLYPORT_VAULT_ROLE_ID') || undefined,
    secretIdFile: read('SALLYPORT_VAULT_SECRET_ID_FILE') || undefined,
    namespace: read('SALLYPORT_VAULT_NAMESPACE') || undefined,
    caFile: read('SALLYPORT_VAULT_CA_FILE') || undefined,
  };
}
