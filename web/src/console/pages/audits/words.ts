import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of the audit pages. */
export const words = catalogue({
  success: { zh: '成功', en: 'Success' },
  failed: { zh: '失败', en: 'Failed' },
});
