import {
  boolean,
  computed,
  createdAt,
  createdBy,
  displayOf,
  id,
  integer,
  list,
  many,
  organizationFields,
  reference,
  text,
} from '../../kit/field.ts';
import type { NamedRow } from '../../kit/field-kinds.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const hardware = (en: string, zh: string, max = 128) =>
  text({ label: { en, zh }, max, readOnly: true, nullable: true });

const hardwareCount = (en: string, zh: string) =>
  integer({ label: { en, zh }, readOnly: true, nullable: true });

/** Reachability of an asset, and the time of its test. */
export interface Connectivity {
  readonly status: 0 | 1 | 2;
  readonly datetime: string;
  /** Reason of a failure, in the caller's language. */
  readonly reason?: string;
  /**
   * Results of the last test of an account over SSH. Absent if the test ended before, and for the
   * connectivity of an asset.
   */
  readonly signed_in?: boolean;
  readonly runs_commands?: boolean;
  readonly serves_files?: boolean;
}

/** The latest session of an asset: start and connection result. */
export interface LastSession {
  readonly id: string;
  readonly date: string;
  readonly is_success: boolean;
  readonly is_finished: boolean;
  readonly end_reason: string | null;
}

/**
 * Hardware and system facts of a host, in the format of the asset's fields.
 */
export interface HardwareFacts {
  readonly vendor: string;
  readonly model: string;
  readonly sn: string;
  readonly cpu_model: string;
  readonly cpu_count: number;
  readonly cpu_cores: number;
  readonly cpu_vcpus: number;
  readonly memory: string;
  readonly disk_total: string;
  /** JSON object of sizes by device. */
  readonly disk_info: string;
  readonly os: string;
  readonly os_version: string;
  readonly os_arch: string;
  readonly hostname_raw: string;
}

/** A server that users reach through the bastion. */
export const asset = defineResource({
  name: 'asset',
  path: 'assets/assets',
  area: 'assets',
  scope: 'org',
  title: { en: 'Asset', zh: '资产' },
  access: {
    read: Permission.ADMIN,
    create: Permission.ADMIN,
    update: Permission.ADMIN,
    delete: Permission.ADMIN,
  },
  labelField: 'hostname',
  parameters: [
    'node',
    'node_id',
    'label',
    'ips',
    'platform__base',
    'system_user_id',
    'admin_user__id',
    'connectivity',
    'used_days',
    'unused_days',
    'used_on',
    'attention',
  ],
  miniFields: ['id', 'hostname', 'ip'],
  // The oldest clients send one protocol with its port instead of the list.
  ignoredFields: ['protocol', 'port'],
  feedsGrants: true,
  display: '{hostname}({ip})',
  copyWithout: ['ip', 'public_ip', 'number'],
  searchable: { note: '{ip}', shortest: 2, pinyin: true, pairs: true },
  restorable: true,
  fields: {
    id: id(),
    hostname: text({
      label: { en: 'Hostname', zh: '主机名' },
      max: 128,
      format: 'operand',
      example: 'web-prod-01',
      unique: 'org',
      search: true,
      order: true,
      filter: true,
    }),
    ip: text({
      label: { en: 'IP', zh: 'IP' },
      max: 128,
      format: 'host',
      example: '10.20.30.41',
      search: true,
      order: true,
      filter: true,
    }),
    protocols: list({
      label: { en: 'Protocols', zh: '协议组' },
      help: {
        en: 'Protocol and port, such as ssh/22',
        zh: '协议和端口，例如 ssh/22',
      },
      format: 'protocol',
      minItems: 1,
      maxItems: 4,
      max: 16,
      defaultValue: ['ssh/22'],
    }),
    is_active: boolean({ label: LABEL.isActive, defaultValue: true, filter: true }),
    public_ip: text({
      label: { en: 'Public IP', zh: '公网 IP' },
      max: 128,
      example: '203.0.113.41',
      required: false,
      nullable: true,
    }),
    number: text({
      label: { en: 'Asset number', zh: '资产编号' },
      max: 32,
      example: 'A-2041',
      required: false,
      nullable: true,
    }),
    vendor: hardware('Vendor', '制造商'),
    model: hardware('Model', '型号'),
    sn: hardware('Serial number', '序列号'),
    cpu_model: hardware('CPU model', 'CPU 型号'),
    cpu_count: hardwareCount('CPU count', 'CPU 数量'),
    cpu_cores: hardwareCount('CPU cores', 'CPU 核数'),
    cpu_vcpus: hardwareCount('CPU vcpus', 'CPU 总数'),
    memory: hardware('Memory', '内存'),
    disk_total: hardware('Disk total', '硬盘大小'),
    /** JSON as text. */
    disk_info: hardware('Disk info', '硬盘信息', 1024),
    os: hardware('OS', '操作系统'),
    os_version: hardware('OS version', '系统版本'),
    os_arch: hardware('OS arch', '系统架构'),
    hostname_raw: hardware('Hostname raw', '主机名原始'),
    comment: text({
      label: LABEL.comment,
      max: 128,
      required: false,
      defaultValue: '',
      search: true,
      multiline: true,
    }),
    created_by: createdBy(),
    date_created: createdAt(),
    /** Result of the last connection test: 0 unreachable, 1 reachable, 2 unknown. */
    connectivity: computed.json<Connectivity>({ label: { en: 'Connectivity', zh: '可连接' } }),
    hardware_info: computed.string({ label: { en: 'Hardware info', zh: '硬件信息' } }),
    admin_user: reference({
      label: { en: 'Admin user', zh: '管理用户' },
      to: 'admin_user',
      required: false,
      nullable: true,
      filter: true,
    }),
    admin_user_display: displayOf('admin_user', { en: 'Admin user', zh: '管理用户' }),
    domain: reference({
      label: { en: 'Domain', zh: '网域' },
      to: 'domain',
      required: false,
      nullable: true,
      filter: true,
    }),
    domain_display: displayOf('domain', { en: 'Domain', zh: '网域' }),
    platform: text({
      label: { en: 'Platform', zh: '系统平台' },
      max: 50,
      format: 'slug',
      namesOf: 'platform',
    }),
    nodes: many({
      label: { en: 'Nodes', zh: '节点' },
      to: 'node',
      through: 'node_assets',
      required: false,
      minItems: 1,
    }),
    labels: many({
      label: { en: 'Labels', zh: '标签' },
      to: 'label',
      through: 'label_assets',
      required: false,
    }),
    /** The first nodes and labels by name; `nodes` and `labels` contain all. */
    first_names: computed.json<{
      readonly nodes: readonly NamedRow[];
      readonly labels: readonly NamedRow[];
    }>({
      label: { en: 'First names', zh: '首个名称' },
      example: { nodes: [], labels: [] },
    }),
    last_session: computed.json<LastSession | null>({
      label: { en: 'Last session', zh: '最近会话' },
      example: null,
    }),
    /**
     * `changed`: the asset offered another host key than the pinned one, and an administrator must
     * decide.
     */
    host_key: computed.string({ label: { en: 'Host key', zh: '主机密钥' }, example: 'pinned' }),
    ...organizationFields(),
  },
});
