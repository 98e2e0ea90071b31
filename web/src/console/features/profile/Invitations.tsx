import { Button, Group, Text } from '@mantine/core';
import type { Invitation } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { formatDate } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { words } from './words.ts';

const URL = 'users/profile/invitations/';
const KEY = ['own-invitations'];

/** Open invitations of organizations; renders nothing if there are none. */
export function Invitations() {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<readonly Invitation[]>(URL, { signal }),
  });
  if (!query.data || query.data.length === 0) return null;

  async function answer(run: () => Promise<unknown>) {
    await run();
    toast.success(t(common.updateSuccess));
    await client.invalidateQueries({ queryKey: KEY });
  }

  return (
    <Card title={t(words.invitations)}>
      {query.data.map((row) => (
        <div key={row.id} className={styles.row}>
          <div className={styles.what}>
            <Text component="span" fw={500}>
              {row.organization}
            </Text>
            <Text fz="xs" c="dimmed">
              {t(words.invitedBy, { who: row.invited_by, date: formatDate(row.date_expired) })}
            </Text>
          </div>
          <Group gap="xs">
            <Button
              size="compact-sm"
              aria-label={`${t(words.accept)}: ${row.organization}`}
              onClick={() =>
                void answer(() => api.post(`${URL}${row.id}/accept/`)).catch(() => undefined)
              }
            >
              {t(words.accept)}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`${t(words.decline)}: ${row.organization}`}
              onClick={() =>
                void answer(() => api.delete(`${URL}${row.id}/`)).catch(() => undefined)
              }
            >
              {t(words.decline)}
            </Button>
          </Group>
        </div>
      ))}
    </Card>
  );
}
