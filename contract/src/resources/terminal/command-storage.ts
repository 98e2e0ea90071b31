import { choice, choiceLabelOf, computed, createdAt, id, secret, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;
const READ = Permission.SUPER | Permission.AUDIT;

/**
 * Storages of commands. The database and "do not save" are built in; users create indexes of
 * Elasticsearch or OpenSearch.
 */
export const commandStorage = defineResource({
  name: 'command_storage',
  path: 'terminal/command-storages',
  area: 'operation',
  scope: 'global',
  title: { en: 'Command storage', zh: '命令存储' },
  access: { read: READ, create: SUPER, update: SUPER, delete: SUPER },
  pages: {
    list: 'terminal/command-storages',
    create: 'terminal/command-storage',
    update: 'terminal/command-storage',
    detail: 'terminal/command-storage',
  },
  key: 'name',
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 32,
      unique: 'global',
      search: true,
      order: true,
      filter: true,
    }),
    type: choice({
      label: { en: 'Type', zh: '类型' },
      choices: [
        { value: 'es', label: { en: 'Elasticsearch', zh: 'Elasticsearch' } },
        { value: 'server', label: { en: 'Store locally', zh: '本地存储' }, needs: 0 },
        { value: 'null', label: { en: 'Do not save', zh: '不保存' }, needs: 0 },
      ],
      defaultValue: 'es',
      search: true,
      filter: true,
      order: true,
    }),
    type_display: choiceLabelOf('type', { en: 'Type', zh: '类型' }),
    hosts: text({
      isService: true,
      label: { en: 'Hosts', zh: '主机' },
      help: {
        en: 'Addresses of one Elasticsearch or OpenSearch cluster, separated by commas, such as https://es-1.example.com:9200',
        zh: '同一 Elasticsearch 或 OpenSearch 集群的地址，用逗号分隔，例如 https://es-1.example.com:9200',
      },
      max: 1024,
      required: false,
      defaultValue: '',
      example: 'https://es-1.example.com:9200',
    }),
    index: text({
      label: { en: 'Index', zh: '索引' },
      help: { en: 'Created if it does not exist', zh: '不存在时自动创建' },
      max: 128,
      required: false,
      defaultValue: '',
      example: 'sallyport-commands',
    }),
    doc_type: text({
      label: { en: 'Document type', zh: '文档类型' },
      help: {
        en: 'For existing clients; versions 7 and later have no document types',
        zh: '仅为兼容现有客户端；7 及以上版本没有文档类型',
      },
      max: 128,
      required: false,
      defaultValue: '',
    }),
    username: text({ label: LABEL.username, max: 128, required: false, defaultValue: '' }),
    password: secret({ label: { en: 'Password', zh: '密码' }, max: 512 }),
    ca_certificate: text({
      label: { en: 'CA certificate', zh: 'CA 证书' },
      help: {
        en: 'PEM certificate of the authority that signed the host certificates; blank for public authorities',
        zh: '签发主机证书的 CA 的 PEM 证书；留空则使用公共 CA',
      },
      max: 16_384,
      multiline: true,
      required: false,
      defaultValue: '',
      example: '',
    }),
    /** The non-secret settings, in the format of existing clients. */
    meta: computed.json({
      label: { en: 'Meta', zh: '元数据' },
      example: { HOSTS: ['https://es-1.example.com:9200'], INDEX: 'commands', DOC_TYPE: 'command' },
    }),
    terminals: computed.json<readonly string[]>({
      label: { en: 'Terminals', zh: '终端' },
      example: ['bastion-1'],
    }),
    /** Commands that wait in the database for this storage. */
    waiting: computed.integer({ label: { en: 'Waiting commands', zh: '等待中的命令' } }),
    problem: text({ label: { en: 'Problem', zh: '故障' }, max: 300, readOnly: true }),
    date_created: createdAt(),
    comment: text({
      label: LABEL.comment,
      required: false,
      defaultValue: '',
      multiline: true,
      max: 1024,
    }),
  },
});
