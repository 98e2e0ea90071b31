import { catalogue } from '../../kit/i18n/index.ts';

/** Words of the terminal in a container of a pod. */
export const words = catalogue({
  title: { en: 'Pod terminal', zh: 'Pod 终端' },
  notGranted: { en: 'You have no access to this cluster', zh: '您没有该集群的授权' },
  toClusters: { en: 'My clusters', zh: '我的集群' },
  label: { en: 'Terminal of {name}', zh: '{name} 的终端' },
});
