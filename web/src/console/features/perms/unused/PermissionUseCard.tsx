import { Skeleton } from '@mantine/core';
import type { PermissionUse } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconClock } from '../../../../kit/icons.ts';
import { Card } from '../../../resource/detail/Cards.tsx';
import styles from '../../../resource/detail/Detail.module.css';
import { LoadFailed } from '../../../resource/list/ListStates.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import { words } from './words.ts';

/** Shows the last use of a permission and the number of its users who used it. */
export function PermissionUseCard({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['permission-use', id],
    queryFn: ({ signal }) =>
      api.get<PermissionUse>(`perms/access/permissions/${id}/use/`, { signal, quiet: true }),
  });
  return (
    <Card title={t(words.useTitle)} icon={<IconClock size={16} />}>
      {error && <LoadFailed error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={64} m="md" w="auto" />}
      {data && (
        <dl className={styles.facts}>
          <dt>{t(words.lastUsed)}</dt>
          <dd>{data.last_used ? <Moment date={data.last_used} /> : t(words.never)}</dd>
          <dt>{t(words.usedBy)}</dt>
          <dd>
            {t(words.usedByOf, { users: data.users, named: data.named, days: data.days })}
            {data.users === 0 && (
              <div>{t(data.is_new ? words.isNew : words.isUnused, { days: data.days })}</div>
            )}
          </dd>
        </dl>
      )}
    </Card>
  );
}
