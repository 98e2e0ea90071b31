import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  acsAddress: { zh: '断言消费地址（ACS）', en: 'Assertion consumer URL (ACS)' },
  entityAddress: { zh: '实体 ID 和元数据地址', en: 'Entity ID and metadata URL' },
  logoutAddress: { zh: '单点注销地址', en: 'Single logout URL' },
});
