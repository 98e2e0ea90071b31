import { Permission } from '@sallyport/contract';
import type { SettingsService } from '../../platform/settings/service.ts';
import type { Attention } from '../../resources/attention.ts';
import { countDrift } from './report.ts';

export const createDriftAttention = (settings: Pick<SettingsService, 'get'>): Attention => ({
  facts: {
    kinds: ['preset_drift'],
    access: Permission.SUPER,
    observe: async () => [['preset_drift', { count: countDrift(settings), examples: [] }]],
  },
});
