import { boolean, computed, createdAt, datetime, id, integer, text } from '../../kit/field.ts';
import { defineResource } from '../../kit/resource.ts';
import { Permission } from '../../roles.ts';
import { LABEL } from '../labels.ts';

const SUPER = Permission.SUPER | Permission.ADMIN;
const READ = Permission.SUPER | Permission.AUDIT;

/**
 * A running server, registered at its start. Users cannot create one; a retired one accepts no new
 * sessions.
 */
export const terminal = defineResource({
  name: 'terminal',
  path: 'terminal/terminals',
  area: 'operation',
  parameters: ['attention'],
  scope: 'global',
  title: { en: 'Terminal', zh: '终端' },
  access: { read: READ, update: SUPER, delete: SUPER },
  pages: { list: 'terminal/terminal', update: 'terminal/terminal', detail: 'terminal/terminal' },
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
    remote_addr: text({
      label: LABEL.remoteAddress,
      max: 128,
      readOnly: true,
      search: true,
      order: true,
      filter: true,
    }),
    ssh_port: integer({
      isPlain: true,
      label: { en: 'SSH port', zh: 'SSH 端口' },
      help: { en: '0: the SSH listener is off', zh: '0 表示 SSH 监听已关闭' },
      readOnly: true,
    }),
    http_port: integer({
      isPlain: true,
      label: { en: 'HTTP port', zh: 'HTTP 端口' },
      readOnly: true,
    }),
    version: text({ label: { en: 'Version', zh: '版本' }, max: 32, readOnly: true }),
    session_online: computed.integer({ label: { en: 'Sessions', zh: '会话' } }),
    load: integer({
      label: { en: 'Processor load', zh: '处理器负载' },
      help: {
        en: 'Average over the last minute. At 100% all processors of the machine are busy; above that, tasks wait for a processor',
        zh: '最近一分钟的平均值。100% 表示所在主机的处理器全部繁忙，超过则有任务在等待处理器',
      },
      readOnly: true,
      order: true,
    }),
    is_active: boolean({
      label: { en: 'Active', zh: '激活中' },
      help: {
        en: 'A retired terminal accepts no new sessions; open sessions continue',
        zh: '停用的终端不再接受新会话，已打开的会话不受影响',
      },
      defaultValue: true,
      filter: true,
      order: true,
    }),
    replay_storage: text({
      label: { en: 'Replay storage', zh: '录像存储' },
      help: {
        en: 'Finished recordings move to this storage; with "null", later recordings are not kept',
        zh: '已完成的录像会移动到此处；选择“null”后，之后的录像不再保存',
      },
      max: 32,
      namesOf: 'replay_storage',
      defaultValue: 'default',
    }),
    command_storage: text({
      label: { en: 'Command storage', zh: '命令存储' },
      help: {
        en: 'Later commands are kept in this storage; with "null", they are not kept',
        zh: '之后的命令保存在此处；选择“null”后不再保存',
      },
      max: 32,
      namesOf: 'command_storage',
      defaultValue: 'default',
    }),
    storage_problem: text({
      label: { en: 'Storage problem', zh: '存储故障' },
      max: 300,
      readOnly: true,
    }),
    command_storage_problem: computed.string({
      label: { en: 'Command storage problem', zh: '命令存储故障' },
    }),
    canary_date: datetime({
      label: { en: 'Last self-test', zh: '最近自检' },
      readOnly: true,
      nullable: true,
    }),
    canary_milliseconds: integer({
      label: { en: 'Duration of the self-test (ms)', zh: '自检耗时（毫秒）' },
      readOnly: true,
      nullable: true,
    }),
    /** Problem in the last self-test; empty if it passed or never ran. */
    canary_problem: computed.string({ label: { en: 'Self-test', zh: '自检异常' } }),
    is_alive: computed.boolean({ label: { en: 'Alive', zh: '在线' } }),
    // Existing clients request it; a server with database and key needs no acceptance.
    is_accepted: computed.boolean({ label: { en: 'Accepted', zh: '已接受' } }),
    date_heartbeat: datetime({
      label: { en: 'Last heartbeat', zh: '最近心跳' },
      readOnly: true,
      nullable: true,
      order: true,
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
