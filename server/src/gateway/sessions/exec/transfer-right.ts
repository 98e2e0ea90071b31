import { actionMask, type LocalText } from '@sallyport/contract';
import { Refusal } from '../../refusal.ts';

const UPLOAD: LocalText = { en: 'Upload file', zh: '上传文件' };
const DOWNLOAD: LocalText = { en: 'Download file', zh: '下载文件' };

/** Commands that clients run over an exec channel to transfer files. */
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
 * Checks the right to transfer files if a command is the remote end of a transfer. Recognizes the
 * commands of `scp`, `rsync` and `sftp`. Users who may run commands can still print a file.
 * @throws Refusal
 */
export function requireTransferRight(command: string, actions: number): void {
  for (const { pattern, action, label } of TRANSFERS) {
    if (pattern.test(command) && (actions & actionMask([action])) === 0)
      throw new Refusal('transfer_denied', { action: label });
  }
}

/** Returns the directions in which a command transfers files; empty if it transfers none. */
export function transfersOf(
  command: string,
): { readonly program: 'scp' | 'other'; readonly operation: 'upload' | 'download' }[] {
  return TRANSFERS.filter(({ pattern }) => pattern.test(command)).map(({ program, action }) => ({
    program,
    operation: action === 'upload_file' ? 'upload' : 'download',
  }));
}
