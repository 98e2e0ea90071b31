import { lazyRouteComponent as page } from '@tanstack/react-router';
import { pagesOf } from '../../base/resources.ts';
import type { Screen } from '../../base/screen.ts';
import { resourceScreens } from '../../resource/resource-screens.ts';

const filters = () => import('./CommandFilters.tsx');
const filterRules = () => import('./CommandFilterRules.tsx');

/** Command filters and their rules. */
export const filterScreens: readonly Screen[] = [
  ...resourceScreens(
    'command_filter',
    {
      title: { zh: '命令过滤器', en: 'Command filters' },
      list: page(filters, 'CommandFilterList'),
      plainRows: true,
      form: page(filters, 'CommandFilterForm'),
      detail: page(filters, 'CommandFilterDetail'),
    },
    { menu: { group: 'access' } },
  ),
  ...resourceScreens(
    'command_filter_rule',
    { form: page(filterRules, 'CommandFilterRuleForm') },
    { activeMenu: pagesOf('command_filter').list },
  ),
];
