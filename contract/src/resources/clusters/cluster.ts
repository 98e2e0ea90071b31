import {
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
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/** The API server of a Kubernetes cluster, which permissions can grant. TLS is always verified. */
export const cluster = defineResource({
  name: 'cluster',
  path: 'applications/clusters',
  area: 'assets',
  scope: 'org',
  title: { en: 'Cluster', zh: '集群' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  feedsGrants: true,
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
    host: text({
      label: { en: 'Host', zh: '主机' },
      help: {
        en: 'Host of the API server, which must speak HTTPS',
        zh: 'API Server 的主机，须使用 HTTPS',
      },
      max: 128,
      format: 'host',
      order: true,
      filter: true,
      example: '10.20.30.61',
    }),
    port: integer({
      isPlain: true,
      label: { en: 'Port', zh: '端口' },
      min: 1,
      max: 65_535,
      defaultValue: 6443,
    }),
    tls_name: text({
      label: { en: 'Name in the certificate', zh: '证书中的名称' },
      help: {
        en: 'Blank: the host. Otherwise a name or address that the certificate of the API server contains',
        zh: '留空则为主机；否则填写 API Server 证书包含的名称或地址',
      },
      max: 128,
      format: 'host',
      required: false,
      defaultValue: '',
      detailOnly: true,
      example: 'kubernetes.default.svc',
    }),
    ca_certificate: text({
      label: { en: 'CA certificate', zh: 'CA 证书' },
      help: {
        en: 'PEM certificate of the authority that signed the certificate of the API server; blank for public authorities',
        zh: '签发 API Server 证书的 CA 的 PEM 证书；留空则使用公共 CA',
      },
      max: 16_384,
      multiline: true,
      required: false,
      defaultValue: '',
      detailOnly: true,
      example: '',
    }),
    domain: reference({
      label: { en: 'Domain', zh: '网域' },
      help: {
        en: 'Connections go through the gateways of this domain',
        zh: '通过该网域的网关访问集群',
      },
      to: 'domain',
      required: false,
      nullable: true,
      filter: true,
    }),
    domain_display: displayOf('domain', { en: 'Domain', zh: '网域' }),
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
