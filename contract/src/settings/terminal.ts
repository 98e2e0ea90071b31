import { choice, integer } from '../kit/field.ts';
import { flag, help, label, optional } from './kit.ts';

/** Settings of terminals and sessions. */
export const TERMINAL_SETTINGS = {
  terminal: {
    title: { en: 'Terminal', zh: '终端设置' },
    fields: {
      TERMINAL_PASSWORD_AUTH: flag(
        label('Password auth', '密码认证'),
        true,
        help('Signing in by password at the SSH port', '允许使用密码登录SSH端口'),
      ),
      TERMINAL_PUBLIC_KEY_AUTH: flag(
        label('Public key auth', '密钥认证'),
        true,
        help(
          'People may keep an SSH key in their profile and sign in with it at the SSH port',
          '允许用户在个人信息中保存SSH公钥，并使用密钥登录SSH端口',
        ),
      ),
      TERMINAL_SSH_OLD_CLIENTS: flag(
        label('Old SSH clients', '兼容旧版SSH客户端'),
        false,
        help(
          'Clients that know nothing newer may use SHA-1 and CBC at the SSH port. Newer ones are not affected',
          '允许不支持新算法的客户端在SSH端口使用 SHA-1 和 CBC；不影响较新的客户端',
        ),
      ),
      TERMINAL_HEARTBEAT_INTERVAL: integer({
        ...label('Heartbeat interval', '心跳间隔'),
        ...help(
          'Units: seconds. How often each server says that it is alive; without one for three intervals, and at least a minute, it counts as gone',
          '单位：秒。每台服务器报告在线的间隔；超过三个间隔（至少一分钟）没有心跳即视为离线',
        ),
        min: 5,
        max: 99_999,
        defaultValue: 20,
        required: true,
      }),
      TERMINAL_ASSET_LIST_SORT_BY: choice({
        ...label('List sort by', '资产列表排序'),
        ...help('The order of the assets that people are granted', '用户被授权资产的排列顺序'),
        choices: [
          { value: 'hostname', label: { en: 'Hostname', zh: '主机名' } },
          { value: 'ip', label: { en: 'IP', zh: 'IP' } },
        ],
        defaultValue: 'hostname',
      }),
      PERM_SINGLE_ASSET_TO_UNGROUP_NODE: flag(
        label('Ungrouped assets', '未分组资产'),
        false,
        help(
          'Assets that permissions name themselves, and not by a node, are shown to people in the node Ungrouped in place of their own nodes',
          '授权规则直接指定（而非通过节点授权）的资产，对用户显示在“未分组”节点中，而不是其所在节点中',
        ),
      ),
      TERMINAL_ASSET_LIST_PAGE_SIZE: choice({
        ...label('List page size', '资产列表每页数量'),
        ...help(
          'Rows per page of My assets. Auto: 15; all: up to 999',
          '“我的资产”默认每页条数。自动为15条，全部最多999条',
        ),
        choices: ['all', 'auto', '10', '15', '25', '50'].map((value) => ({
          value,
          label: {
            en: value === 'all' ? 'All' : value === 'auto' ? 'Auto' : value,
            zh: value === 'all' ? '全部' : value === 'auto' ? '自动' : value,
          },
        })),
        defaultValue: 'auto',
      }),
      TERMINAL_SESSION_KEEP_DURATION: integer({
        ...label('Session keep duration', '会话日志保存时间'),
        ...help(
          'Units: days. Older sessions are removed with their commands and recordings. 9999: practically forever',
          '单位：天。会话、录像、命令记录超过该时长将会被删除。9999 相当于永久保存',
        ),
        min: 1,
        max: 99_999,
        defaultValue: 9999,
        required: true,
      }),
      TERMINAL_RECORDING_MAX_SIZE: integer({
        ...label('Largest recording', '单个录像的最大大小'),
        ...help(
          'Units: MiB, before it is compressed; a session that printed more ends',
          '单位：MiB（压缩前）。输出超过该大小的会话将结束',
        ),
        min: 16,
        max: 1_000_000,
        defaultValue: 4096,
        required: false,
      }),
      TERMINAL_RECORDING_MAX_RATE: integer({
        ...label('Fastest recording', '录像的最大速率'),
        ...help(
          'Units: MiB a second in the long run; the first 512 MiB of a session are not slowed',
          '单位：MiB/秒（长期平均）。每个会话最初的 512 MiB 不受限制',
        ),
        min: 1,
        max: 10_000,
        defaultValue: 16,
        required: false,
      }),
      TERMINAL_STOP_WAIT: integer({
        ...label('A stopping server waits for its sessions', '服务器停止时等待会话结束'),
        ...help(
          'Units: minutes. It takes no new sessions meanwhile. 0 ends them at once',
          '单位：分。等待期间不再接受新会话。0 表示立即结束会话',
        ),
        min: 0,
        max: 1440,
        defaultValue: 0,
        required: false,
      }),
      TERMINAL_CANARY_MINUTES: integer({
        ...label('Try out each server', '服务器自检'),
        ...help(
          'Units: minutes. So often each server opens, records and replays a session of its own, and reports what does not work. 0 switches it off',
          '单位：分。每台服务器按此间隔打开、录制并回放一个自己的会话，并报告异常。0 表示关闭',
        ),
        min: 0,
        max: 1440,
        defaultValue: 0,
        required: false,
      }),
      TERMINAL_SESSION_INVITATIONS: flag(
        label('Invitations into sessions', '邀请他人加入会话'),
        false,
        {
          ...help(
            'Users of the web terminal may invite colleagues, who have the same access themselves, to watch or to type. Off ends the visits of all guests',
            'Web 终端的用户可以邀请拥有相同授权的同事观看或输入。关闭后所有访客立即退出',
          ),
        },
      ),
      TERMINAL_RECORDING_KEYS: flag(label('Record the keys of desktops', '记录桌面按键'), false, {
        ...help(
          'Recordings of RDP and VNC sessions keep each key that is pressed, so also passwords and private texts that users type at the desktop. Users see a notice. It holds for sessions that begin from now on; the law or your works agreement may forbid it',
          'RDP 和 VNC 会话的录像会保存每次按键，包括用户在桌面上输入的密码和私人内容。用户会看到提示。仅对之后开始的会话生效；法律或内部规定可能禁止此类记录',
        ),
      }),
      TERMINAL_RECORDING_DISK_RESERVE: integer({
        ...label('Disk reserve', '磁盘预留空间'),
        ...help(
          'Units: MiB. With less free space for recordings sessions end, the largest first, and no new one begins',
          '单位：MiB。录像所在磁盘的可用空间低于该值时，会话按录像大小依次结束，且不能打开新会话',
        ),
        min: 16,
        max: 1_000_000,
        defaultValue: 512,
        required: false,
      }),
      TERMINAL_TELNET_REGEX: optional(
        label('Telnet login regex', 'Telnet 成功正则表达式'),
        1024,
        help(
          'Found in the output after the password when the sign-in succeeded (RE2 syntax). Blank: the usual signs, such as a prompt with # or >',
          '密码提交后的输出中匹配该表达式即为登录成功（RE2 语法）。留空时按常见标志判断，例如 # 或 > 提示符',
        ),
      ),
    },
  },
} as const;
