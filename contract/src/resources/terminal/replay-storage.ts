import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  id,
  reference,
  secret,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;
const READ = Permission.SUPER | Permission.AUDIT;

/**
 * Storages of finished recordings. The servers' disk and "do not save" are built in; users create
 * S3 buckets (also of Swift, by its S3 interface) and Azure containers.
 */
export const replayStorage = defineResource({
  name: 'replay_storage',
  path: 'terminal/replay-storages',
  area: 'operation',
  scope: 'global',
  title: { en: 'Replay storage', zh: '录像存储' },
  access: { read: READ, create: SUPER, update: SUPER, delete: SUPER },
  pages: {
    list: 'terminal/storages',
    create: 'terminal/replay-storage',
    update: 'terminal/replay-storage',
    detail: 'terminal/replay-storage',
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
        { value: 's3', label: { en: 'S3', zh: 'S3' } },
        { value: 'ceph', label: { en: 'Ceph', zh: 'Ceph' } },
        { value: 'oss', label: { en: 'OSS', zh: 'OSS' } },
        { value: 'swift', label: { en: 'Swift', zh: 'Swift' } },
        { value: 'azure', label: { en: 'Azure', zh: 'Azure' } },
        { value: 'server', label: { en: 'Store locally', zh: '本地存储' }, needs: 0 },
        { value: 'null', label: { en: 'Do not save', zh: '不保存' }, needs: 0 },
      ],
      defaultValue: 's3',
      search: true,
      filter: true,
      order: true,
    }),
    type_display: choiceLabelOf('type', { en: 'Type', zh: '类型' }),
    bucket: text({
      label: { en: 'Bucket', zh: '桶名称' },
      max: 63,
      required: false,
      defaultValue: '',
    }),
    access_key: secret({ label: { en: 'Access key', zh: '访问密钥 ID（AK）' }, max: 512 }),
    secret_key: secret({ label: { en: 'Secret key', zh: '访问密钥密文（SK）' }, max: 512 }),
    endpoint: text({
      isService: true,
      label: { en: 'Endpoint', zh: '端点' },
      help: {
        en: 'Such as https://minio.example.com:9000; blank for the default address of Amazon or Azure',
        zh: '例如 https://minio.example.com:9000；留空表示亚马逊或 Azure 的默认地址',
      },
      format: 'url',
      max: 512,
      required: false,
      defaultValue: '',
    }),
    region: text({
      label: { en: 'Region', zh: '地域' },
      help: { en: 'Leave blank to use us-east-1', zh: '留空表示 us-east-1' },
      max: 64,
      required: false,
      defaultValue: '',
    }),
    path_style: boolean({
      label: { en: 'Bucket in path', zh: '路径包含桶名称' },
      help: {
        en: 'On for MinIO and Ceph, off for Amazon and OSS, where the bucket comes before the host name',
        zh: 'MinIO 和 Ceph 开启；亚马逊和 OSS 关闭，桶名称位于主机名之前',
      },
      defaultValue: true,
      yesMeans: 'neither',
    }),
    container_name: text({
      label: { en: 'Container name', zh: '容器名称' },
      format: 'slug',
      max: 63,
      required: false,
      defaultValue: '',
      example: 'recordings',
    }),
    account_name: text({
      label: { en: 'Account name', zh: '账号名称' },
      format: 'slug',
      max: 64,
      required: false,
      defaultValue: '',
      example: 'bastionstore',
    }),
    account_key: secret({
      label: { en: 'Account key', zh: '账号密钥' },
      max: 512,
      example: 'cXVpZXQtSGFyYm91ci00LWxhbnRlcm4=',
    }),
    endpoint_suffix: text({
      isService: true,
      label: { en: 'Endpoint suffix', zh: '端点后缀' },
      help: {
        en: 'core.windows.net, or core.chinacloudapi.cn in China',
        zh: 'core.windows.net；中国区为 core.chinacloudapi.cn',
      },
      format: 'host',
      max: 128,
      required: false,
      defaultValue: 'core.windows.net',
      example: 'core.windows.net',
    }),
    is_for_all: boolean({
      label: { en: 'All servers', zh: '用于全部服务器' },
      help: {
        en: 'All servers move their recordings here, and servers that register later as well. The bucket must pass its test',
        zh: '全部服务器的录像都移动到此处，之后注册的服务器也一样。存储桶必须通过测试',
      },
      defaultValue: false,
      yesMeans: 'neither',
    }),
    second: reference({
      label: { en: 'Second bucket', zh: '第二存储桶' },
      help: {
        en: 'It gets a copy of each new recording. A recording leaves the disk when both buckets have it',
        zh: '保存每个新录像的副本。两个存储桶都有录像后，录像才离开磁盘',
      },
      to: 'replay_storage',
      required: false,
      nullable: true,
    }),
    /** The non-secret settings, in the format of existing clients. */
    meta: computed.json({
      label: { en: 'Meta', zh: '元数据' },
      example: { BUCKET: 'recordings', ENDPOINT: '' },
    }),
    terminals: computed.json<readonly string[]>({
      label: { en: 'Terminals', zh: '终端' },
      example: ['bastion-1'],
    }),
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
