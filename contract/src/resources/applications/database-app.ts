import {
  choice,
  choiceLabelOf,
  createdAt,
  createdBy,
  displayOf,
  id,
  integer,
  organizationFields,
  reference,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import type { ProtocolName } from '../../protocols/protocols.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** Kinds of databases, with the protocol of their system users and the default port. */
export const DATABASE_TYPES = [
  { value: 'mysql', protocol: 'mysql', port: 3306, label: { en: 'MySQL', zh: 'MySQL' } },
  { value: 'mariadb', protocol: 'mysql', port: 3306, label: { en: 'MariaDB', zh: 'MariaDB' } },
  {
    value: 'postgresql',
    protocol: 'postgresql',
    port: 5432,
    label: { en: 'PostgreSQL', zh: 'PostgreSQL' },
  },
  { value: 'redis', protocol: 'redis', port: 6379, label: { en: 'Redis', zh: 'Redis' } },
] as const satisfies readonly {
  readonly value: string;
  readonly protocol: ProtocolName;
  readonly port: number;
  readonly label: { en: string; zh: string };
}[];

export type DatabaseType = (typeof DATABASE_TYPES)[number]['value'];

/** A database that permissions can grant. */
export const databaseApp = defineResource({
  name: 'database_app',
  path: 'applications/database-apps',
  area: 'assets',
  scope: 'org',
  title: { en: 'Database app', zh: '数据库应用' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  feedsGrants: true,
  searchable: { note: '{get_type_display} · {host}', pinyin: true },
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      format: 'operand',
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    type: choice({
      label: { en: 'Type', zh: '类型' },
      choices: DATABASE_TYPES.map(({ value, label }) => ({ value, label })),
      defaultValue: 'mysql',
      filter: true,
      order: true,
    }),
    get_type_display: choiceLabelOf('type', { en: 'Type', zh: '类型' }),
    host: text({
      label: { en: 'Host', zh: '主机' },
      max: 128,
      format: 'host',
      order: true,
      filter: true,
      example: '10.20.30.51',
    }),
    port: integer({
      isPlain: true,
      label: { en: 'Port', zh: '端口' },
      min: 1,
      max: 65_535,
      defaultValue: 3306,
    }),
    database: text({
      label: { en: 'Database', zh: '数据库' },
      help: {
        en: 'Database that opens first; for Redis, its number',
        zh: '连接后默认打开的数据库；Redis 填写编号',
      },
      max: 128,
      format: 'operand',
      required: false,
      nullable: true,
    }),
    domain: reference({
      label: { en: 'Domain', zh: '网域' },
      help: {
        en: 'Connections go through the gateways of this domain',
        zh: '通过该网域的网关访问数据库',
      },
      to: 'domain',
      required: false,
      nullable: true,
      filter: true,
    }),
    domain_display: displayOf('domain', { en: 'Domain', zh: '网域' }),
    tls: choice({
      label: { en: 'TLS', zh: 'TLS' },
      help: {
        en: 'With TLS, the server certificate is always verified',
        zh: '使用 TLS 时始终校验服务器证书',
      },
      choices: [
        { value: 'off', label: { en: 'Without TLS', zh: '不使用 TLS' } },
        { value: 'required', label: { en: 'Only with TLS', zh: '必须使用 TLS' } },
      ],
      defaultValue: 'off',
    }),
    ca_certificate: text({
      label: { en: 'CA certificate', zh: 'CA 证书' },
      help: {
        en: 'PEM certificate of the authority that signed the server certificate; blank for public authorities. If the certificate lacks the name of the host, add the server certificate itself',
        zh: '签发服务器证书的 CA 的 PEM 证书；留空则使用公共 CA。服务器证书不含主机名时，请一并填入该服务器证书',
      },
      max: 16_384,
      multiline: true,
      required: false,
      defaultValue: '',
      detailOnly: true,
      example: '',
    }),
    comment: text({
      label: LABEL.comment,
      max: 128,
      required: false,
      multiline: true,
      defaultValue: '',
    }),
    created_by: createdBy(),
    date_created: createdAt(),
    date_updated: updatedAt(),
    ...organizationFields(),
  },
});
