import { choice, integer } from '../kit/field.ts';
import { FOREVER_DAYS, flag, help, label, optional } from './kit.ts';

/** Settings of terminals and sessions. */
export const TERMINAL_SETTINGS = {
  terminal: {
    title: { en: 'Terminal', zh: '终端设置' },
    fields: {
      TERMINAL_PASSWORD_AUTH: flag(
        label('Password authentication', '密码认证'),
        true,
        help('Allows password sign-in at the SSH port', '允许使用密码登录 SSH 端口'),
      ),
      TERMINAL_PUBLIC_KEY_AUTH: flag(
        label('Public key authentication', '密钥认证'),
        true,
        help(
          'Users may add an SSH key to their profile and sign in with it at the SSH port',
          '允许用户在个人信息中保存 SSH 公钥，并用密钥登录 SSH 端口',
        ),
      ),
      TERMINAL_SSH_OLD_CLIENTS: flag(
        label('Old SSH clients', '兼容旧版 SSH 客户端'),
        false,
        help(
          'Clients without newer algorithms may use SHA-1 and CBC at the SSH port. Newer clients are not affected',
          '允许不支持新算法的客户端在 SSH 端口使用 SHA-1 和 CBC；不影响较新的客户端',
        ),
      ),
      TERMINAL_HEARTBEAT_INTERVAL: integer({
        ...label('Heartbeat interval', '心跳间隔'),
        ...help(
          'Units: seconds. Servers report at this interval and are marked offline after three missed reports, and at least a minute',
          '单位：秒。每台服务器报告在线的间隔；超过三个间隔（至少一分钟）没有心跳即视为离线',
        ),
        min: 5,
        max: 99_999,
        defaultValue: 20,
        required: true,
      }),
      TERMINAL_ASSET_LIST_SORT_BY: choice({
        ...label('Sort assets by', '资产列表排序'),
        ...help('Order in which users see their granted assets', '用户看到的授权资产的排列顺序'),
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
          'Users see assets that are granted directly, not through a node, in the node Ungrouped instead of their own nodes',
          '直接授权（而非通过节点授权）的资产，对用户显示在“未分组”节点中，而不是其所在节点中',
        ),
      ),
      TERMINAL_ASSET_LIST_PAGE_SIZE: choice({
        ...label('Asset list page size', '资产列表每页数量'),
        ...help(
          'Rows per page of My assets. Auto: 15; all: up to 999',
          '“我的资产”每页条数。自动为 15 条，全部最多 999 条',
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
        ...label('Session keep duration', '会话保存时长'),
        ...help(
          'Units: days. Older sessions are removed with their commands and recordings',
          '单位：天。超过该时长的会话及其录像和命令记录将被删除',
        ),
        min: 1,
        max: 99_999,
        defaultValue: FOREVER_DAYS,
        required: true,
      }),
      TERMINAL_RECORDING_INDEX: choice({
        ...label('Screen search', '屏幕内容搜索'),
        ...help(
          'Auditors find sessions by the text that they showed. The index is a copy of that text in the database, which is not encrypted',
          '审计员可按屏幕显示过的文字查找会话。索引是数据库中的文字副本，不加密',
        ),
        choices: [
          { value: 'off', label: { en: 'Off', zh: '关闭' } },
          {
            value: 'plain',
            label: { en: 'Recordings that are not encrypted', zh: '仅未加密的录像' },
          },
          {
            value: 'all',
            label: { en: 'All, also encrypted recordings', zh: '全部，包括加密的录像' },
          },
        ],
        required: false,
        defaultValue: 'off',
      }),
      TERMINAL_RECORDING_MAX_SIZE: integer({
        ...label('Maximum recording size', '单个录像大小上限'),
        ...help(
          'Units: MiB, before compression. A session that prints more ends',
          '单位：MiB（压缩前）。输出超过该大小的会话将结束',
        ),
        min: 16,
        max: 1_000_000,
        defaultValue: 4096,
        required: false,
      }),
      TERMINAL_RECORDING_MAX_RATE: integer({
        ...label('Maximum recording rate', '录像速率上限'),
        ...help(
          'Units: MiB per second on average. The first 512 MiB of a session are not limited',
          '单位：MiB/秒（长期平均）。每个会话最初的 512 MiB 不受限制',
        ),
        min: 1,
        max: 10_000,
        defaultValue: 16,
        required: false,
      }),
      TERMINAL_STOP_WAIT: integer({
        ...label('Wait for sessions before stopping', '服务器停止时等待会话结束'),
        ...help(
          'Units: minutes. A stopping server accepts no new sessions while it waits. 0 = end sessions immediately',
          '单位：分。等待期间不再接受新会话。0 表示立即结束会话',
        ),
        min: 0,
        max: 1440,
        defaultValue: 0,
        required: false,
      }),
      TERMINAL_UPLOAD_KEEP_HOURS: integer({
        ...label('Keep interrupted uploads', '中断上传的保留时间'),
        ...help(
          'Units: hours. Until then, users can continue an upload at the same path; afterwards the partial file is removed from the asset. 0 = remove immediately',
          '单位：小时。在此期间用户可在同一路径继续上传；之后资产上的未完成文件将被删除。0 表示立即删除',
        ),
        min: 0,
        max: 720,
        defaultValue: 24,
        required: false,
      }),
      TERMINAL_CANARY_MINUTES: integer({
        ...label('Self-test interval', '服务器自检间隔'),
        ...help(
          'Units: minutes. Each server opens, records and replays a test session this often, and reports failures. 0 = off',
          '单位：分。每台服务器按此间隔打开、录制并回放一个测试会话，并报告异常。0 表示关闭',
        ),
        min: 0,
        max: 1440,
        defaultValue: 0,
        required: false,
      }),
      TERMINAL_KUBECONFIG_MINUTES: integer({
        ...label('Time of a kubeconfig', 'kubeconfig 有效期'),
        ...help(
          'Units: minutes. The token of a new kubeconfig is valid for this time, and ends with the sign-in',
          '单位：分。新生成的 kubeconfig 令牌在此时间内有效，退出登录后立即失效',
        ),
        min: 1,
        max: 1440,
        defaultValue: 60,
        required: false,
      }),
      TERMINAL_SESSION_INVITATIONS: flag(label('Session invitations', '邀请他人加入会话'), false, {
        ...help(
          'Web terminal users may invite colleagues with the same access to watch or type. Turning this off disconnects all guests',
          'Web 终端的用户可以邀请拥有相同授权的同事观看或输入。关闭后所有访客立即退出',
        ),
      }),
      TERMINAL_RECORDING_KEYS: flag(label('Record desktop keystrokes', '记录桌面按键'), false, {
        ...help(
          'Recordings of RDP and VNC sessions include every keystroke, also passwords and private text. Users see a notice. Applies to new sessions only. The law or your works agreement may forbid it',
          'RDP 和 VNC 会话的录像会保存每次按键，包括密码和私人内容。用户会看到提示。仅对之后开始的会话生效；法律或内部规定可能禁止此类记录',
        ),
      }),
      TERMINAL_DESKTOP_DRIVE_SIZE: integer({
        ...label('Drive of RDP desktops', 'RDP 桌面驱动器'),
        ...help(
          'Units: MiB per session. Desktops show this folder of the server as the drive “bastion”. Permissions to upload and download files apply. The folder is deleted with the session. 0 = no drive',
          '单位：MiB/会话。桌面将服务器上的该文件夹显示为驱动器“bastion”，受上传和下载文件授权控制，会话结束时删除。0 表示不提供',
        ),
        min: 0,
        max: 65_536,
        defaultValue: 0,
        required: false,
      }),
      TERMINAL_JOURNAL_KEEP_TIME: integer({
        ...label('Keep records for a database failover', '为数据库故障切换保留记录'),
        ...help(
          'Units: minutes. Each server keeps commands, file operations and session ends on its disk after the database has stored them. If a standby takes over that lacks some, the server sends them again. 0 = keep nothing',
          '单位：分。数据库保存命令、文件操作和会话结束记录后，各服务器仍在磁盘上保留一份。若接管的备库缺少其中一些，服务器会重新发送。0 表示不保留',
        ),
        min: 0,
        max: 1440,
        defaultValue: 15,
        required: false,
      }),
      TERMINAL_RECORDING_DISK_RESERVE: integer({
        ...label('Disk reserve', '磁盘预留空间'),
        ...help(
          'Units: MiB. When less space is free for recordings, sessions end, largest first, and no new session starts',
          '单位：MiB。录像所在磁盘的可用空间低于该值时，会话按录像大小依次结束，且不能打开新会话',
        ),
        min: 16,
        max: 1_000_000,
        defaultValue: 512,
        required: false,
      }),
      TERMINAL_RECORDING_DISK_TIMEOUT: integer({
        ...label('Disk timeout', '磁盘超时'),
        ...help(
          'Units: seconds. When the disk of recordings does not answer for so long, its sessions end, and no new session starts until it answers',
          '单位：秒。录像所在磁盘在此时间内没有响应时，会话结束，且在磁盘恢复响应之前不能打开新会话',
        ),
        min: 5,
        max: 600,
        defaultValue: 30,
        required: false,
      }),
      TERMINAL_TELNET_REGEX: optional(
        label('Telnet success pattern', 'Telnet 登录成功的正则表达式'),
        1024,
        help(
          'RE2 pattern. Output after the password that matches it means a successful sign-in. Blank = common signs, such as a prompt with # or >',
          '密码提交后的输出中匹配该表达式即为登录成功（RE2 语法）。留空时按常见标志判断，例如 # 或 > 提示符',
        ),
      ),
    },
  },
} as const;
