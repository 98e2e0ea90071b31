import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  DEFAULT_INTERVAL_HOURS,
  type NextTimes,
  PERIOD_FIELDS,
  periodFields,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { ask } from '../../../kit/dialogs/confirm.ts';
import { formatWithZone } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import { type FormValues, problemOf } from '../../resource/form/form-state.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { words } from './words.ts';

/** The form section for a schedule. */
export const PERIOD_GROUP: FormGroup<(typeof PERIOD_FIELDS)[number]> = {
  title: words.timer,
  fields: PERIOD_FIELDS,
};

const isOff = (values: FormValues) => values.is_periodic !== true;

/** Schedule fields appear only for a periodic run. */
export const PERIOD_OVERRIDES: FieldOverrides = {
  is_periodic: { isWide: true },
  crontab: { hidden: isOff },
  interval: { hidden: isOff },
};

export const PERIOD_INITIAL: FormValues = { is_periodic: true };

const FIELDS = periodFields();
const PAUSE = 300;

/** The next runs of the schedule in a form, computed by the server. */
export function NextRuns({ values }: { readonly values: FormValues }) {
  const [crontab] = useDebouncedValue(String(values.crontab ?? '').trim(), PAUSE);
  const [interval] = useDebouncedValue(String(values.interval ?? ''), PAUSE);
  const isGood =
    !problemOf(crontab, false, FIELDS.crontab) && !problemOf(interval, false, FIELDS.interval);
  const { data } = useQuery({
    queryKey: ['periods', crontab, interval],
    queryFn: ({ signal }) =>
      api.get<NextTimes>('common/periods/', { query: { crontab, interval }, signal, quiet: true }),
    enabled: !isOff(values) && isGood && (crontab !== '' || interval !== ''),
    staleTime: 0,
  });
  if (isOff(values) || !isGood || !data || data.times.length === 0) return null;
  return (
    <Alert color="blue" mb="md" role="status" title={t(words.next)}>
      {data.times.map((time) => (
        <div key={time}>{formatWithZone(time)}</div>
      ))}
    </Alert>
  );
}

/** Returns true if a new plan keeps the suggested interval that the user has not changed. */
const isSuggested = (values: FormValues) =>
  !isOff(values) && !values.crontab && Number(values.interval) === DEFAULT_INTERVAL_HOURS;

/**
 * Asks before saving a new plan with the suggested schedule: keep it, or run on demand only.
 * Closing the dialog saves nothing.
 */
export async function askForSchedule(
  values: FormValues,
  updating: boolean,
  question = ask,
): Promise<boolean | FormValues> {
  if (updating || !isSuggested(values)) return true;
  const next = await api
    .get<NextTimes>('common/periods/', {
      query: { interval: DEFAULT_INTERVAL_HOURS, crontab: '' },
      quiet: true,
    })
    .catch(() => undefined);
  const first = next?.times[0];
  const repeated = t(words.repeats, { hours: DEFAULT_INTERVAL_HOURS });
  return new Promise((resolve) =>
    question({
      title: t(words.keepTitle, { hours: DEFAULT_INTERVAL_HOURS }),
      message: first
        ? `${repeated} ${t(words.firstRun, { time: formatWithZone(first) })}`
        : repeated,
      confirm: t(words.keep),
      onConfirm: () => resolve(true),
      other: { label: t(words.onDemand), run: () => resolve({ ...values, is_periodic: false }) },
      onClose: () => resolve(false),
    }),
  );
}
