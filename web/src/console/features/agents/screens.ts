import { Permission } from '@sallyport/contract';
import { lazyRouteComponent as page } from '@tanstack/react-router';
import { IconRobot } from '../../../kit/icons.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

/** Agents of the user; in the administration, those of all users. A leash is never edited. */
export const agentScreens: readonly Screen[] = resourceScreens(
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
