import {
  CLIENTS,
  type ConditionTerms,
  maskOfFlags,
  parseDatetime,
  parsePortRange,
  parseWeekHours,
} from '@sallyport/contract';
import type { FormValues } from '../../resource/form/form-state.ts';
import { asTexts } from '../../resource/form/input-props.ts';
import type { FieldOverrides } from '../../resource/form/spec.ts';
import { WeekField } from './WeekField.tsx';

export const CONDITION_FIELDS: FieldOverrides = { hours: { widget: WeekField, isWide: true } };

const isoOf = (value: unknown) => {
  const date = parseDatetime(String(value ?? ''));
  return date ? date.toISOString() : null;
};

/** Returns the condition that the values of a form describe. */
export function termsOfForm(
  values: FormValues,
  networks: ConditionTerms['networks'],
): ConditionTerms {
  const is = (name: string) => values[name] === true;
  return {
    name: '',
    networks,
    networks_excluded: is('networks_excluded'),
    hours: asTexts(values.hours).filter((text) => parseWeekHours(text) !== undefined),
    time_zone: String(values.time_zone || 'UTC'),
    hours_excluded: is('hours_excluded'),
    valid_from: isoOf(values.valid_from),
    valid_until: isoOf(values.valid_until),
    period_excluded: is('period_excluded'),
    factor_minutes: Number(values.factor_minutes) || 0,
    factor_excluded: is('factor_excluded'),
    clients: maskOfFlags(CLIENTS, asTexts(values.clients)),
    clients_excluded: is('clients_excluded'),
    ports: asTexts(values.ports).filter((text) => parsePortRange(text) !== undefined),
    ports_excluded: is('ports_excluded'),
  };
}
