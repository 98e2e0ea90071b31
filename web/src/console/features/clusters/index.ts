export { clusterPermissionScreens, clusterScreens, ownClusterScreens } from './screens.ts';
