import { user } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { IconUsers } from '../../../../kit/icons.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { Card } from '../../../resource/detail/Cards.tsx';
import styles from '../Dashboard.module.css';
import { words } from './words.ts';

const settings = (tab: string) => ({ to: '/settings', search: { activeTab: tab } });

const STEPS = [
  { text: words.secondAdmin, to: `/${user.path}/create` },
  { text: words.mail, ...settings('Email') },
  { text: words.signIns, ...settings('Ldap') },
  { text: words.backups, ...settings('Backup') },
];

/** Steps after the first session, for an administrator who is still the only user. */
export function TeamCard() {
  return (
    <Card title={t(words.team)} icon={<IconUsers size={16} />}>
      {STEPS.map(({ text, ...target }) => (
        <div key={text.en} className={styles.line}>
          <PageLink {...target}>{t(text)}</PageLink>
        </div>
      ))}
    </Card>
  );
}
