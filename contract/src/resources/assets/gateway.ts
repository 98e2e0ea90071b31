import {
  boolean,
  choice,
  computed,
  createdAt,
  createdBy,
  displayOf,
  id,
  integer,
  organizationFields,
  reference,
  secret,
  text,
  updatedAt,
} from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

/**
 * An SSH server that leads into a domain, or a site: a machine of the domain that connects to this
 * bastion. Its secrets are write-only, unlike the reference's.
 */
export const gateway = defineResource({
  name: 'gateway',
  path: 'assets/gateways',
  area: 'assets',
  scope: 'org',
  title: { en: 'Gateway', zh: '网关' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
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
    ip: text({
      label: { en: 'IP', zh: 'IP' },
      max: 128,
      format: 'host',
      example: '198.51.100.7',
      required: false,
      defaultValue: '',
      search: true,
      order: true,
      filter: true,
    }),
    port: integer({
      isPlain: true,
      label: { en: 'Port', zh: '端口' },
      min: 1,
      max: 65_535,
      defaultValue: 22,
    }),
    protocol: choice({
      label: { en: 'Protocol', zh: '协议' },
      choices: [
        { value: 'ssh', label: { en: 'SSH', zh: 'SSH' } },
        { value: 'site', label: { en: 'Site', zh: '站点' } },
      ],
      defaultValue: 'ssh',
      filter: true,
    }),
    username: text({
      label: LABEL.username,
      max: 32,
      format: 'username',
      required: false,
      defaultValue: '',
      search: true,
      filter: true,
    }),
    password: secret({ label: LABEL.password, max: 512 }),
    private_key: secret({ label: LABEL.privateKey, max: 65_536, multiline: true }),
    domain: reference({ label: { en: 'Domain', zh: '网域' }, to: 'domain', filter: true }),
    domain_display: displayOf('domain', { en: 'Domain', zh: '网域' }),
    is_active: boolean({ label: LABEL.isActive, defaultValue: true }),
    tunnels: computed.integer({
      label: { en: 'Open tunnels', zh: '已连接隧道' },
      help: { en: 'Connections of a site to this bastion', zh: '站点到本堡垒机的连接数' },
    }),
    tunnel_since: computed.datetime({ label: { en: 'Connected since', zh: '连接时间' } }),
    tunnel_from: computed.string({ label: { en: 'Connected from', zh: '来源地址' } }),
    tunnel_software: computed.string({ label: { en: 'Program of the site', zh: '站点程序' } }),
    tunnel_channels: computed.integer({
      label: { en: 'Open channels', zh: '已打开通道' },
      help: { en: 'As of at most 30 seconds ago', zh: '30 秒内的数值' },
    }),
    tunnel_round_trip: computed.integer({
      label: { en: 'Round trip (ms)', zh: '往返时间（毫秒）' },
    }),
    date_seen: computed.datetime({ label: { en: 'Last connected', zh: '最近连接' } }),
    date_joined: computed.datetime({ label: { en: 'Date joined', zh: '加入时间' } }),
    date_created: createdAt(),
    date_updated: updatedAt(),
    created_by: createdBy(),
    comment: text({
      label: LABEL.comment,
      max: 128,
      required: false,
      nullable: true,
      multiline: true,
    }),
    ...organizationFields(),
  },
});
