import { List, Stack, Text } from '@mantine/core';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** The comparison with the newest rows that a bucket or the witness keeps. */
export interface OutsideVerdict {
  readonly place: 'bucket' | 'witness';
  readonly name: string;
  readonly server: string;
  readonly date: string | null;
  readonly state: 'present' | 'missing' | 'failover' | 'other' | 'unread';
  readonly problem: string;
}

const OUTSIDE_COLORS = {
  present: 'var(--mantine-color-green-text)',
  missing: 'var(--mantine-color-red-text)',
  failover: 'var(--mantine-color-yellow-text)',
  other: 'dimmed',
  unread: 'var(--mantine-color-yellow-text)',
} as const;

/** The places outside of the logs, and the result of comparing with each. */
export function OutsidePlaces({ places }: { readonly places: readonly OutsideVerdict[] }) {
  if (places.length === 0) return null;
  return (
    <Stack gap={4}>
      <Text fw={600} fz="sm">
        {t(words.outside)}
      </Text>
      <List fz="sm">
        {places.map(({ place: kind, name, server, date, state, problem }) => (
          <List.Item key={`${kind} ${name} ${server} ${problem}`}>
            {[t(words[`outside_${kind}`], { name }), server, date].filter(Boolean).join(', ')}
            {': '}
            <Text span inherit c={OUTSIDE_COLORS[state]}>
              {t(words[`outside_${state}`])}
            </Text>
            {problem !== '' && ` (${problem})`}
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
