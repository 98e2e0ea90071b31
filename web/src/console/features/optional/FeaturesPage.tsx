import { Badge, Skeleton, Text } from '@mantine/core';
import { type FeatureRow, featureOf } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import styles from './Features.module.css';
import { words } from './words.ts';

function Feature({ feature: { name, on, rules } }: { readonly feature: FeatureRow }) {
  const { title, without, protects } = featureOf(name);
  return (
    <li className={styles.row}>
      <Badge variant="light" color={on ? 'green' : 'gray'}>
        {t(on ? words.on : words.off)}
      </Badge>
      <div className={styles.what}>
        <Text>
          {t(title)}{' '}
          <Text span fz="xs" c="dimmed" className="mono">
            {name}
          </Text>
        </Text>
        <Text fz="sm" c="dimmed">
          {t(words.without, { loss: t(without) })}
          {protects && ` ${t(protects)}`}
        </Text>
        {rules > 0 && (
          <Text fz="sm" fw={600}>
            {t(words.rules, { count: rules })}
          </Text>
        )}
      </div>
    </li>
  );
}

/** Shows which optional features are on, and the loss without each. */
export function FeaturesPage() {
  const query = useQuery({
    queryKey: ['features'],
    queryFn: ({ signal }) => api.get<readonly FeatureRow[]>('common/features/', { signal }),
  });
  return (
    <>
      <PageHeader />
      {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={320} />}
      {query.data && (
        <Card title={t(words.features)}>
          <Text fz="sm" c="dimmed" className={styles.hint}>
            {t(words.hint)}
          </Text>
          <ul className={styles.list}>
            {query.data.map((feature) => (
              <Feature key={feature.name} feature={feature} />
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
