import { actionMask, type LocalText } from '@sallyport/contract';
import { Refusal } from '../../refusal.ts';

const UPLOAD: LocalText = { en: 'Upload file', zh: '上传文件' };
const DOWNLOAD: LocalText = { en: 'Download file', zh: '下载文件' };

/** The commands by which clients move files over an exec channel, and what they do. */
const TRANSFERS: readonly {
  readonly pattern: RegExp;
  readonly action: 'upload_file' | 'download_file';
  readonly label: LocalText;
  readonly program: 'scp' | 'other';
}[] = [
  {
    pattern: /^\s*(?:\S*\/)?scp\s(?:-\S+\s+)*-[a-z]*t\b/,
    action: 'upload_file',
    label: UPLOAD,
    program: 'scp',
  },
  {
    pattern: /^\s*(?:\S*\/)?scp\s(?:-\S+\s+)*-[a-z]*f\b/,
    action: 'download_file',
    label: DOWNLOAD,
    program: 'scp',
  },
  {
    pattern: /^\s*(?:\S*\/)?rsync\s+--server\s+(?!--sender\b)/,
    action: 'upload_file',
    label: UPLOAD,
    program: 'other',
  },
  {
    pattern: /^\s*(?:\S*\/)?rsync\s+--server\s+--sender\b/,
    action: 'download_file',
    label: DOWNLOAD,
    program: 'other',
  },
  {
    pattern: /^\s*(?:\S*\/)?(?:internal-sftp|sftp-server)\b/,
    action: 'upload_file',
    label: UPLOAD,
    program: 'other',
  },
  {
    pattern: /^\s*(?:\S*\/)?(?:internal-sftp|sftp-server)\b/,
    action: 'download_file',
    label: DOWNLOAD,
    program: 'other',
  },
];

/**
 * Asks for the right to move files where a command is the far end of a file transfer. It recognizes what `scp` and `rsync` send; a person who may run commands
 * can also print a file. @throws Refusal
 */
export function requireTransferRight(command: string, actions: number): void {
  for (const { pattern, action, label } of TRANSFERS) {
    if (pattern.test(command) && (actions & actionMask([action])) === 0)
      throw new Refusal('transfer_denied', { action: label });
  }
}

/** What a command moves, in one direction or in both; nothing for one that is no file transfer. */
export function transfersOf(
  command: string,
): { readonly program: 'scp' | 'other'; readonly operation: 'upload' | 'download' }[] {
  return TRANSFERS.filter(({ pattern }) => pattern.test(command)).map(({ program, action }) => ({
    program,
    operation: action === 'upload_file' ? 'upload' : 'download',
  }));
}
