import { Skeleton, Switch, Text } from '@mantine/core';
import type { ChangeControl, ChangeSetDetail } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { useGo } from '../../base/navigation.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import styles from './ChangeSets.module.css';
import { detailPath, KEY, MOST_REASON, URL } from './change-sets.ts';
import { words } from './words.ts';

const CONTROL_URL = 'change-control/';

/** Switches change control on, and proposes to switch it off. */
export function ControlCard() {
  const client = useQueryClient();
  const go = useGo();
  const query = useQuery({
    queryKey: [...KEY, 'control'],
    queryFn: ({ signal }) => api.get<ChangeControl>(CONTROL_URL, { signal, quiet: true }),
  });
  const { data } = query;
  const refresh = () => client.invalidateQueries({ queryKey: KEY });

  const askToSwitchOn = () =>
    askFirst({
      title: t(words.needsSecond),
      message: [t(words.switchOnQuestion), t(words.controlled), t(words.notControlled)].join(
        '\n\n',
      ),
      confirm: t(words.switchOn),
      run: async (_note, isTicked) => {
        const body = { is_on: true, allows_break_glass: isTicked };
        await api.put(CONTROL_URL, body, { quiet: true });
        await refresh();
      },
      also: { label: t(words.allowsBreakGlass) },
      success: t(words.switchedOn),
    });
  const askToSwitchOff = () =>
    askFirst({
      title: t(words.turnsOff),
      message: t(words.switchOffQuestion),
      confirm: t(words.switchOff),
      note: {
        label: t(words.reason),
        hint: t(words.reasonHint),
        max: MOST_REASON,
        isRequired: true,
      },
      run: async (reason) => {
        const body = { reason, changes: [], turns_off: true };
        const set = await api.post<ChangeSetDetail>(URL, body, { quiet: true });
        await refresh();
        await go(detailPath(set.id));
      },
      failure: t(words.notProposed),
    });

  return (
    <Card title={t(words.control)} icon={<IconShieldCheck size={16} />}>
      <div className={styles.body}>
        {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
        {query.isPending && <Skeleton height={24} width={280} />}
        {data && (
          <Switch
            label={t(words.needsSecond)}
            checked={data.is_on}
            onChange={() => (data.is_on ? askToSwitchOff() : askToSwitchOn())}
          />
        )}
        {data?.date_started && (
          <Text fz="sm">
            {t(words.onSince, { user: data.started_by, date: formatDate(data.date_started) })}
          </Text>
        )}
        {data?.is_on && (
          <Text fz="sm">
            {t(data.allows_break_glass ? words.breakGlassAllowed : words.breakGlassOff)}
          </Text>
        )}
        {[words.controlled, words.notControlled, words.offIsChange].map((text) => (
          <Text key={text.en} fz="sm" c="dimmed">
            {t(text)}
          </Text>
        ))}
      </div>
    </Card>
  );
}
