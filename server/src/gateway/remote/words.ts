import {
  ERRORS,
  type ErrorCode,
  type ErrorParams,
  type Language,
  type LocalText,
  say,
} from '@sallyport/contract';
import { problemOf } from '../refusal.ts';

/** Texts of problems of remote work. Only the server uses them. */
const REMOTE_WORDS = {
  remote_handshake: {
    en: '{host} did not answer like a {protocol} server.',
    zh: '{host} 的响应不符合 {protocol} 协议。',
  },
  remote_timeout: {
    en: 'The task did not finish within {seconds} seconds.',
    zh: '未能在 {seconds} 秒内完成。',
  },
  remote_canceled: { en: 'The task was canceled.', zh: '任务已取消。' },
  remote_interrupted: {
    en: 'The task was interrupted before it finished.',
    zh: '任务在完成前被中断。',
  },
  remote_account: {
    en: 'The account has no shell that can run commands.',
    zh: '该账号没有可执行命令的 Shell。',
  },
  remote_become: {
    en: 'The account cannot become root with {method}.',
    zh: '该账号无法通过 {method} 切换为 root。',
  },
  remote_become_secret: {
    en: '{method} did not accept the password.',
    zh: '{method} 不接受该密码。',
  },
  remote_become_asks: {
    en: '{method} asks for a password, but none is stored.',
    zh: '{method} 需要密码，但未保存密码。',
  },
  remote_root: { en: 'This requires root permissions.', zh: '此操作需要 root 权限。' },
  remote_platform: {
    en: '{platform} is not supported yet.',
    zh: '暂不支持 {platform} 平台。',
  },
  remote_system: {
    en: 'Only Linux, FreeBSD and macOS are supported; the server runs {system}.',
    zh: '仅支持 Linux、FreeBSD 和 macOS；该服务器运行的是 {system}。',
  },
  remote_macos: {
    en: 'macOS accepts account secrets only on the command line, where other users can read them. Create or change this account on the Mac itself.',
    zh: 'macOS 只能通过命令行设置账号密码，其他人可能看到。请在该 Mac 上创建或修改此账号。',
  },
  remote_windows_sudo: {
    en: 'Windows has no sudo rules. Groups define the permissions of an account.',
    zh: 'Windows 没有 sudo 规则，账号的权限由所属用户组决定。',
  },
  remote_windows_shell: {
    en: 'Windows accounts have no login shell, and Windows chooses their home folder.',
    zh: 'Windows 账号没有登录 Shell，家目录由 Windows 决定。',
  },
  remote_windows_become: {
    en: 'Windows has no {method}. Sign in with an administrator account.',
    zh: 'Windows 没有 {method}，请使用管理员账号登录。',
  },
  remote_windows_limited: {
    en: 'PowerShell of this account runs in constrained language mode, which prevents remote tasks.',
    zh: '该账号的 PowerShell 处于受限语言模式，无法执行远程操作。',
  },
  remote_windows_certificates: {
    en: 'Accounts of Windows cannot be pushed for certificates. Trust the authority in the settings of its SSH server.',
    zh: '无法为证书登录推送 Windows 账号，请在其 SSH 服务配置中信任该证书颁发机构。',
  },
  remote_outside_authority: {
    en: 'A program outside of Sallyport signs the certificates. Trust its authority on the server.',
    zh: '证书由 Sallyport 之外的程序签发，请在服务器上信任其证书颁发机构。',
  },
  remote_no_authority: {
    en: 'The organization has no SSH authority.',
    zh: '组织没有 SSH 证书颁发机构。',
  },
  remote_administrator: {
    en: 'This requires administrator permissions on the server.',
    zh: '此操作需要服务器的管理员权限。',
  },
  remote_domain_controller: {
    en: 'The server is a domain controller and has no local accounts.',
    zh: '该服务器是域控制器，没有本地账号。',
  },
  remote_shared_keys: {
    en: 'Windows administrators share one key file. Keys of other administrators are not removed.',
    zh: 'Windows 管理员共用一个密钥文件，不会删除其他管理员的密钥。',
  },
  remote_tool: {
    en: 'The program {tool} is missing on the server.',
    zh: '该服务器没有 {tool} 程序。',
  },
  remote_shell: {
    en: 'The shell of the server cannot accept values safely.',
    zh: '该服务器的 Shell 无法安全地接收数据。',
  },
  remote_secret: {
    en: 'No password and no key is stored for {name}.',
    zh: '未保存 {name} 的密码或密钥。',
  },
  remote_no_account: { en: 'The server has no account {name}.', zh: '该服务器上没有账号 {name}。' },
  remote_root_account: {
    en: '{name} is a root account and is not changed.',
    zh: '{name} 是 root 账号，不会更改。',
  },
  remote_system_account: {
    en: '{name} is a system account of this server and is not changed.',
    zh: '{name} 是该服务器的系统账号，不会更改。',
  },
  remote_bad_name: {
    en: 'Server accounts cannot have this name.',
    zh: '服务器账号不能使用该用户名。',
  },
  remote_bad_shell: {
    en: 'The shell of the system user must be an absolute path to a program.',
    zh: '系统用户的 Shell 须为程序的绝对路径。',
  },
  remote_bad_home: {
    en: 'The home folder of the system user must be an absolute path.',
    zh: '系统用户的家目录须为绝对路径。',
  },
  remote_bad_sudo: {
    en: 'The sudo rule of the system user cannot be written.',
    zh: '系统用户的 sudo 规则无法写入。',
  },
  remote_charset: {
    en: 'The charset of the asset lacks a character of a name, password or command.',
    zh: '名称、密码或命令中有资产编码无法表示的字符。',
  },
  remote_bad_secret: {
    en: 'The password or the key of the system user cannot be set on servers.',
    zh: '系统用户的密码或密钥无法设置到服务器上。',
  },
  remote_no_shell: {
    en: 'The shell {shell} is missing on the server.',
    zh: '该服务器没有 {shell}。',
  },
  remote_sudo_folder: {
    en: 'The server does not read /etc/sudoers.d.',
    zh: '该服务器不读取 /etc/sudoers.d。',
  },
  remote_sudo_rule: {
    en: 'visudo rejected the sudo rule. Nothing was changed.',
    zh: 'visudo 拒绝了该 sudo 规则，未作任何更改。',
  },
  remote_undo: {
    en: 'Could not restore the old password of {name}.',
    zh: '无法恢复 {name} 的旧密码。',
  },
  remote_failed: {
    en: 'The step "{step}" failed on the server.',
    zh: '服务器上的步骤“{step}”失败。',
  },
  remote_output: {
    en: 'The server returned an unexpected response.',
    zh: '服务器返回了意外的内容。',
  },
} as const satisfies Record<string, LocalText>;

