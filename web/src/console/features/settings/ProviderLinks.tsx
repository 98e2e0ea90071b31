import { Button, Text } from '@mantine/core';
import type { ProviderLink, ProviderSource } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconKey } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from './Settings.module.css';
import { words } from './words.ts';

const URL = 'settings/providers/accounts/';
const QUIET = { quiet: true } as const;

/**
 * Identity providers with linked accounts, below the settings of their kind; renders nothing if
 * there are none.
 */
export function ProviderLinks({ source }: { readonly source: ProviderSource }) {
  const client = useQueryClient();
  const key = ['provider-links', source];
  const { data } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => api.get<readonly ProviderLink[]>(URL, { query: { source }, signal }),
    staleTime: 0,
  });
  if (!data?.length) return null;

  const unlink = ({ issuer, accounts }: ProviderLink) =>
    askFirst({
      message: t(words.unlinkQuestion, { issuer, count: accounts }),
      confirm: t(words.unlink),
      danger: true,
      success: t(common.deleteSuccess),
      run: async () => {
        await api.delete(URL, { ...QUIET, query: { source, issuer } });
        await client.invalidateQueries({ queryKey: key });
      },
    });

  return (
    <div className={styles.tokens}>
      <Card title={t(words.linkedAccounts)} icon={<IconKey size={16} />}>
        <div className={styles.inside}>
          <Text fz="sm" c="dimmed" mb="sm">
            {t(words.linkedHint)}
          </Text>
          {data.map((link) => (
            <div key={link.issuer} className={styles.token}>
              <div>
                <Text component="span" fw={500}>
                  {link.issuer}
                </Text>
                <Text fz="xs" c="dimmed">
                  {t(words.linkedCount, { count: link.accounts })}
                  {' · '}
                  {t(words.linkedUsed, { date: formatDate(link.date_used) })}
                </Text>
              </div>
              <Button
                size="compact-sm"
                variant="light"
                color="red"
                aria-label={`${t(words.unlink)}: ${link.issuer}`}
                onClick={() => unlink(link)}
              >
                {t(words.unlink)}
              </Button>
            </div>
          ))}
        </div>
      </Card>
    </div>
  );
}
