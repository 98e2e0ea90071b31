export { RulesAbout } from './deferred.ts';
export { appPermissionScreens, ownAppScreens } from './screens.ts';
export { useAppTabs } from './useAppTabs.tsx';
