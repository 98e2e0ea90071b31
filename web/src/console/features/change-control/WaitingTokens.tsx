import { Button, Text } from '@mantine/core';
import type { ScimToken } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from './ChangeSets.module.css';
import { words } from './words.ts';

const URL = 'settings/scim/tokens/';
const KEY = ['scim-tokens'];

/** The tokens of SCIM that wait for the approval of this administrator. */
export function WaitingTokens() {
  const client = useQueryClient();
  const { data = [] } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<readonly ScimToken[]>(URL, { signal, quiet: true }),
  });
  const waiting = data.filter(({ is_approved, is_own }) => !is_approved && !is_own);
  if (waiting.length === 0) return null;
  const approve = ({ id, name }: ScimToken) =>
    askFirst({
      title: t(words.approveToken),
      message: t(words.approveTokenQuestion, { name }),
      confirm: t(words.approveToken),
      run: async () => {
        await api.post(`${URL}${id}/approve/`, {}, { quiet: true });
        await client.invalidateQueries({ queryKey: KEY });
      },
    });
  return (
    <Card title={t(words.waitingTokens)}>
      <ul className={styles.list}>
        {waiting.map((token) => (
          <li key={token.id} className={styles.row}>
            <div className={styles.what}>
              {token.name}
              <Text fz="xs" c="dimmed">
                {`${t(words.by, { user: token.created_by })} · ${formatDate(token.date_created)}`}
              </Text>
            </div>
            <Button
              variant="default"
              size="xs"
              aria-label={`${t(words.approveToken)}: ${token.name}`}
              onClick={() => approve(token)}
            >
              {t(words.approveToken)}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
