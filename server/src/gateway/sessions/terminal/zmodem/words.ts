import type { LocalText } from '@sallyport/contract';

export const words = {
  upload: { en: '[file uploaded: {name}, {size} bytes]', zh: '[已上传文件：{name}，{size} 字节]' },
  download: {
    en: '[file downloaded: {name}, {size} bytes]',
    zh: '[已下载文件：{name}，{size} 字节]',
  },
  uploadFailed: { en: '[file not uploaded: {name}]', zh: '[文件未上传：{name}]' },
  downloadFailed: { en: '[file not downloaded: {name}]', zh: '[文件未下载：{name}]' },
  cancelled: { en: '[file transfer cancelled]', zh: '[文件传输已取消]' },
  more: { en: '[and {count} more files]', zh: '[另有 {count} 个文件]' },
} as const satisfies Record<string, LocalText>;
