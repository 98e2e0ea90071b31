import { Badge, Button, Skeleton, Text } from '@mantine/core';
import type { SignInRow } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconDeviceDesktop, IconTerminal2 } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { words } from './words.ts';

const QUIET = { quiet: true } as const;

interface SignInListProps {
  /** The list of the own sign-in sessions, or of another user. */
  readonly url: string;
  readonly own: boolean;
}

/** Sign-in sessions of an account, with a button to end each. */
export function SignInList({ url, own }: SignInListProps) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['sign-ins', url],
    queryFn: ({ signal }) => api.get<readonly SignInRow[]>(url, { signal }),
    staleTime: 0,
  });
  if (query.error) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton height={160} maw={720} />;
  const rows = query.data;
  const endable = rows.filter((row) => !row.current);

  const end = (message: string, address: string) =>
    askFirst({
      message,
      confirm: t(words.end),
      danger: true,
      success: t(words.ended),
      run: async () => {
        await api.delete(address, QUIET);
        await client.invalidateQueries({ queryKey: ['sign-ins', url] });
      },
    });

  return (
    <div className={styles.narrow}>
      <Card title={t(words.signIns)} icon={<IconDeviceDesktop size={16} />}>
        {rows.length === 0 && (
          <Text className={styles.row} c="dimmed" fz="sm">
            {t(words.noSignIns)}
          </Text>
        )}
        {rows.map((row) => {
          const device =
            row.device || t(row.kind === 'bearer' ? words.bearer : words.deviceUnknown);
          const isToken = row.kind === 'bearer' || row.kind === 'agent';
          const Icon = isToken ? IconTerminal2 : IconDeviceDesktop;
          return (
            <div key={row.id} className={styles.row}>
              <Icon size={20} aria-hidden="true" />
              <div className={styles.what} title={row.user_agent}>
                <Text component="span" fw={500}>
                  {device}
                </Text>{' '}
                {row.current && (
                  <Badge size="sm" variant="light">
                    {t(words.current)}
                  </Badge>
                )}{' '}
                {isToken && (
                  <Badge size="sm" variant="light" color="gray">
                    {t(words.bearer)}
                  </Badge>
                )}
                <Text fz="xs" c="dimmed">
                  <span className="mono">{row.remote_addr}</span>
                  {` · ${t(words.used, { date: formatDate(row.date_used) })} · ${t(words.began, { date: formatDate(row.date_created) })}`}
                  {isToken && ` · ${t(words.until, { date: formatDate(row.date_expired) })}`}
                </Text>
              </div>
              {!row.current && (
                <Button
                  size="compact-sm"
                  variant="light"
                  color="red"
                  aria-label={`${t(words.end)}: ${device}, ${row.remote_addr}`}
                  onClick={() => end(t(words.endQuestion, { device }), `${url}${row.id}/`)}
                >
                  {t(words.end)}
                </Button>
              )}
            </div>
          );
        })}
        {endable.length > 1 && (
          <div className={styles.row}>
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              ml="auto"
              onClick={() => end(t(own ? words.endOthersQuestion : words.endAllQuestion), url)}
            >
              {t(own ? words.endOthers : words.endAll)}
            </Button>
          </div>
        )}
      </Card>
    </div>
  );
}
