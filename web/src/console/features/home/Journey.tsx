import { Text, Title, UnstyledButton } from '@mantine/core';
import { asset, type LocalText, type Page, systemUser } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleDashed } from '../../../kit/icons.ts';
import { terminalAddress, windowLink } from '../../base/addresses.ts';
import { useGo, useGoButton } from '../../base/navigation.tsx';
import { useSession } from '../../base/session.tsx';
import { cacheKey, listUrl } from '../../resource/source.ts';
import styles from './Dashboard.module.css';
import type { FirstCounts } from './first/first-state.ts';
import { words } from './words.ts';

interface Step {
  readonly title: LocalText;
  readonly hint: LocalText;
  readonly done: boolean;
  readonly button:
    | ReturnType<ReturnType<typeof useGoButton>>
    | ReturnType<typeof windowLink>
    | { readonly onClick: () => void };
}

const PERMISSION = '/perms/asset-permissions/create';

/** The id of the newest object of a resource. */
async function newest(source: { readonly path: string }): Promise<string | undefined> {
  const { results } = await api.get<Page<{ readonly id: string }>>(listUrl(source), {
    query: { order: '-date_created', limit: 1 },
    quiet: true,
  });
  return results[0]?.id;
}

/** Four steps for a new administrator, checked off by existing objects. */
export function Journey({ servers, accounts, rules, sessions }: FirstCounts) {
  const goButton = useGoButton();
  const { profile } = useSession();
  const go = useGo();
  // The last step connects to it.
  const { data: server } = useQuery({
    queryKey: [...cacheKey(asset), 'newest'],
    queryFn: async () => (await newest(asset)) ?? null,
    enabled: rules > 0,
  });
  const step = (path: string) => goButton(path, { search: { guide: '1' } });
  /** Opens the form of the first permission, filled with the new objects and the current user. */
  async function grant() {
    const [server, account] = await Promise.all([newest(asset), newest(systemUser)]).catch(
      () => [],
    );
    const objects = { ...(server && { asset: server }), ...(account && { system_user: account }) };
    await go(PERMISSION, { search: { guide: '1', user: profile.id, ...objects } });
  }
  const steps: Step[] = [
    {
      title: words.stepServer,
      hint: words.stepServerHint,
      done: servers > 0,
      button: step('/assets/assets/create'),
    },
    {
      title: words.stepAccount,
      hint: words.stepAccountHint,
      done: accounts > 0,
      button: step('/assets/system-users/create'),
    },
    {
      title: words.stepRule,
      hint: words.stepRuleHint,
      done: rules > 0,
      // It reads the new objects first, so it is no link.
      button: { onClick: () => void grant() },
    },
    {
      title: words.stepConnect,
      hint: words.stepConnectHint,
      done: sessions > 0,
      button: windowLink(terminalAddress(server ?? undefined)),
    },
  ];
  const current = steps.findIndex(({ done }) => !done);
  return (
    <section className={styles.journey} aria-label={t(words.journey)}>
      <Title order={2}>{t(words.journey)}</Title>
      <Text c="dimmed" mt={4}>
        {t(words.journeyHint)}
      </Text>
      <ol className={styles.steps}>
        {steps.map(({ title, hint, done, button }, index) => (
          <li key={title.en}>
            <UnstyledButton
              className={`${styles.step} ${index === current ? styles.current : ''}`}
              {...button}
              {...(index === current && { 'aria-current': 'step' as const })}
            >
              {done ? (
                <IconCircleCheck size={22} className={styles.doneIcon} aria-label={t(words.done)} />
              ) : (
                <IconCircleDashed
                  size={22}
                  aria-label={t(index === current ? words.next : words.todo)}
                />
              )}
              <span>
                <Text fw={600}>
                  {index + 1}. {t(title)}
                </Text>
                <Text c="dimmed" fz="sm">
                  {t(hint)}
                </Text>
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ol>
    </section>
  );
}
