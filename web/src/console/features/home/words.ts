import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  connect: { zh: '连接', en: 'Connect' },
  noFiles: { zh: '该资产不支持文件传输', en: 'This asset does not support file transfer' },
  connectAs: { zh: '选择账号连接…', en: 'Connect as…' },
  favorite: { zh: '收藏', en: 'Favorite' },
  unfavorite: { zh: '取消收藏', en: 'Remove from favorites' },
  systemUsers: { zh: '系统用户', en: 'System users' },
  myAssets: { zh: '我的资产', en: 'My assets' },
  emptyMine: {
    zh: '还没有授权给您的资产，请联系管理员。',
    en: 'You have no access to any asset yet. Ask an administrator.',
  },
  hostname: { zh: '主机名', en: 'Hostname' },
  comment: { zh: '备注', en: 'Comment' },
  platform: { zh: '系统平台', en: 'Platform' },
  protocols: { zh: '协议组', en: 'Protocols' },
  requestsWaiting: { zh: '待处理的请求', en: 'Requests waiting' },
  reviewsWaiting: { zh: '待处理的审批与复核', en: 'Reviews waiting' },
  yourAnswer: { zh: '等待您处理', en: 'Needs your decision' },
  jobsFailed: { zh: '失败的任务', en: 'Failed jobs' },
  lastDay: { zh: '近 24 小时', en: 'In 24 hours' },
  usersInAll: {
    zh: '{count, number} 个用户',
    en: '{count, plural, one {# user} other {# users}}',
  },
  assetsInAll: {
    zh: '{count, number} 个资产',
    en: '{count, plural, one {# asset} other {# assets}}',
  },
  invalidUsers: { zh: '{count, number} 个已停用或过期', en: '{count, number} inactive' },
  unseenUsers: {
    zh: '{count, number} 个 {days} 天未登录',
    en: '{count, number} idle for {days, plural, one {# day} other {# days}}',
  },
  inactiveAssets: { zh: '{count, number} 个已禁用', en: '{count, number} disabled' },
  onlineUsers: { zh: '在线会话用户', en: 'Online users' },
  onlineSessions: { zh: '在线会话', en: 'Online sessions' },
  allSessions: { zh: '会话管理', en: 'Sessions' },
  sum: { zh: '共 {count, number} 个', en: '{count, number} total' },
  online: { zh: '正在进行的会话', en: 'Live sessions' },
  recent: { zh: '最近的登录', en: 'Recent sign-ins' },
  noSignIns: { zh: '没有登录记录。', en: 'No sign-ins.' },
  journey: { zh: '打开第一个终端', en: 'Your first session' },
  journeyHint: {
    zh: '完成后，您就能通过堡垒机登录服务器，并回放每一次操作。',
    en: 'Connect to a server through Sallyport and replay everything afterwards.',
  },
  stepServer: { zh: '添加服务器', en: 'Add a server' },
  stepServerHint: { zh: '填写主机名和 IP', en: 'Name and address' },
  stepAccount: { zh: '添加系统用户', en: 'Add an account' },
  stepAccountHint: { zh: '登录服务器使用的账号', en: 'The account used on the asset' },
  stepRule: { zh: '创建授权', en: 'Grant access' },
  stepRuleHint: {
    zh: '谁可以用哪个账号登录哪台服务器',
    en: 'Who can sign in where, and as whom',
  },
  stepConnect: { zh: '连接', en: 'Connect' },
  stepConnectHint: { zh: '打开 Web 终端', en: 'Open the web terminal' },
  done: { zh: '已完成', en: 'done' },
  next: { zh: '下一步', en: 'Next' },
  todo: { zh: '未完成', en: 'to do' },
  quick: { zh: '快速连接', en: 'Quick connect' },
  quickHint: { zh: '按 1–9 连接', en: 'Press 1–9 to connect' },
  quickEmpty: {
    zh: '最近连接和收藏的资产显示在这里，按 1–9 连接。',
    en: 'Recent and favorite assets appear here. Press 1–9 to connect.',
  },
  quickFailed: { zh: '暂时无法读取常用资产。', en: 'Your recent assets could not be loaded.' },
  notNow: { zh: '暂不可用', en: 'Not now' },
  notNowTo: { zh: '{name} 暂不可用：{reason}', en: 'Not now: {name}, {reason}' },
  connectTo: { zh: '连接 {name}', en: 'Connect to {name}' },
  favoriteMark: { zh: '已收藏', en: 'favorite' },
  refusedSignIns: { zh: '失败的登录', en: 'Failed sign-ins' },
  noFailedSignIns: { zh: '没有失败的登录。', en: 'No failed sign-ins.' },
  allTime: { zh: '全部记录', en: 'All records' },
  withSession: { zh: '有进行中的会话', en: 'With a live session' },
  live: { zh: '当前', en: 'Live now' },
  noLive: { zh: '当前没有在线会话。', en: 'No live sessions.' },
  auditLogs: { zh: '审计日志', en: 'Audit logs' },
  seeAll: { zh: '查看全部', en: 'See all' },
  licenseOver: {
    zh: '许可证已于 {date} 过期：组织和界面设置不再可用，已有内容不受影响。',
    en: 'The license expired on {date}: organizations and branding are read-only. Existing data stays.',
  },
  licenseEnds: { zh: '许可证将于 {date} 过期。', en: 'The license expires on {date}.' },
  licenseFull: {
    zh: '许可证允许 {limit, number} 个资产，已使用 {used, number} 个。',
    en: 'The license covers {limit, plural, one {# asset} other {# assets}}, and {used, number} are used.',
  },
  toLicense: { zh: '查看许可证', en: 'View license' },
  attention: { zh: '需要关注', en: 'Needs attention' },
  ticketsWaiting: {
    zh: '{count, number} 个工单等待您处理',
    en: '{count, plural, one {# ticket needs} other {# tickets need}} your decision',
  },
  nothingNeeds: {
    zh: '一切正常，没有需要处理的事项。',
    en: 'All clear. Nothing needs your attention.',
  },
  attentionFailed: {
    zh: '无法读取，请稍后再试。',
    en: 'This could not be loaded. Try again later.',
  },
  changedHostKeys: {
    zh: '{count, number} 个资产的主机密钥不一致，连接已被拒绝',
    en: '{count, plural, one {# asset} other {# assets}} presented a different host key. Connections are refused.',
  },
  failedCanaries: {
    zh: '{count, number} 个终端自检失败',
    en: 'Self-test failed on {count, plural, one {# terminal} other {# terminals}}',
  },
  failingStorages: {
    zh: '{count, number} 个终端的录像或命令无法写入其存储',
    en: '{count, plural, one {# terminal} other {# terminals}} cannot write recordings or commands to the storage',
  },
  unreachableAssets: {
    zh: '{count, number} 个资产无法连接',
    en: '{count, plural, one {# asset is} other {# assets are}} unreachable',
  },
  failedPushes: {
    zh: '{count, number} 个系统用户有推送失败的资产',
    en: 'Failed pushes of {count, plural, one {# system user} other {# system users}}',
  },
  directoryHeld: {
    zh: '目录显示 {count, number} 个用户已禁用、过期或删除：请确认后终止其访问',
    en: '{count, plural, one {# user is} other {# users are}} disabled, expired or gone in the directory: confirm to end their access',
  },
  directoryUnread: {
    zh: '无法读取用户目录，已离职用户的访问不会终止',
    en: 'The user directory cannot be read, so the access of users who left does not end',
  },
  usersShut: {
    zh: '7 天内 {count, number} 个用户因在来源处禁用、过期或删除而终止访问',
    en: '{count, plural, one {# user} other {# users}} lost access in the last 7 days: disabled, expired or gone at the source',
  },
  usersExpiring: {
    zh: '{count, number} 个用户将在 7 天内失效',
    en: '{count, plural, one {# user expires} other {# users expire}} within 7 days',
  },
  recordingsStopped: {
    zh: '服务器无法写入录像磁盘，不能打开会话',
    en: 'No session can be opened: the server cannot write to the disk of recordings',
  },
  recordingsDisk: {
    zh: '录像磁盘空间不足：剩余 {free}',
    en: 'Recordings disk almost full: {free} free',
  },
  waitingChangeSets: {
    zh: '{count, number} 份变更申请等待您审批或复核',
    en: '{count, plural, one {# change set waits} other {# change sets wait}} for your decision or review',
  },
  waitingSessions: {
    zh: '{count, number} 个会话等待第二人',
    en: '{count, plural, one {# session waits} other {# sessions wait}} for a second person',
  },
  unrecordedSessions: {
    zh: '最近 7 天有 {count, number} 个会话没有录像',
    en: '{count, plural, one {# session} other {# sessions}} without a recording in the last 7 days',
  },
  lockedUsers: {
    zh: '{count, number} 个用户的登录被锁定',
    en: '{count, plural, one {# user is} other {# users are}} locked out',
  },
  failedSignIns: {
    zh: '24 小时内连续登录失败 {count, number} 次',
    en: 'Repeated sign-in failures: {count, number} in 24 hours',
  },
  unseenAlerts: {
    zh: '{count, number} 条告警待处理',
    en: '{count, plural, one {# unseen alert} other {# unseen alerts}}',
  },
  usersWithoutReviewers: {
    zh: '{count, number} 个用户没有可用的登录复核人，无法登录',
    en: '{count, plural, one {# user cannot sign in: no reviewer is available} other {# users cannot sign in: no reviewer is available}}',
  },
  permissionsWithoutReviewers: {
    zh: '{count, number} 条授权没有可用的审批人，无法连接',
    en: '{count, plural, one {# permission refuses connections} other {# permissions refuse connections}}: no reviewer is available',
  },
  remoteAppPermissionsWithoutReviewers: {
    zh: '{count, number} 条远程应用授权没有可用的审批人，无法连接',
    en: '{count, plural, one {# remote app permission refuses connections} other {# remote app permissions refuse connections}}: no reviewer is available',
  },
  databaseAppPermissionsWithoutReviewers: {
    zh: '{count, number} 条数据库授权没有可用的审批人，无法连接',
    en: '{count, plural, one {# database permission refuses connections} other {# database permissions refuse connections}}: no reviewer is available',
  },
  dutyHoldersElsewhere: {
    zh: '{count, number} 个承担职责的账号不是本地账号、未启用双重认证，或仍有授予职责前的密码或密钥',
    en: '{count, plural, one {# holder of a duty needs} other {# holders of a duty need}} a local account, a second factor, or new passwords and keys',
  },
  usersOfOneName: {
    zh: '{count, number} 个用户名仅大小写不同，请改名',
    en: '{count, plural, one {# username differs} other {# usernames differ}} from another one in letter case only: rename one of them',
  },
  administratorsWithoutMfa: {
    zh: '{count, number} 个管理员未启用双重认证',
    en: '{count, plural, one {# administrator has} other {# administrators have}} no second factor',
  },
  presetDrift: {
    zh: '{count, number} 项设置偏离合规预设',
    en: '{count, plural, one {# setting is} other {# settings are}} weaker than the compliance preset',
  },
  permissionsEnding: {
    zh: '{count, number} 条授权将在 7 天内失效',
    en: '{count, plural, one {# permission ends} other {# permissions end}} within 7 days',
  },
  remoteAppPermissionsEnding: {
    zh: '{count, number} 条远程应用授权将在 7 天内失效',
    en: '{count, plural, one {# remote app permission ends} other {# remote app permissions end}} within 7 days',
  },
  databaseAppPermissionsEnding: {
    zh: '{count, number} 条数据库授权将在 7 天内失效',
    en: '{count, plural, one {# database permission ends} other {# database permissions end}} within 7 days',
  },
  unusedPermissions: {
    zh: '{count, number} 条授权在 90 天内无人使用',
    en: '{count, plural, one {# permission} other {# permissions}} unused for 90 days',
  },
  firstPassword: {
    zh: '请修改首次启动时生成的管理员密码',
    en: 'Change the generated administrator password',
  },
  auditLogsBroken: { zh: '审计日志未通过校验', en: 'Audit logs failed verification' },
  auditLogsUnverified: {
    zh: '审计日志已多日未校验',
    en: 'Audit logs not verified recently',
  },
  witnessMissing: {
    zh: '审计日志缺少外部见证',
    en: 'The outside witness of the audit logs is missing',
  },
  backupFailed: { zh: '最近的备份失败', en: 'The last scheduled backup failed' },
  backupOld: { zh: '一周内没有备份', en: 'No backup in the last week' },
  backupDrillFailed: { zh: '最近的恢复演练未通过', en: 'The last restore drill failed' },
  clocksApart: {
    zh: '服务器与数据库的时钟相差超过 2 秒，请启用 NTP',
    en: 'The clocks of servers and database differ by more than 2 seconds: run NTP',
  },
  schedulesStopped: {
    zh: '五分钟以上没有运行定时任务，请检查服务器时钟',
    en: 'No schedule has run for five minutes: check the clock of the servers',
  },
  backupDrillLate: { zh: '很久没有通过恢复演练', en: 'No restore drill has passed for too long' },
  failedJobs: {
    zh: '24 小时内 {count, number} 个任务失败',
    en: '{count, plural, one {# job} other {# jobs}} failed in the last 24 hours',
  },
  unsettledChanges: {
    zh: '{count, number} 次改密后无法确定当前有效的密码',
    en: 'Current password unknown after {count, plural, one {# password change} other {# password changes}}',
  },
  failures: {
    zh: '失败 {count, number} 次',
    en: '{count, plural, one {# failure} other {# failures}}',
  },
  selfTests: { zh: '服务器自检', en: 'Server self-tests' },
  selfTestWell: { zh: '正常，{seconds} 秒', en: 'OK, {seconds} s' },
  siteUrl: { zh: '邮件中的链接使用本站地址', en: 'Use this address for links in mails' },
  siteUrlNow: {
    zh: '目前以 {text} 开头，将改为您正在使用的地址',
    en: 'Now they begin with {text}. They will begin with the address that you use',
  },
  harden: { zh: '安全加固', en: 'Harden this installation' },
  hardenLength: { zh: '密码至少 12 个字符', en: 'Require at least 12 characters in passwords' },
  hardenLengthNow: {
    zh: '目前为 {count, number} 个字符',
    en: 'Now: {count, plural, one {# character} other {# characters}}',
  },
  hardenMfa: { zh: '所有用户使用双重认证', en: 'Require a second factor for everyone' },
  hardenMfaNow: { zh: '目前未强制', en: 'Now: not required' },
  hardenMfaConfirm: {
    zh: '所有用户（包括您）下次登录时必须设置双重认证。',
    en: 'All users, including you, must set up a second factor at the next sign-in.',
  },
  hardenRetention: {
    zh: '设定会话和录像的保存时间',
    en: 'Set a retention period for sessions and recordings',
  },
  hardenRetentionNow: {
    zh: '目前永久保存',
    en: 'Now: never deleted',
  },
  turnOn: { zh: '启用', en: 'Turn on' },
  choose: { zh: '去设置', en: 'Set' },
  hardenMore: {
    zh: '一次修改多项设置，并打印逐条报告',
    en: 'Change many settings at once, with a report per clause',
  },
  hardenPresets: { zh: '合规预设', en: 'Compliance presets' },
  hardenWaits: { zh: '变更待审批', en: 'Waits for approval' },
  hardenPlanned: { zh: '{date} 生效', en: 'Applies from {date}' },
  hardened: { zh: '设置已保存', en: 'Setting saved' },
  success: { zh: '成功', en: 'Success' },
  failed: { zh: '失败', en: 'Failed' },
});
