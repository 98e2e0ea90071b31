import type { LocalText } from '@sallyport/contract';

/** Names of the two file rights, for refusals. */
export const TRANSFER_LABELS: Readonly<Record<'upload_file' | 'download_file', LocalText>> = {
  upload_file: { en: 'Upload file', zh: '上传文件' },
  download_file: { en: 'Download file', zh: '下载文件' },
};
