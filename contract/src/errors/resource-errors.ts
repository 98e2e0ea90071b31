import type { LocalText } from '../kit/text.ts';
import { CHANGE_ERRORS } from './change-errors.ts';
import { DUTY_ERRORS } from './duty-errors.ts';

/** Errors of particular resources. */
export const RESOURCE_ERRORS = {
  ...CHANGE_ERRORS,
  ...DUTY_ERRORS,
  // Accounts on assets.
  asset_users_one_by_one: { en: 'Delete asset users one by one.', zh: '资产用户只能逐个删除。' },
  asset_user_in_use: {
    en: 'This version is in use. Delete the earlier versions first, or store a new version.',
    zh: '该版本正在使用。请先删除较早的版本，或保存新版本。',
  },
  asset_user_of_admin_user: {
    en: 'This account is the admin user of the asset. Choose another admin user for the asset instead.',
    zh: '该账号是此资产的管理用户，请改为给资产选择其他管理用户。',
  },
  asset_user_of_system_user: {
    en: 'This account comes from a permission. Change the permission instead.',
    zh: '该账号来自授权，请改为编辑该授权。',
  },
  system_user_by_permissions: {
    en: 'Permissions give a system user its assets, nodes and users. Change the permission instead.',
    zh: '系统用户的资产、节点和用户由授权决定，请改为编辑相应的授权。',
  },
  asset_user_not_stored: {
    en: 'Only a stored version can be restored.',
    zh: '仅单独保存的版本可以恢复。',
  },

  // New users who are invited.
  newcomer_line: {
    en: 'Line {line} ({text}), {field}: {problem}',
    zh: '第 {line} 行（{text}），{field}：{problem}',
  },
  newcomer_taken: {
    en: 'A user with this value exists already, or another line has it.',
    zh: '已有用户使用该值，或与其他行重复。',
  },
  newcomer_over: { en: 'Choose a date in the future.', zh: '请选择将来的日期。' },

  // Other resources.
  own_account: {
    en: 'Change this on your profile page.',
    zh: '请在个人信息页面修改自己的此项信息。',
  },
  own_identity: {
    en: 'Ask another administrator of the installation to change this.',
    zh: '请由其他超级管理员修改此项信息。',
  },
  first_administrator: {
    en: 'This cannot be changed for the first administrator, so that one account can always sign in.',
    zh: '首个管理员的此项信息不可修改，以确保始终有账号可以登录。',
  },
  seal_needs_holders: {
    en: 'The first administrator can be disabled only while another administrator and an auditor of the installation, each with a second factor set up, can sign in. A system and a security administrator together count as an administrator.',
    zh: '须另有一名超级管理员和一名系统审计员可以登录，且均已设置双重认证，才能禁用首个管理员。系统管理员和安全管理员各一名等同于一名超级管理员。',
  },
  colleague_account: {
    en: 'Only administrators of the installation can change administrators and auditors.',
    zh: '只有超级管理员可以修改管理员和审计员的账号。',
  },
  guest_account: {
    en: 'This account was created outside your organization. Only administrators of the installation can change it.',
    zh: '该账号不是由当前组织创建的，只有超级管理员可以修改。',
  },
  shared_account: {
    en: 'This account belongs to more than one organization. Only administrators of the installation can change this.',
    zh: '该账号属于多个组织，只有超级管理员可以修改此项信息。',
  },
  external_account: {
    en: 'This account comes from a directory or sign-in provider. Only administrators of the installation can change this.',
    zh: '该账号来自外部用户目录或认证服务，只有超级管理员可以修改此项信息。',
  },
  source_protected: {
    en: 'Only administrators of the installation can choose the source of an account.',
    zh: '只有超级管理员可以指定用户来源。',
  },
  self_delete: { en: 'You cannot delete your own account.', zh: '不能删除自己的账号。' },
  role_protected: {
    en: 'Only administrators of the installation can assign this role.',
    zh: '只有超级管理员可以指定该角色。',
  },
  storage_type_internal: {
    en: 'Storages of this type come with the product.',
    zh: '此类型的存储由系统自带。',
  },
  storage_key_format: {
    en: 'The account key must be base64 text, as shown in the portal.',
    zh: '账号密钥应为 Base64 文本，与门户中显示的一致。',
  },
  storage_type_fixed: {
    en: 'The type of a storage cannot be changed.',
    zh: '存储的类型不能更改。',
  },
  storage_has_recordings: {
    en: 'This storage has recordings or backups, and the newest one does not open at the new address: {reason}. Copy all of them there first, or create another storage.',
    zh: '该存储中已有录像或备份，而其中最新的一份在新地址无法打开：{reason}。请先将其全部复制到新地址，或另建一个存储。',
  },
  storage_test_failed: {
    en: 'The test of the bucket failed: {reason}',
    zh: '存储桶测试失败：{reason}',
  },
  storage_second: {
    en: 'Choose another replay storage that is a bucket.',
    zh: '请选择另一个对象存储类型的录像存储。',
  },
  storage_default: {
    en: 'Storages that come with the product cannot be changed or deleted.',
    zh: '不允许修改或删除默认存储配置。',
  },
  storage_index_fixed: {
    en: 'This index already holds commands, so it cannot be changed. Create another storage instead.',
    zh: '该索引中已保存命令，不能更改。请另建一个存储。',
  },
  not_index: {
    en: 'Index names contain only lowercase letters, digits, hyphens and underscores, and begin with a letter or digit.',
    zh: '索引名只能包含小写字母、数字、连字符和下划线，并以字母或数字开头。',
  },
  not_certificate: { en: 'This is not a PEM certificate.', zh: '这不是 PEM 格式的证书。' },
  receiver_type_fixed: {
    en: 'The type of a receiver cannot be changed.',
    zh: '接收端的类型不能更改。',
  },
  receiver_secret_short: {
    en: 'The secret needs at least 16 characters.',
    zh: '密钥至少需要 16 个字符。',
  },
  receiver_plain: {
    en: 'This transport is not encrypted. An administrator must allow it: Settings › Security, Unencrypted event receivers.',
    zh: '该方式不加密。管理员需要先在“系统设置 › 安全”中允许未加密的事件接收端。',
  },
  command_storage_away: {
    en: 'The command storage {name} cannot be searched: {reason}',
    zh: '无法搜索命令存储“{name}”：{reason}',
  },
  unused_too_many: {
    en: 'More than {max, number} entries: search, choose a kind, or sort by permission or end.',
    zh: '超过 {max, number} 条：请搜索、选择类型，或按授权或有效期排序。',
  },
  commands_too_many: {
    en: 'More than {max, number} commands in the command storage match. Choose a shorter period, or add search words.',
    zh: '命令存储中匹配的命令超过 {max, number} 条，请缩短时间范围或增加搜索内容。',
  },
  terminal_runs: {
    en: 'This terminal is running, and a running server registers itself. Stop the server first, or retire the terminal.',
    zh: '该终端正在运行，运行中的服务器会自动注册。请先停止服务器，或停用该终端。',
  },
  object_protected: { en: 'You can’t change this.', zh: '您不能修改此内容。' },
  no_assets_below_nodes: {
    en: 'These nodes contain no assets. Choose other nodes.',
    zh: '所选节点下没有资产，请更换节点。',
  },
  push_check_ssh: {
    en: 'Dry runs work for SSH system users only.',
    zh: '仅 SSH 系统用户支持试运行推送。',
  },
  push_check_secret: {
    en: 'The system user has no stored password or key, so nothing would be pushed.',
    zh: '系统用户没有已保存的密码或密钥，不会推送任何内容。',
  },
  no_custom_key: { en: 'Enter the new private key of the account.', zh: '请输入账号的新私钥。' },
  nothing_to_change: {
    en: 'The plan changes neither the password nor the key. Choose at least one of them.',
    zh: '计划既不更改密码也不更换密钥，请选择要更改的内容。',
  },
  version_without_password: { en: 'This version has no password.', zh: '该版本没有密码。' },
  no_assets_in_plan: { en: 'The plan has no active asset.', zh: '计划中没有可用的资产。' },
  cloud_account_unavailable: {
    en: 'The account does not work: {reason}',
    zh: '账号无效：{reason}',
  },
  cloud_sync_failed: { en: 'Not everything was synced: {reason}', zh: '未能全部同步：{reason}' },
  cloud_endpoint_super: {
    en: 'Only super administrators may set the endpoint.',
    zh: '仅超级管理员可以设置接口地址。',
  },
  cloud_endpoint: {
    en: 'Enter an address that begins with https:// and ends with the host or its port.',
    zh: '请输入以 https:// 开头、以主机或端口结尾的地址。',
  },
  cloud_region: {
    en: '"{value}" is not the id of a region, such as cn-hangzhou.',
    zh: '“{value}” 不是有效的地域 ID，例如 cn-hangzhou。',
  },
  no_failed_hosts: { en: 'No host failed in this execution.', zh: '本次执行没有失败的主机。' },
  already_runs: {
    en: 'A run is already in progress. Wait until it ends.',
    zh: '正在执行中，请等待执行结束。',
  },
  evidence_no_session: {
    en: 'There is no ended session {session}.',
    zh: '没有已结束的会话 {session}。',
  },
  evidence_no_entry: {
    en: 'No log has an entry of this period.',
    zh: '这段时间没有任何日志。',
  },
  evidence_too_large: {
    en: 'The period has more than {max} sessions. Export shorter periods.',
    zh: '这段时间的会话超过 {max} 个，请缩短时间段后分别导出。',
  },
  mapping_auditor: {
    en: 'Auditors join no user groups. Use a separate mapping.',
    zh: '审计员不加入用户组，请使用单独的映射。',
  },
  not_after_start: { en: 'The end must be after the start.', zh: '结束时间必须晚于开始时间。' },
  license_required: { en: 'A valid license is required.', zh: '该功能需要有效的许可证。' },
  license_assets: {
    en: 'The license covers {limit, plural, one {# asset} other {# assets}} across all organizations, and {wanted, plural, one {# more does} other {# more do}} not fit. Delete unused assets, or import a larger license.',
    zh: '许可证允许所有组织共 {limit} 个资产，无法再添加 {wanted} 个。请删除不需要的资产，或导入更大的许可证。',
  },
  organization_name_reserved: {
    en: 'This name is reserved. Choose another one.',
    zh: '该名称为系统保留名称，请使用其他名称。',
  },
  organization_not_empty: {
    en: 'The organization still has {what}. Remove them first.',
    zh: '组织内包含未删除的资源（{what}），请先删除。',
  },
  organization_current: {
    en: 'The current organization cannot be deleted. Switch to another one first.',
    zh: '不能删除当前所在的组织，请先切换到其他组织。',
  },
  invite_outside: {
    en: 'All users belong to the default organization. Switch to another one to invite people.',
    zh: '所有用户都属于默认组织，请切换到其他组织后再邀请。',
  },
  account_unknown: {
    en: 'No account has exactly this username or email address.',
    zh: '没有用户名或邮箱与此完全一致的账号。',
  },
  member_already: {
    en: 'This user is already a member of the organization.',
    zh: '已经是该组织的成员。',
  },
  relation_needed: { en: 'Keep at least {min}.', zh: '至少需要保留 {min} 个。' },
  node_not_empty: {
    en: 'The node still has child nodes or assets.',
    zh: '该节点下还有子节点或资产，不能删除。',
  },
  node_root: { en: 'The root node cannot be changed this way.', zh: '不能对根节点执行该操作。' },
  node_cycle: { en: 'A node cannot be moved below itself.', zh: '不能将节点移动到它自身之下。' },
  node_too_deep: {
    en: 'The tree cannot be deeper than {max} levels.',
    zh: '节点层级不能超过 {max} 层。',
  },
  domain_cycle: {
    en: 'This domain is itself reached through {name}.',
    zh: '网域“{name}”本身就经由该网域到达。',
  },
  domain_too_deep: {
    en: 'A connection can pass through {max} domains at most.',
    zh: '一条连接最多经过 {max} 个网域。',
  },
  alert_own: {
    en: 'Another administrator or auditor must mark an alert about you as seen.',
    zh: '与您本人有关的告警须由其他管理员或审计员处理。',
  },
  no_previous_secret: {
    en: 'No earlier password or key is stored.',
    zh: '没有可恢复的旧密码或密钥。',
  },
  host_key_other: {
    en: 'The server now offers a different key than the one you reviewed. Reload and compare again.',
    zh: '服务器现在提供的密钥与您核对的不同，请刷新后重新核对。',
  },
  login_required_credentials: {
    en: 'Automatic sign-in needs a username and a password or a key.',
    zh: '自动登录需要用户名以及密码或密钥。',
  },
} as const satisfies Readonly<Record<string, LocalText>>;
