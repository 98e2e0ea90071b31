import { text } from '../../kit/field.ts';

const pattern = (label: { readonly en: string; readonly zh: string }, en: string, zh: string) =>
  text({
    label,
    help: { en, zh },
    max: 256,
    required: false,
    defaultValue: '',
    detailOnly: true,
  });

/** Expressions of telnet fields, in RE2 syntax. */
export const TELNET_PATTERNS = [
  'username_prompt',
  'password_prompt',
  'success_pattern',
  'failure_pattern',
] as const;

/** Fields of a system user that signs in at the prompts of devices and serial consoles. */
export const telnetFields = () => ({
  username_prompt: pattern(
    { en: 'Username prompt', zh: '用户名提示' },
    'RE2 pattern for the last line. Blank: common prompts',
    '匹配最后一行的正则表达式（RE2 语法）；留空则按常见提示判断',
  ),
  password_prompt: pattern(
    { en: 'Password prompt', zh: '密码提示' },
    'RE2 pattern for the last line. The password is sent only to a line that matches',
    '匹配最后一行的正则表达式（RE2 语法）；仅在匹配时发送密码',
  ),
  success_pattern: pattern(
    { en: 'Success pattern', zh: '登录成功' },
    'RE2 pattern for the output after the password. Blank: the terminal settings decide',
    '匹配密码提交后输出的正则表达式（RE2 语法）；留空则以终端设置为准',
  ),
  failure_pattern: pattern(
    { en: 'Failure pattern', zh: '登录失败' },
    'RE2 pattern for the output after the password. Blank: common messages',
    '匹配密码提交后输出的正则表达式（RE2 语法）；留空则按常见提示判断',
  ),
  serial_line: text({
    label: { en: 'Serial line', zh: '串口参数' },
    help: {
      en: 'Speed and format that the serial server sets (RFC 2217), such as 9600 or 115200 8N1. Blank: as it is',
      zh: '由串口服务器设置的速率和格式（RFC 2217），例如 9600 或 115200 8N1；留空则保持不变',
    },
    max: 16,
    format: 'serialLine',
    example: '115200 8N1',
    required: false,
    defaultValue: '',
    detailOnly: true,
  }),
});
