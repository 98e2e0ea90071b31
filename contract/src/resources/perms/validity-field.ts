import { computed } from '../../kit/field.ts';

/** The state of a permission as a word: `valid`, `not_started`, `disabled` or `expired`. */
export const validityField = () =>
  computed.string({ label: { en: 'State', zh: '状态' }, example: 'valid' });
