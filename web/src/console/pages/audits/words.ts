import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of the audit pages. */
export const words = catalogue({
  field: { zh: '字段', en: 'Field' },
  before: { zh: '变更前', en: 'Before' },
  after: { zh: '变更后', en: 'After' },
  noChanges: { zh: '没有记录字段变更', en: 'No field changes were recorded' },
  success: { zh: '成功', en: 'Success' },
  failed: { zh: '失败', en: 'Failed' },
});
