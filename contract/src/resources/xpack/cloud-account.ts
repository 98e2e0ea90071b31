import {
  boolean,
  choice,
  choiceLabelOf,
  computed,
  createdAt,
  createdBy,
  datetime,
  id,
  organizationFields,
  secret,
  text,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const PROVIDER = { en: 'Provider', zh: '云服务商' };
const VALIDITY = { en: 'Validity', zh: '有效' };

/** Supported cloud providers. */
export const CLOUD_PROVIDERS = [
  { value: 'aliyun', label: { en: 'Alibaba Cloud', zh: '阿里云' } },
  { value: 'qcloud', label: { en: 'Tencent Cloud', zh: '腾讯云' } },
  { value: 'aws_china', label: { en: 'AWS (China)', zh: 'AWS (中国)' } },
  { value: 'aws_international', label: { en: 'AWS (International)', zh: 'AWS (国际)' } },
  { value: 'huaweicloud', label: { en: 'Huawei Cloud', zh: '华为云' } },
] as const;

export type CloudProvider = (typeof CLOUD_PROVIDERS)[number]['value'];

/** An access key of a cloud provider for reading instances (permissions.md, section 6.3). */
export const cloudAccount = defineResource({
  name: 'cloud_account',
  path: 'xpack/cloud/accounts',
  area: 'operation',
  scope: 'org',
  title: { en: 'Cloud account', zh: '云账号' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  pages: { list: 'xpack/cloud/account', detail: 'xpack/cloud/accounts' },
  fields: {
    id: id(),
    name: text({
      label: LABEL.name,
      max: 128,
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    provider: choice({ label: PROVIDER, choices: CLOUD_PROVIDERS, filter: true, order: true }),
    provider_display: choiceLabelOf('provider', PROVIDER),
    access_key_id: text({
      label: { en: 'Access key ID', zh: '访问密钥 ID' },
      max: 128,
      example: 'AKIDEXAMPLE',
    }),
    access_key_secret: secret({
      label: { en: 'Access key secret', zh: '访问密钥 Secret' },
      help: { en: 'Stored encrypted and never shown', zh: '加密保存，不会再次显示' },
      max: 256,
    }),
    endpoint: text({
      isService: true,
      label: { en: 'Endpoint', zh: '接口地址' },
      help: {
        en: 'https:// address of a private cloud, set by super administrators; blank for the public addresses',
        zh: '专有云的 https:// 接口地址，仅超级管理员可以设置；留空表示公共地址',
      },
      max: 512,
      required: false,
      defaultValue: '',
      example: '',
    }),
    ca_certificate: text({
      label: { en: 'CA certificate', zh: 'CA 证书' },
      help: {
        en: 'PEM certificate of the authority that signed the endpoint certificate; blank for public authorities',
        zh: '签发接口证书的 CA 的 PEM 证书；留空则使用公共 CA',
      },
      max: 16_384,
      multiline: true,
      required: false,
      defaultValue: '',
      example: '',
    }),
    /** Result of the last test or run. */
    validity: boolean({ label: VALIDITY, readOnly: true, filter: true, order: true }),
    validity_display: computed.string({ label: VALIDITY, example: 'Available' }),
    /** Reason why it is invalid, in the caller's language; empty if valid. */
    problem: computed.string({ label: { en: 'Problem', zh: '故障' }, example: '' }),
    date_tested: datetime({
      label: { en: 'Last test', zh: '最近测试' },
      readOnly: true,
      nullable: true,
      order: true,
    }),
    comment: text({ label: LABEL.comment, required: false, multiline: true, defaultValue: '' }),
    date_created: createdAt(),
    created_by: createdBy(),
    ...organizationFields(),
  },
});
