import { computed } from '../../kit/field.ts';

/** The one outcome of a run, as a name and in words. */
export const OUTCOME_FIELDS = {
  outcome: computed.string({ label: { en: 'Outcome', zh: '结果' }, example: 'succeeded' }),
  state_display: computed.string({ label: { en: 'State', zh: '状态' }, example: 'Succeeded' }),
};
