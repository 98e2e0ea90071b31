import { displayOf, reference } from '../../kit/field.ts';
import type { LocalText } from '../../kit/text.ts';

export const CONDITION_TITLE: LocalText = { en: 'Condition', zh: '访问条件' };

/** The condition of a permission or rule, and its name; none by default. */
export const conditionFields = () => ({
  condition: reference({
    label: CONDITION_TITLE,
    help: {
      en: 'Holds only under this condition; none: always',
      zh: '仅在满足该条件时生效；不选则始终生效',
    },
    to: 'condition',
    required: false,
    nullable: true,
    filter: true,
  }),
  condition_display: displayOf('condition', CONDITION_TITLE),
});
