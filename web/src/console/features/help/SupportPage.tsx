import { Anchor, Text } from '@mantine/core';
import type { Health } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { ApiError, api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconInfoCircle, IconUsers } from '../../../kit/icons.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { HELP, outsideAddress } from '../../base/addresses.ts';
import { PageLink } from '../../base/navigation.tsx';
import { useProfile, useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Detail.module.css';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { factsAsText, supportFacts } from './support-facts.ts';
import { words } from './words.ts';

/** Reads the health check. A failing server answers 503 with the same facts. */
async function readHealth(signal: AbortSignal): Promise<Health> {
  try {
    return await api.get<Health>('/api/health/', { signal, quiet: true });
  } catch (error) {
    if (error instanceof ApiError && error.status === 503 && error.body)
      return error.body as Health;
    throw error;
  }
}

/** Facts to attach to a support request, and the contact. */
export function SupportPage() {
  const session = useSession();
  const guide = outsideAddress(useProfile().guide_url);
  const { data } = useQuery({ queryKey: ['health'], queryFn: ({ signal }) => readHealth(signal) });
  const facts = supportFacts(session, data, {
    agent: navigator.userAgent,
    width: innerWidth,
    height: innerHeight,
  });
  return (
    <>
      <PageHeader>
        <CopyButton text={factsAsText(facts)} label={t(words.facts)} />
      </PageHeader>
      <div className={styles.columns}>
        <Card title={t(words.facts)} icon={<IconInfoCircle size={16} />}>
          <dl className={styles.facts}>
            {facts.flatMap(({ name, value }) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name} value`}>{value}</dd>,
            ])}
          </dl>
          <Text c="dimmed" fz="sm" px={20} pb={16}>
            {t(words.factsHint)}
          </Text>
        </Card>
        <Card title={t(words.whom)} icon={<IconUsers size={16} />}>
          <div className={styles.body}>
            <Text mb="sm">{t(words.whomText)}</Text>
            <Text>
              <PageLink to={HELP.docs}>{t(words.userGuide)}</PageLink>
              {' · '}
              <PageLink to={HELP.docs} search={{ guide: 'operator' }}>
                {t(words.operatorGuide)}
              </PageLink>
              {guide && (
                <>
                  {' · '}
                  <Anchor href={guide} target="_blank" rel="noopener noreferrer">
                    {t(words.ownGuide)}
                  </Anchor>
                </>
              )}
            </Text>
          </div>
        </Card>
      </div>
    </>
  );
}
