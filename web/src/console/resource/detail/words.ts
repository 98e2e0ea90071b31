import { catalogue } from '../../../kit/i18n/index.ts';

/** The words of detail pages. */
export const words = catalogue({
  activity: { zh: '变更记录', en: 'Activity' },
  field: { zh: '字段', en: 'Field' },
  before: { zh: '变更前', en: 'Before' },
  after: { zh: '变更后', en: 'After' },
  noChanges: { zh: '没有记录字段变更', en: 'No field changes were recorded' },
});
