import type { LocalText } from '../kit/text.ts';

/** Errors of field values. They are separate so that a form in the browser loads only these. */
export const FIELD_ERRORS = {
  malformed_json: { en: 'The body is not valid JSON.', zh: '请求体不是有效的 JSON。' },
  required: { en: 'This field is required', zh: '这个字段是必填项' },
  blank: { en: 'This field may not be blank.', zh: '该字段不能为空。' },
  null: { en: 'This field may not be null.', zh: '该字段不能为 null。' },
  secret_in_file: {
    en: 'Secrets do not belong in a file. Set this value in the console.',
    zh: '文件中不应包含密钥或密码，请在控制台中设置。',
  },
  not_path_of_node: {
    en: '"{value}" is not the path of a node. It begins with the name of the root, for example /Default/Production.',
    zh: '“{value}” 不是节点路径。路径以根节点名称开头，例如 /Default/Production。',
  },
  phrase_short: {
    en: 'Enter three letters or digits in a row, or two Chinese characters.',
    zh: '请输入至少三个连续的字母或数字，或两个汉字。',
  },
  backup_nowhere: {
    en: 'Choose a storage, or keep the copy on the server.',
    zh: '请选择备份存储，或保留服务器上的副本。',
  },
  backup_storage: {
    en: 'Choose one of the replay storages that is a bucket.',
    zh: '请选择一个对象存储类型的录像存储。',
  },
  unknown_field: { en: 'Unknown field.', zh: '未知字段。' },
  not_object: { en: 'Expected an object.', zh: '应为一个对象。' },
  not_string: { en: 'Not a valid string.', zh: '不是有效的字符串。' },
  nul_byte: { en: 'Null characters are not allowed.', zh: '不允许包含空字符。' },
  control_character: { en: 'Control characters are not allowed.', zh: '不允许包含控制字符。' },
  vnc_password: {
    en: 'VNC passwords may contain only unaccented letters, digits and ASCII symbols.',
    zh: 'VNC 密码只能包含英文字母、数字和英文符号。',
  },
  too_long: {
    en: 'Ensure this field has no more than {max} characters.',
    zh: '请确保该字段不超过 {max} 个字符。',
  },
  too_short: {
    en: 'Ensure this field has at least {min} characters.',
    zh: '请确保该字段至少包含 {min} 个字符。',
  },
  not_integer: { en: 'A valid integer is required.', zh: '请填写有效的整数。' },
  too_small: {
    en: 'Ensure this value is greater than or equal to {min}',
    zh: '请确保该值大于或者等于 {min}',
  },
  too_large: {
    en: 'Ensure this value is less than or equal to {max}',
    zh: '请确保该值小于或者等于 {max}',
  },
  not_boolean: { en: 'Must be true or false.', zh: '必须为 true 或 false。' },
  not_choice: { en: '"{value}" is not a valid choice.', zh: '“{value}” 不是有效的选项。' },
  pattern_invalid: { en: '"{value}" is not a valid pattern.', zh: '“{value}” 不是有效的模式。' },
  pattern_unsupported: { en: 'Patterns cannot contain {value}.', zh: '模式中不能使用 {value}。' },
  pattern_too_long: {
    en: 'A pattern may have at most {max} characters.',
    zh: '模式最多 {max} 个字符。',
  },
  search_texts_only: {
    en: 'The command storage “{name}” supports plain words and "exact phrases" only. Remove = and re:.',
    zh: '命令存储“{name}”只支持普通文字和 "完整短语"，请去掉 = 和 re:。',
  },
  pattern_slow: {
    en: 'Searching with this pattern takes too long. Narrow the dates, or add a word.',
    zh: '按此模式搜索耗时过长。请缩小日期范围，或再加一个词。',
  },
  not_datetime: {
    en: 'Not a valid date and time. Example: 2026-01-31 08:30:00 +0800',
    zh: '不是有效的日期时间。示例：2026-01-31 08:30:00 +0800',
  },
  not_list: { en: 'Expected a list of items.', zh: '应为一个列表。' },
  list_empty: { en: 'This list may not be empty.', zh: '该列表不能为空。' },
  list_too_long: {
    en: 'This list may have at most {max, plural, one {# item} other {# items}}.',
    zh: '该列表最多包含 {max} 项。',
  },
  list_duplicate: { en: '"{value}" appears twice in the list.', zh: '“{value}” 重复。' },
  not_uuid: { en: '"{value}" is not a valid UUID.', zh: '“{value}” 不是有效的 UUID。' },
  not_email: { en: 'Enter a valid email address.', zh: '请输入有效的邮箱地址。' },
  not_username: {
    en: 'Letters, digits and _ @ - . only, and no hyphen at the beginning.',
    zh: '只能包含字母、数字和 _ @ - . 字符，且不能以 - 开头。',
  },
  not_operand: {
    en: 'This may not begin with a hyphen: programs would read it as an option.',
    zh: '不能以 - 开头，否则程序会将其视为选项。',
  },
  not_slug: {
    en: 'Letters, digits, hyphens and underscores only.',
    zh: '只能包含字母、数字、连字符和下划线。',
  },
  not_host: { en: 'Enter an IP address or a host name.', zh: '请输入 IP 地址或主机名。' },
  not_path: {
    en: 'Use an absolute path of letters, digits and . _ - /',
    zh: '请填写绝对路径，只能包含字母、数字和 . _ - / 字符。',
  },
  not_serial_line: {
    en: 'Use a speed, or a speed and a format: 9600 or 115200 8N1.',
    zh: '请填写速率，或速率和格式：9600 或 115200 8N1。',
  },
  not_sftp_root: { en: 'Use home, tmp or an absolute path.', zh: '请填写 home、tmp 或绝对路径。' },
  not_allowed_command: {
    en: 'Line {line} cannot be used: {text}. The first word names the program, without an asterisk; quote what a shell would expand; ... is allowed at the end only.',
    zh: '第 {line} 行无法使用：{text}。首个词须写明程序且不含星号；Shell 会展开的字符须加引号；... 只能放在行尾。',
  },
  allowed_missing: {
    en: 'Enforced mode needs at least one allowed command.',
    zh: '强制模式下至少需要一条允许的命令。',
  },
  certificate_needs_ssh: {
    en: 'SSH certificates are only possible with the protocol SSH.',
    zh: 'SSH 证书仅适用于 SSH 协议。',
  },
  not_principal: {
    en: '“{text}” is no principal: use up to 64 characters without spaces and commas.',
    zh: '“{text}”不是有效的证书主体：最多 64 个字符，不含空格和逗号。',
  },
  enforced_needs_ssh: {
    en: 'Enforced mode works for SSH accounts only.',
    zh: '强制模式仅适用于 SSH 账号。',
  },
  switch_needs: {
    en: 'Switching needs SSH (or telnet with enable or super), automatic sign-in and a fixed username, without enforced mode.',
    zh: '切换账号需要 SSH 协议（enable 和 super 也可用 telnet）、自动登录和固定用户名，且不能启用强制模式。',
  },
  switch_from: {
    en: 'Choose another system user of the same protocol that signs in without asking, is not in enforced mode and does not switch itself.',
    zh: '请选择协议相同的另一个系统用户：无需用户输入密码即可登录、未启用强制模式，且自身不切换账号。',
  },
  switch_username: {
    en: 'su and sudo need a username that does not begin with a hyphen.',
    zh: '使用 su 和 sudo 时，须填写用户名，且不能以 - 开头。',
  },
  switch_source: {
    en: 'Other system users switch from this one: {names}. Keep it usable for them, or change them first.',
    zh: '以下系统用户切换自此系统用户：{names}。请保持其可用，或先修改它们。',
  },
  not_protocol: {
    en: 'Enter a protocol and its port, such as ssh/22.',
    zh: '请填写协议和端口，例如 ssh/22。',
  },
  not_network: {
    en: 'Not a valid network. Example: 10.0.0.0/8 or 2001:db8::/32',
    zh: '不是有效的网络。示例：10.0.0.0/8 或 2001:db8::/32',
  },
  not_week_hours: {
    en: 'Not valid hours. Example: Mon-Fri 08:00-18:00',
    zh: '不是有效的时段。示例：Mon-Fri 08:00-18:00',
  },
  not_port_range: {
    en: 'Not a valid port. Example: 5432 or 8000-8100',
    zh: '不是有效的端口。示例：5432 或 8000-8100',
  },
  not_time_zone: {
    en: 'Not a valid time zone. Example: Europe/Berlin',
    zh: '不是有效的时区。示例：Asia/Shanghai',
  },
  not_crontab: {
    en: 'Enter a valid crontab expression: minute, hour, day, month, weekday. Example: 30 2 * * *',
    zh: '请输入有效的 crontab 表达式：分 时 日 月 周。例如：30 2 * * *',
  },
  no_custom_password: { en: 'Enter the custom password.', zh: '请输入自定义密码。' },
  no_period: { en: 'Set an interval or a crontab expression.', zh: '请设置周期执行或定期执行。' },
  not_port: {
    en: 'A port is a number between 1 and 65535.',
    zh: '端口应为 1 到 65535 之间的数字。',
  },
  metadata_address: {
    en: 'Must not be an address of a cloud’s metadata service.',
    zh: '不能是云平台元数据服务的地址。',
  },
  not_url: {
    en: 'Enter an address that begins with http:// or https://.',
    zh: '请输入以 http:// 或 https:// 开头的地址。',
  },
  key_needs_password: {
    en: 'Changing the key needs your password: send it as password, or use Profile in the console.',
    zh: '更换公钥需要验证密码：请同时提交 password，或在控制台的个人信息中修改。',
  },
  contradicts_field: {
    en: 'This value contradicts the field {field}. Send only one of them.',
    zh: '该值与字段 {field} 不一致，请只提交其中一个。',
  },

  // Passwords.
  password_rule: {
    en: 'The password does not meet the rules: {rules}',
    zh: '密码不符合规则：{rules}',
  },
  password_former: {
    en: 'You have used this password before. Choose another one.',
    zh: '不能使用最近用过的密码，请更换。',
  },
  password_common: {
    en: 'This password is too common or too close to the name of the account. Choose another one.',
    zh: '该密码过于常见，或与账号名称相近，请更换。',
  },
  password_mismatch: { en: 'The two passwords differ.', zh: '两次输入的密码不一致。' },
  password_wrong: { en: 'The password is incorrect.', zh: '密码不正确。' },
  challenge_elsewhere: {
    en: 'The server that checks this password asks an additional question, which cannot be answered here. Sign out and sign in again instead.',
    zh: '验证密码的服务器会提出附加问题，无法在此回答；请退出后重新登录。',
  },
} as const satisfies Readonly<Record<string, LocalText>>;

export type FieldErrorCode = keyof typeof FIELD_ERRORS;
