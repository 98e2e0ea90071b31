import { Skeleton, Text } from '@mantine/core';
import type { asset, Row } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import { IconRoute } from '../../../../kit/icons.ts';
import { PageLink, usePath } from '../../../base/navigation.tsx';
import { pagesOf } from '../../../base/resources.ts';
import { Card } from '../../../resource/detail/Cards.tsx';
import { cacheKey } from '../../../resource/source.ts';
import { useCount } from '../../../resource/useCount.ts';
import styles from './Reach.module.css';
import { type Conditions, type Hop, readConditions, readHops } from './way.ts';
import { words } from './words.ts';

/** Names that a stop shows. */
const MOST_NAMES = 3;

const namesOf = (names: readonly string[]) =>
  names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES).join(', ')} ${t(words.more, { count: names.length - MOST_NAMES })}`
    : names.join(', ');

interface StopProps {
  readonly title: ReactNode;
  readonly note: ReactNode;
  readonly isClosed?: boolean;
}

function Stop({ title, note, isClosed = false }: StopProps) {
  return (
    <li className={`${styles.stop} ${isClosed ? styles.closed : ''}`}>
      <Text span fw={600} fz="sm">
        {title}
      </Text>
      <Text span fz="xs" c={isClosed ? 'red' : 'dimmed'}>
        {note}
      </Text>
    </li>
  );
}

function conditionText({ names, hasWithout }: Conditions): string {
  if (names.length === 0) return t(words.noCondition);
  return hasWithout ? `${namesOf(names)} · ${t(words.someWithout)}` : namesOf(names);
}

function HopStop({ hop: { id, name, gateways, isSite, isClosed } }: { readonly hop: Hop }) {
  const word = isSite ? words.site : words.gateways;
  const without = t(isClosed ? words.noGateway : words.direct);
  return (
    <Stop
      title={<PageLink to={pagesOf('domain').detail(id)}>{name}</PageLink>}
      note={gateways.length > 0 ? t(word, { names: namesOf(gateways) }) : without}
      isClosed={isClosed}
    />
  );
}

interface ReachPictureProps {
  readonly asset: Pick<Row<typeof asset>, 'id' | 'hostname' | 'ip' | 'domain'>;
  /** The tab with the users. */
  readonly usersTab: string;
}

/** The way to an asset: users, their conditions, the bastion, domains with gateways, the asset. */
export function ReachPicture({ asset: { id, hostname, ip, domain }, usersTab }: ReachPictureProps) {
  const path = usePath();
  const users = useCount({ path: `perms/access/assets/${id}/users` });
  const hops = useQuery({
    queryKey: [...cacheKey({ path: 'assets/domains' }), 'way', domain],
    queryFn: ({ signal }) => readHops(domain, signal),
  });
  const conditions = useQuery({
    queryKey: [...cacheKey({ path: 'perms/asset-permissions' }), 'conditions', id],
    queryFn: ({ signal }) => readConditions(id, signal),
  });
  // Readers without a right to the domains or permissions get no half of a picture.
  if (hops.isError || conditions.isError || users === null) return null;
  return (
    <div className={styles.picture}>
      <Card title={t(words.title)} icon={<IconRoute size={18} />}>
        {hops.data && conditions.data && users !== undefined ? (
          <ol className={styles.way}>
            <Stop
              title={
                <PageLink to={path} search={{ activeTab: usersTab }}>
                  {t(words.users, { count: users })}
                </PageLink>
              }
              note={users > 0 && conditionText(conditions.data)}
            />
            <Stop
              title={t(words.bastion)}
              note={t(hops.data.length === 0 ? words.direct : words.checks)}
            />
            {hops.data.map((hop) => (
              <HopStop key={hop.id} hop={hop} />
            ))}
            <Stop title={hostname} note={ip} />
          </ol>
        ) : (
          <div className={styles.way}>
            <Skeleton height={52} />
          </div>
        )}
      </Card>
    </div>
  );
}
