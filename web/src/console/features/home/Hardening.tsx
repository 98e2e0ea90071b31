import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { SETTINGS_URL } from '../../base/addresses.ts';
import { PageLink } from '../../base/navigation.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from './Attention.module.css';
import { type Change, HARDENING_KEY, useHardening, weakSettings } from './weak-settings.ts';
import { words } from './words.ts';

/**
 * Offers administrators of the installation to fix weak settings; renders nothing if none is weak.
 */
export function Hardening() {
  const client = useQueryClient();
  const { data } = useHardening(true);
  const steps = data ? weakSettings(data, location.origin) : [];
  if (steps.length === 0) return null;
  const save = async ({ name, value, category = 'security' }: Change) => {
    await api.patch(SETTINGS_URL, { [category]: { [name]: value } }, { quiet: true });
    await client.invalidateQueries({ queryKey: HARDENING_KEY });
  };
  return (
    <Card title={t(words.harden)} icon={<IconShieldCheck size={16} />}>
      {steps.map(({ title, now, count = 0, text = '', change, tab }) => (
        <div key={title.en} className={styles.step}>
          <div>
            <Text fw={600}>{t(title)}</Text>
            <Text c="dimmed" fz="sm">
              {t(now, { count, text })}
            </Text>
          </div>
          {change ? (
            <Button
              variant="default"
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
