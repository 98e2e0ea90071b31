import { Badge, Text } from '@mantine/core';
import { allows, type LocalText, Permission } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconInfoCircle, IconShieldCheck } from '../../../kit/icons.ts';
import { HELP } from '../../base/addresses.ts';
import { PageLink } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Detail.module.css';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { LICENSE_CHAPTER } from './guide-blocks.ts';
import { words } from './words.ts';

const FEATURES: readonly { readonly title: LocalText; readonly text: LocalText }[] = [
  { title: words.organizations, text: words.organizationsText },
  { title: words.work, text: words.workText },
  { title: words.remoteApps, text: words.remoteAppsText },
  { title: words.secrets, text: words.secretsText },
  { title: words.cloud, text: words.cloudText },
  { title: words.looks, text: words.looksText },
];

/** Licensed features, the state of this installation's license, and how to get one. */
export function EnterprisePage() {
  const { settings, role } = useSession();
  const licensed = settings.XPACK_LICENSE_IS_VALID;
  return (
    <>
      <PageHeader />
      <div className={styles.columns}>
        <Card title={t(words.opens)} icon={<IconShieldCheck size={16} />}>
          <dl className={styles.facts}>
            {FEATURES.flatMap(({ title, text }) => [
              <dt key={title.en}>{t(title)}</dt>,
              <dd key={text.en}>
                <Text mb={6}>{t(text)}</Text>
                <Badge color={licensed ? 'green' : 'gray'} variant="light">
                  {t(licensed ? words.open : words.closed)}
                </Badge>
              </dd>,
            ])}
          </dl>
          <Text c="dimmed" fz="sm" px={20} pb={16}>
            {t(words.everything)}
          </Text>
        </Card>
        <Card title={t(words.how)} icon={<IconInfoCircle size={16} />}>
          <div className={styles.body}>
            <Text mb="sm">{t(words.howText)}</Text>
            <Text>
              <PageLink to={HELP.docs} search={{ guide: 'operator' }} hash={t(LICENSE_CHAPTER)}>
                {t(words.howLink)}
              </PageLink>
            </Text>
            {allows(role.current, Permission.SUPER | Permission.ADMIN) && (
              <Text mt="xs">
                <PageLink to="/settings" search={{ activeTab: 'License' }}>
                  {t(words.toLicense)}
                </PageLink>
              </Text>
            )}
          </div>
        </Card>
      </div>
    </>
  );
}
