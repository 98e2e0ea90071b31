import { catalogue } from '../../../kit/i18n/index.ts';

export const words = catalogue({
  serviceAddress: { zh: '服务地址', en: 'Service URL' },
});
