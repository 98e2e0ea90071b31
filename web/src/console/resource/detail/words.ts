import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  activity: { zh: '变更记录', en: 'Activity' },
  overview: { zh: '概览', en: 'Overview' },
  access: { zh: '访问权限', en: 'Access' },
  security: { zh: '安全', en: 'Security' },
  history: { zh: '活动', en: 'Activity' },
  changes: { zh: '变更记录', en: 'Changes' },
  field: { zh: '字段', en: 'Field' },
  before: { zh: '变更前', en: 'Before' },
  after: { zh: '变更后', en: 'After' },
  comma: { zh: '、', en: ', ' },
  noChanges: { zh: '没有记录字段变更', en: 'No field changes were recorded' },
  disable: { zh: '禁用', en: 'Disable' },
  disableQuestion: { zh: '禁用“{name}”？', en: 'Disable "{name}"?' },
  quickUpdate: { zh: '操作', en: 'Actions' },
  addSuccess: { zh: '添加成功', en: 'Added' },
  resourceLost: { zh: '没有找到对应资源或者已被删除', en: 'Resource lost or deleted' },
});
