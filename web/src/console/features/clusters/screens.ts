import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { IconServer2 } from '../../../kit/icons.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const clusters = () => import('./Clusters.tsx');
const rules = () => import('./ClusterPermissions.tsx');

/** Clusters. */
export const clusterScreens: readonly Screen[] = resourceScreens(
  'cluster',
  {
    title: { zh: '集群', en: 'Clusters' },
    otherNames: [{ zh: 'Kubernetes', en: 'Kubernetes' }],
    list: page(clusters, 'ClusterList'),
    form: page(clusters, 'ClusterForm'),
    detail: page(clusters, 'ClusterDetail'),
  },
  { menu: { group: 'inventory' } },
);

/** Permissions for clusters. */
export const clusterPermissionScreens: readonly Screen[] = resourceScreens(
  'cluster_permission',
  {
    title: { zh: '集群授权', en: 'Cluster permissions' },
    list: page(rules, 'ClusterPermissionList'),
    form: page(rules, 'ClusterPermissionForm'),
    detail: page(rules, 'ClusterPermissionDetail'),
  },
  { menu: { group: 'access' } },
);

/** Clusters that the user may reach. */
export const ownClusterScreens: readonly Screen[] = [
  {
    name: 'MyClusters',
    path: '/apps/clusters',
    title: { zh: '我的集群', en: 'My clusters' },
    permissions: Permission.USE,
    menu: { icon: IconServer2 },
    component: page(() => import('./MyClusters.tsx'), 'MyClusters'),
  },
  {
    name: 'ClusterBrowser',
    path: '/apps/clusters/$id',
    title: { zh: '集群', en: 'Cluster' },
    permissions: Permission.USE,
    activeMenu: '/apps/clusters',
    unlisted: true,
    component: page(() => import('./browser/ClusterBrowser.tsx'), 'ClusterBrowser'),
  },
];
