import { lazyRouteComponent as page } from '@tanstack/react-router';
import type { Screen } from '../../base/screen.ts';

const firstLogin = () => import('./FirstLogin.tsx');

/** Pages of the user's account, for every role. */
export const ownScreens: readonly Screen[] = [
  {
    name: 'UserProfile',
    path: '/users/profile',
    title: { zh: '个人信息', en: 'User profile' },
    constant: true,
    component: page(() => import('./ProfilePage.tsx'), 'ProfilePage'),
  },
  {
    name: 'ConfirmDevice',
    path: '/users/device',
    title: { zh: '确认设备', en: 'Confirm a device' },
    constant: true,
    unlisted: true,
    component: page(() => import('./devices/ConfirmDevice.tsx'), 'ConfirmDevice'),
  },
  {
    name: 'PersonalInformationImprovement',
    path: '/users/first-login/personal-information-improvement',
    title: { zh: '个人信息完善', en: 'Improve personal information' },
    constant: true,
    unlisted: true,
    component: page(firstLogin, 'FirstLogin'),
  },
  {
    name: 'UserGuide',
    path: '/users/first-login/guide',
    title: { zh: '用户向导', en: 'User guide' },
    constant: true,
    unlisted: true,
    component: page(firstLogin, 'Guide'),
  },
];
