import { Text } from '@mantine/core';
import type { SignInRuleSummary } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconClock } from '../../../kit/icons.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { words } from './words.ts';

/** The sign-in rules of an account, in words. Nothing without any. */
export function SignInRulesCard({ url }: { readonly url: string }) {
  const { data: rules = [] } = useQuery({
    queryKey: ['sign-in-rules', url],
    queryFn: ({ signal }) => api.get<readonly SignInRuleSummary[]>(url, { signal }),
  });
  if (rules.length === 0) return null;
  return (
    <div className={styles.narrow}>
      <Card title={t(words.signInRules)} icon={<IconClock size={16} />}>
        {rules.map(({ name, sentence, otherwise, not_now: notNow }) => (
          <div key={name} className={styles.row}>
            <div className={styles.what}>
              <Text component="span" fw={500}>
                {name}
              </Text>
              <Text fz="xs" c="dimmed">
                {sentence
                  ? t(otherwise === 'refuse' ? words.signInOnly : words.signInFactor, {
                      parts: sentence,
                    })
                  : t(words.signInFree)}
              </Text>
              {notNow && (
                <Text fz="xs" c="var(--mantine-color-orange-text)">
                  {notNow}
                </Text>
              )}
            </div>
          </div>
        ))}
      </Card>
    </div>
  );
}
