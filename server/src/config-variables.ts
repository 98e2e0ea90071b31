import {
  collectorUrl,
  KEPT_LOGS,
  LOG_LEVELS,
  logDays,
  networks,
  port,
  processes,
  serviceUrl,
  splitList,
  url,
  type Variable,
} from './config-checks.ts';
import { VAULT_VARIABLES } from './config-vault.ts';
import { databaseAddress, databaseUrlProblem } from './platform/db/hosts.ts';

/** Several standbys are behind by different times; the pool has no order of them. */
const severalHostsProblem = (url: string) =>
  databaseAddress(url).hosts.length > 1 ? 'names several hosts instead of one standby' : undefined;

/** All environment variables. `docs/configuration.md` is generated from them. */
export const VARIABLES = [
  {
    name: 'SALLYPORT_HTTP_HOST',
    fallback: '127.0.0.1',
    meaning: {
      en: 'Address that the console and the API listen on.',
      zh: '控制台和 API 监听的地址。',
    },
    example: '0.0.0.0',
    check: (value) => (/^[\w.:-]+$/.test(value) ? undefined : 'is not an address'),
  },
  {
    name: 'SALLYPORT_HTTP_PORT',
    fallback: '8080',
    meaning: { en: 'Port of the console and the API.', zh: '控制台和 API 的端口。' },
    example: '8080',
    check: port,
  },
  {
    name: 'SALLYPORT_SSH_HOST',
    fallback: '',
    meaning: {
      en: 'Address that the SSH listener listens on; default: the value of SALLYPORT_HTTP_HOST.',
      zh: 'SSH 监听的地址；未设置时与 SALLYPORT_HTTP_HOST 相同。',
    },
    example: '0.0.0.0',
    check: (value) => (/^[\w.:-]+$/.test(value) ? undefined : 'is not an address'),
  },
  {
    name: 'SALLYPORT_SSH_PORT',
    fallback: '2222',
    meaning: {
      en: 'Port of the SSH listener; 0 switches it off.',
      zh: 'SSH 监听的端口；0 表示关闭。',
    },
    example: '2222',
    check: port,
  },
  {
    name: 'SALLYPORT_SSH_TRUSTED_PROXIES',
    fallback: '',
    meaning: {
      en: 'Comma-separated addresses or networks whose SSH connections begin with a PROXY protocol header (version 1 or 2). Connections from them without a header are closed.',
      zh: '逗号分隔的地址或网段：来自这些地址的 SSH 连接以 PROXY 协议头（版本 1 或 2）开始，缺少该头的连接会被关闭。',
    },
    example: '10.0.0.5',
    check: networks,
  },
  {
    name: 'SALLYPORT_SQL_HOST',
    fallback: '',
    meaning: {
      en: 'Address that the listeners for MySQL and PostgreSQL clients listen on; default: the value of SALLYPORT_HTTP_HOST. Clients may connect without TLS only to a loopback address.',
      zh: 'MySQL 和 PostgreSQL 客户端监听的地址；未设置时与 SALLYPORT_HTTP_HOST 相同。只有监听回环地址时，客户端才可以不使用 TLS。',
    },
    example: '0.0.0.0',
    check: (value) => (/^[\w.:-]+$/.test(value) ? undefined : 'is not an address'),
  },
  {
    name: 'SALLYPORT_MYSQL_PORT',
    fallback: '0',
    meaning: {
      en: 'Port of the listener for MySQL and MariaDB clients; 0 switches it off.',
      zh: 'MySQL 和 MariaDB 客户端监听的端口；0 表示关闭。',
    },
    example: '3307',
    check: port,
  },
  {
    name: 'SALLYPORT_POSTGRESQL_PORT',
    fallback: '0',
    meaning: {
      en: 'Port of the listener for PostgreSQL clients; 0 switches it off.',
      zh: 'PostgreSQL 客户端监听的端口；0 表示关闭。',
    },
    example: '5433',
    check: port,
  },
  {
    name: 'SALLYPORT_SQL_CERTIFICATE_FILE',
    fallback: '',
    meaning: {
      en: 'Certificate (PEM, with its chain) of the database listeners; default: a self-signed certificate, generated once.',
      zh: '数据库监听使用的证书（PEM，含证书链）；未设置时使用自签名证书，只生成一次。',
    },
    example: '/etc/sallyport/sql.crt',
  },
  {
    name: 'SALLYPORT_SQL_KEY_FILE',
    fallback: '',
    meaning: {
      en: 'Private key (PEM) of the certificate of the database listeners.',
      zh: '数据库监听证书的私钥（PEM）。',
    },
    example: '/etc/sallyport/sql.key',
  },
  {
    name: 'SALLYPORT_PEER_PORT',
    fallback: '0',
    meaning: {
      en: 'Port on which other servers with the same SALLYPORT_DATABASE_URL reach this server; 0: any free port.',
      zh: '使用相同 SALLYPORT_DATABASE_URL 的其他服务器访问本服务器的端口；0 表示任意空闲端口。',
    },
    example: '2223',
    check: port,
  },
  {
    name: 'SALLYPORT_PROCESSES',
    fallback: '',
    meaning: {
      en: 'Number of processes that share the work of this server, 1 to 8; see docs/scaling.md. Default: the cores less one, and at most one for each GiB of memory. With sample data (--demo) it is 1. Set to 1, the server has no parent process and cannot be upgraded while it runs.',
      zh: '分担本服务器工作的进程数，1 到 8；见 docs/scaling.md。未设置时为核心数减一，且每 GiB 内存最多一个。示例数据（--demo）时为 1。设为 1 时没有父进程，运行中不能升级。',
    },
    example: '4',
    check: processes,
  },
  {
    name: 'SALLYPORT_DATA_DIR',
    fallback: './data',
    meaning: {
      en: 'Folder for the embedded database, recordings and keys.',
      zh: '内嵌数据库、录像和密钥所在的目录。',
    },
    example: '/var/lib/sallyport',
  },
  {
    name: 'SALLYPORT_BACKUP_DIR',
    fallback: '',
    meaning: {
      en: 'Folder for the backups that the server makes on a schedule, best on another disk; default: backups in the data folder.',
      zh: '服务器定期备份所在的目录，最好位于另一块磁盘；未设置时为数据目录下的 backups。',
    },
    example: '/backup/sallyport',
  },
  {
    name: 'SALLYPORT_DATABASE_URL',
    fallback: '',
    meaning: {
      en: 'External PostgreSQL to use instead of the embedded database; several hosts of one cluster: host1:5432,host2:5432.',
      zh: '代替内嵌数据库的外部 PostgreSQL；同一集群的多个主机：host1:5432,host2:5432。',
    },
    example: 'postgresql://sallyport:secret@db.example.com/sallyport',
    check: databaseUrlProblem,
  },
  {
    name: 'SALLYPORT_DATABASE_READ_URL',
    fallback: '',
    meaning: {
      en: 'A standby of the database of SALLYPORT_DATABASE_URL. Search, exported lists, command reports and the dashboard read from it while it is current enough. Decisions never do.',
      zh: 'SALLYPORT_DATABASE_URL 数据库的备库。延迟在限度内时，搜索、列表导出、命令报告和仪表盘从备库读取；授权等判断始终读主库。',
    },
    example: 'postgresql://sallyport:secret@standby.example.com/sallyport',
    check: (value) => databaseUrlProblem(value) ?? severalHostsProblem(value),
  },
  {
    name: 'SALLYPORT_DATABASE_READ_LAG',
    fallback: '10',
    meaning: {
      en: 'Seconds that the standby of SALLYPORT_DATABASE_READ_URL may be behind, 1 to 600. Beyond that, the primary answers.',
      zh: 'SALLYPORT_DATABASE_READ_URL 备库允许的延迟秒数，1 到 600；超过时由主库应答。',
    },
    example: '30',
    check: (value) =>
      /^\d{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= 600
        ? undefined
        : 'is not a number between 1 and 600',
  },
  {
    name: 'SALLYPORT_DATABASE_POOL',
    fallback: '10',
    meaning: { en: 'Maximum number of database connections.', zh: '数据库连接数上限。' },
    example: '20',
    check: (value) =>
      /^\d+$/.test(value) && Number(value) >= 3 && Number(value) <= 500
        ? undefined
        : 'is not a number between 3 and 500',
  },
  {
    name: 'SALLYPORT_DATABASE_WAIT',
    fallback: '120',
    meaning: {
      en: 'Seconds to wait at startup for the database of SALLYPORT_DATABASE_URL; 0: one attempt.',
      zh: '启动时等待 SALLYPORT_DATABASE_URL 数据库的秒数；0 表示只尝试一次。',
    },
    example: '300',
    check: (value) =>
      /^\d{1,5}$/.test(value) ? undefined : 'is not a number of seconds between 0 and 99999',
  },
  {
    name: 'SALLYPORT_ADMIN_PASSWORD',
    fallback: '',
    meaning: {
      en: 'Password of the first administrator, used only when the account is created; default: a random password, printed once.',
      zh: '首个管理员的密码，只在创建该账号时使用；未设置时生成随机密码，只显示一次。',
    },
    example: 'correct horse battery staple',
    check: (value) =>
      value.length >= 6 && value.length <= 128
        ? undefined
        : 'has fewer than 6 or more than 128 characters',
  },
  {
    name: 'SALLYPORT_SECRET_KEY',
    fallback: '',
    meaning: {
      en: 'Key that encrypts stored secrets: 32 bytes as 64 hexadecimal digits.',
      zh: '加密已保存机密的密钥：32 字节，写成 64 位十六进制数字。',
    },
    example: 'openssl rand -hex 32',
    check: (value) => (/^[0-9a-f]{64}$/i.test(value) ? undefined : 'is not 64 hexadecimal digits'),
  },
  {
    name: 'SALLYPORT_SECRET_KEY_FILE',
    fallback: '',
    meaning: {
      en: 'File that contains the secret key; if no key is set, the server creates it in the data folder with mode 600.',
      zh: '存放加密密钥的文件；均未设置时在数据目录中创建，权限为 600。',
    },
    example: '/run/secrets/sallyport.key',
  },
  {
    name: 'SALLYPORT_SECRET_KEY_COMMAND',
    fallback: '',
    meaning: {
      en: 'Program that prints the secret key, with its arguments, separated by spaces; no shell reads them. It has ten seconds.',
      zh: '输出加密密钥的程序及其参数，以空格分隔，不经过 shell；限时十秒。',
    },
    example: '/usr/bin/vault kv get -field=key secret/sallyport',
    check: (value) =>
      value.startsWith('/') ? undefined : 'does not begin with the path of a program',
  },
  ...VAULT_VARIABLES,
  {
    name: 'SALLYPORT_NATIONAL_CRYPTOGRAPHY',
    fallback: 'no',
    meaning: {
      en: 'Seal new secrets with SM4 and HMAC-SM3, and sign seals with HMAC-SM3, instead of AES-256-GCM and HMAC-SHA-256; give audit logs SM3 digests, and sign their seals and evidence by SM2, too: yes or no. Older values stay readable; key rotate moves them. Give all servers of an installation the same.',
      zh: '新的敏感数据使用 SM4 与 HMAC-SM3 加密、封印使用 HMAC-SM3，代替 AES-256-GCM 和 HMAC-SHA-256；审计日志另有 SM3 摘要，封印和证据另有 SM2 签名：yes 或 no。旧数据仍可读取，由 key rotate 迁移。同一系统的所有服务器须一致。',
    },
    example: 'yes',
    check: (value) => (value === 'yes' || value === 'no' ? undefined : 'is neither yes nor no'),
  },
  {
    name: 'SALLYPORT_SSH_CA_COMMAND',
    fallback: '',
    meaning: {
      en: 'Program that signs SSH certificates for system users instead of the SSH authorities, with its arguments, separated by spaces; no shell reads them. It receives the request as JSON on standard input and prints the certificate. It has ten seconds.',
      zh: '代替 SSH 证书颁发机构为系统用户签发 SSH 证书的程序及其参数，以空格分隔，不经过 shell。程序从标准输入读取 JSON 请求，并输出证书；限时十秒。',
    },
    example: '/usr/local/bin/sign-ssh-certificate --role bastion',
    check: (value) =>
      value.startsWith('/') ? undefined : 'does not begin with the path of a program',
  },
  {
    name: 'SALLYPORT_KEEP_AT_LEAST',
    fallback: '',
    meaning: {
      en: `Minimum days that logs are kept, as a comma-separated list of log=days. Administrators cannot set a shorter retention. Logs: ${KEPT_LOGS.join(', ')}; session_digest also keeps sessions and recordings.`,
      zh: `各日志的最短保留天数，格式为逗号分隔的 日志=天数。管理员不能设置更短的保留期。日志名：${KEPT_LOGS.join('、')}；session_digest 同时约束会话和录像。`,
    },
    example: 'operate_log=365,session_digest=180',
    check: logDays,
  },
  {
    name: 'SALLYPORT_WITNESS_URL',
    fallback: '',
    meaning: {
      en: 'Timestamp authority (RFC 3161) that signs the newest rows of the audit logs every hour. It receives digests only. Needs SALLYPORT_WITNESS_CA_FILE.',
      zh: '每小时为审计日志最新的行签名的时间戳机构（RFC 3161）；只向其发送摘要。需同时设置 SALLYPORT_WITNESS_CA_FILE。',
    },
    example: 'https://tsa.example.com/tsr',
    check: serviceUrl,
  },
  {
    name: 'SALLYPORT_WITNESS_CA_FILE',
    fallback: '',
    meaning: {
      en: 'CA certificates (PEM) that the tokens of the timestamp authority lead to. Verification needs the same file, so keep a copy elsewhere.',
      zh: '时间戳机构令牌所属的 CA 证书（PEM）。校验证据时需要同一文件，请另存一份。',
    },
    example: '/etc/sallyport/tsa-ca.pem',
  },
  {
    name: 'SALLYPORT_PUBLIC_URL',
    fallback: '',
    meaning: {
      en: 'Address that users open, if it differs from the listening address (behind a proxy).',
      zh: '用户访问的地址，与监听地址不同时填写（例如前面有代理）。',
    },
    example: 'https://bastion.example.com',
    check: url('http:', 'https:'),
  },
  {
    name: 'SALLYPORT_TRUSTED_PROXIES',
    fallback: '',
    meaning: {
      en: 'Comma-separated addresses or networks of proxies whose X-Forwarded-For is trusted.',
      zh: '可信代理的地址或网段，以逗号分隔；采信其 X-Forwarded-For。',
    },
    example: '10.0.0.0/8,127.0.0.1',
    check: networks,
  },
  {
    name: 'SALLYPORT_TARGET_NETWORKS',
    fallback: '',
    meaning: {
      en: 'Comma-separated loopback or link-local addresses or networks that assets may have; the console itself is never a target.',
      zh: '允许作为资产地址的回环或链路本地地址、网段，以逗号分隔；控制台自身永远不能作为资产。',
    },
    example: '127.0.0.0/8',
    check: networks,
  },
  {
    name: 'SALLYPORT_TRUST_FORWARDED_HOST',
    fallback: 'no',
    meaning: {
      en: 'Also trust X-Forwarded-Host of the trusted proxies: yes or no.',
      zh: '是否同时采信可信代理的 X-Forwarded-Host：yes 或 no。',
    },
    example: 'yes',
    check: (value) => (value === 'yes' || value === 'no' ? undefined : 'is neither yes nor no'),
  },
  {
    name: 'SALLYPORT_WITHOUT',
    fallback: '',
    meaning: {
      en: 'Features that this installation switches off, comma-separated; *System › Features* names them. Their data stays.',
      zh: '本安装关闭的功能，以逗号分隔；名称见*系统 › 功能*。其数据会保留。',
    },
    example: 'alerts,cloud',
    check: (value) =>
      splitList(value).every((name) => /^[a-z0-9-]+$/.test(name))
        ? undefined
        : 'is not a list of features',
  },
  {
    name: 'SALLYPORT_ALLOWED_HOSTS',
    fallback: '',
    meaning: {
      en: 'Additional host names, comma-separated. With SALLYPORT_PUBLIC_URL set, the server rejects requests for any other host name.',
      zh: '另外允许的主机名，以逗号分隔。设置 SALLYPORT_PUBLIC_URL 后，其他主机名的请求会被拒绝。',
    },
    example: 'bastion.internal,bastion',
    check: (value) =>
      value.split(',').every((part) => /^[\w.-]+$/.test(part.trim()))
        ? undefined
        : 'is not a list of host names',
  },
  {
    name: 'SALLYPORT_LICENSE_PUBLIC_KEY',
    fallback: '',
    meaning: {
      en: 'Public key that verifies licenses; default: the key of the licenses that this installation issued.',
      zh: '校验许可证所用的公钥；未设置时使用本系统自行签发许可证的公钥。',
    },
    example: 'MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    check: (value) =>
      /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/.test(value)
        ? undefined
        : 'is not an Ed25519 public key (DER, as base64)',
  },
  {
    name: 'SALLYPORT_LDAP_CA_FILE',
    fallback: '',
    meaning: {
      en: 'CA certificates (PEM) that verify LDAP servers; default: the certificates that the machine trusts.',
      zh: '校验 LDAP 服务器证书所用的 CA 证书（PEM）；未设置时使用本机信任的证书。',
    },
    example: '/etc/ssl/certs/company-ca.pem',
  },
  {
    name: 'SALLYPORT_COUNTRY_DATABASE',
    fallback: '',
    meaning: {
      en: 'File with the countries of addresses in the MaxMind DB format (.mmdb, up to 64 MiB), for alerts of sign-ins from new countries. The server reads it at the start and keeps it in memory.',
      zh: '地址所属国家的数据文件（MaxMind DB 格式，.mmdb，最大 64 MiB），用于新国家登录告警。服务器启动时读取并保留在内存中。',
    },
    example: '/etc/sallyport/countries.mmdb',
  },
  {
    name: 'SALLYPORT_LOG_LEVEL',
    fallback: 'info',
    meaning: {
      en: `Log level: ${LOG_LEVELS.join(', ')}.`,
      zh: `日志的详细程度：${LOG_LEVELS.join('、')}。`,
    },
    example: 'debug',
    check: (value) =>
      LOG_LEVELS.includes(value) ? undefined : `is none of ${LOG_LEVELS.join(', ')}`,
  },
  {
    name: 'SALLYPORT_LOG_FORMAT',
    fallback: '',
    meaning: {
      en: 'json (one object per line) or text (readable lines); default: text on a terminal, json elsewhere.',
      zh: '日志格式：json（每行一个对象）或 text（便于阅读）；未设置时终端用 text，其他用 json。',
    },
    example: 'text',
    check: (value) =>
      value === 'json' || value === 'text' ? undefined : 'is neither json nor text',
  },
  {
    name: 'SALLYPORT_METRICS_HOST',
    fallback: '127.0.0.1',
    meaning: { en: 'Address that serves metrics.', zh: '提供指标的地址。' },
    example: '10.0.0.2',
    check: (value) => (/^[\w.:-]+$/.test(value) ? undefined : 'is not an address'),
  },
  {
    name: 'SALLYPORT_METRICS_PORT',
    fallback: '0',
    meaning: {
      en: 'Port that serves metrics at `/metrics`; 0: off.',
      zh: '在 `/metrics` 提供指标的端口；0 表示不提供。',
    },
    example: '9464',
    check: port,
  },
  {
    name: 'SALLYPORT_METRICS_TOKEN',
    fallback: '',
    meaning: {
      en: 'Bearer token that reads metrics, at least 16 characters.',
      zh: '读取指标所用的 Bearer 令牌，至少 16 个字符。',
    },
    example: 'openssl rand -hex 32',
    check: (value) => (value.length >= 16 ? undefined : 'has fewer than 16 characters'),
  },
  {
    name: 'SALLYPORT_METRICS_TOKEN_FILE',
    fallback: '',
    meaning: {
      en: 'File that contains the metrics token, with mode 600.',
      zh: '存放指标令牌的文件，权限为 600。',
    },
    example: '/etc/sallyport/metrics.token',
  },
  {
    name: 'SALLYPORT_TRACES_URL',
    fallback: '',
    meaning: {
      en: 'OpenTelemetry collector (OTLP/HTTP, JSON) that receives traces: HTTPS, or HTTP on this machine. Off without it.',
      zh: '接收链路追踪的 OpenTelemetry 收集器（OTLP/HTTP，JSON）：HTTPS，本机可用 HTTP。不填则关闭。',
    },
    example: 'https://collector.example.com/v1/traces',
    check: collectorUrl,
  },
  {
    name: 'SALLYPORT_TRACES_HEADERS_FILE',
    fallback: '',
    meaning: {
      en: 'File with request headers for the collector, such as `Authorization: Bearer …`, one per line, with mode 600.',
      zh: '发给收集器的请求头文件，如 `Authorization: Bearer …`，每行一个，权限为 600。',
    },
    example: '/etc/sallyport/traces.headers',
  },
] as const satisfies readonly Variable[];

export type VariableName = (typeof VARIABLES)[number]['name'];
