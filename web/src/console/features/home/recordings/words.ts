import { catalogue } from '../../../../kit/i18n/index.ts';

/** Texts of the items about places of recordings. */
export const words = catalogue({
  recordingsOnDisks: {
    zh: '{count, number} 台服务器的录像只在自己的磁盘上：请为全部服务器选择一次存储位置',
    en: 'Recordings of {count, plural, one {# server is} other {# servers are}} on its own disk only: choose a place for all servers once',
  },
  unrestoredRecordings: {
    zh: '{count, number} 个会话的录像无法从存储桶还原，其服务器已停止',
    en: '{count, plural, one {# recording of a dead server} other {# recordings of dead servers}} could not be restored from the bucket',
  },
});
