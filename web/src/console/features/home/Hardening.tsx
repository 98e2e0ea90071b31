import { Button, Text } from '@mantine/core';
import {
  CHANGE_SET,
  DEFAULT_ORGANIZATION_ID,
  type LocalText,
  type WaitingSetting,
} from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { SETTINGS_URL } from '../../base/addresses.ts';
import { PageLink } from '../../base/navigation.tsx';
import { screenOf } from '../../base/screen.ts';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from './Attention.module.css';
import {
  type Change,
  HARDENING_KEY,
  useHardening,
  useWaitingSettings,
  WAITING_KEY,
  weakSettings,
} from './weak-settings.ts';
import { words } from './words.ts';

/** Links the change set that already changes a setting. Only the default organization shows it. */
function Waiting({
  change,
  title,
}: {
  readonly change: WaitingSetting;
  readonly title: LocalText;
}) {
  const { organization, screens } = useSession();
  const text = change.applies_at
    ? t(words.hardenPlanned, { date: formatDate(change.applies_at) })
    : t(words.hardenWaits);
  const page = `/${CHANGE_SET.path}/${change.change_set}`;
  const isHere = !organization?.id || organization.id === DEFAULT_ORGANIZATION_ID;
  return isHere && screenOf(screens, page) ? (
    <PageLink to={page} aria-label={`${text}: ${t(title)}`}>
      {text}
    </PageLink>
  ) : (
    <Text c="dimmed" fz="sm">
      {text}
    </Text>
  );
}

/**
 * Offers administrators of the installation to fix weak settings; renders nothing if none is weak.
 */
export function Hardening() {
  const client = useQueryClient();
  const { data } = useHardening(true);
  // An address of mails that the operator fixed is no setting.
  const isFixed = useSession().settings.MAIL_SITE === undefined;
  const weak = data ? weakSettings(isFixed ? { ...data, basic: {} } : data, location.origin) : [];
  const { data: waiting, isPending } = useWaitingSettings(weak.some(({ change }) => change));
  if (weak.length === 0) return null;
  const steps = weak.map((step) => ({
    ...step,
    waits: waiting?.find(({ setting }) => setting === step.change?.name),
  }));
  const save = async ({ name, value, category = 'security' }: Change) => {
    try {
      await api.patch(SETTINGS_URL, { [category]: { [name]: value } }, { quiet: true });
      await client.invalidateQueries({ queryKey: HARDENING_KEY });
    } finally {
      // Change control may have made it a proposal.
      await client.invalidateQueries({ queryKey: WAITING_KEY });
    }
  };
  return (
    <Card title={t(words.harden)} icon={<IconShieldCheck size={16} />}>
      {steps.map(({ title, now, count = 0, text = '', change, tab, waits }) => (
        <div key={title.en} className={styles.step}>
          <div>
            <Text fw={600}>{t(title)}</Text>
            <Text c="dimmed" fz="sm">
              {t(now, { count, text })}
            </Text>
          </div>
          {waits ? (
            <Waiting change={waits} title={title} />
          ) : change ? (
            <Button
              variant="default"
              disabled={isPending}
              aria-label={`${t(words.turnOn)}: ${t(title)}`}
              onClick={() =>
                askFirst({
                  title: t(title),
                  message: t(change.question ?? now, { count, text }),
                  confirm: t(words.turnOn),
                  run: () => save(change),
                  success: t(words.hardened),
                })
              }
            >
              {t(words.turnOn)}
            </Button>
          ) : (
            <PageLink
              to="/settings"
              search={{ activeTab: tab }}
              aria-label={`${t(words.choose)}: ${t(title)}`}
            >
              {t(words.choose)}
            </PageLink>
          )}
        </div>
      ))}
      <div className={styles.step}>
        <div>
          <Text c="dimmed" fz="sm">
            {t(words.hardenMore)}
          </Text>
        </div>
        <PageLink to="/compliance">{t(words.hardenPresets)}</PageLink>
      </div>
    </Card>
  );
}
