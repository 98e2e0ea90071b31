import { lazyRouteComponent as page } from '@tanstack/react-router';
import { HELP } from '../../base/addresses.ts';
import type { Screen } from '../../base/screen.ts';
import { words } from '../../base/words.ts';

const help = () => import('./HelpPages.tsx');

/** Help pages, for every role. */
export const helpScreens: readonly Screen[] = [
  {
    name: 'Help',
    path: HELP.overview,
    title: words.help,
    constant: true,
    component: page(help, 'HelpPage'),
  },
  {
    name: 'Docs',
    path: HELP.docs,
    title: words.docs,
    constant: true,
    component: page(help, 'DocsPage'),
  },
  {
    name: 'Support',
    path: HELP.support,
    title: words.support,
    constant: true,
    component: page(() => import('./SupportPage.tsx'), 'SupportPage'),
  },
  {
    name: 'Enterprise',
    path: HELP.enterprise,
    title: words.enterprise,
    constant: true,
    component: page(() => import('./EnterprisePage.tsx'), 'EnterprisePage'),
  },
];
