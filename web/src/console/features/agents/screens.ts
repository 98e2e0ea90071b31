import { AGENT_CONSENT_PAGE, Permission, SECOND_CONSOLE } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { IconRobot } from '../../../kit/icons.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';
import { words } from './words.ts';

/** Agents of the user; in the administration, those of all users. A leash is never edited. */
const agentPages: readonly Screen[] = resourceScreens(
  'agent',
  {
    title: { zh: '智能体', en: 'Agents' },
    otherNames: [
      { zh: 'AI 助手', en: 'AI assistants' },
      { zh: 'MCP 令牌', en: 'MCP tokens' },
    ],
    list: page(() => import('./Agents.tsx'), 'AgentList'),
    form: page(() => import('./Agents.tsx'), 'AgentForm'),
    detail: page(() => import('./AgentDetail.tsx'), 'AgentDetail'),
  },
  {
    menu: { group: 'people', icon: IconRobot },
    permissions: Permission.USE,
    alsoFor: Permission.SUPER,
  },
).filter(({ name }) => name !== 'AgentUpdate');

export const agentScreens: readonly Screen[] = [
  ...agentPages,
  {
    name: 'AgentConsent',
    path: AGENT_CONSENT_PAGE.slice(SECOND_CONSOLE.length),
    title: words.asks,
    permissions: Permission.USE,
    alsoFor: Permission.SUPER,
    unlisted: true,
    component: page(() => import('./AgentConsent.tsx'), 'AgentConsent'),
  },
];