export type RemoteCode = keyof typeof REMOTE_WORDS;

/** A problem of a host: an error of connecting (`ErrorCode`), or of the work itself. */
export interface RemoteProblem {
  readonly code: ErrorCode | RemoteCode;
  readonly params?: ErrorParams;
}

export class RemoteRefusal extends Error {
  readonly problem: RemoteProblem;

  constructor(code: RemoteCode, params?: ErrorParams) {
    super(code);
    this.name = 'RemoteRefusal';
    this.problem = params ? { code, params } : { code };
  }
}

/** Returns true if the code is one that a host may report. */
export function isRemoteCode(code: string): code is RemoteCode {
  return Object.hasOwn(REMOTE_WORDS, code);
}

/** Maps any error during the work on a host to a problem. */
export function remoteProblemOf(error: unknown): RemoteProblem {
  return error instanceof RemoteRefusal ? error.problem : problemOf(error);
}

export function wordRemoteProblem({ code, params }: RemoteProblem, language: Language): string {
  return say(isRemoteCode(code) ? REMOTE_WORDS[code] : ERRORS[code], language, params);
}

/** A problem in every language. */
export function textOf(problem: RemoteProblem): LocalText {
  return { en: wordRemoteProblem(problem, 'en'), zh: wordRemoteProblem(problem, 'zh') };
}
