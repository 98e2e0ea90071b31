import { Anchor, Button, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type CheckedHost, MOST_CHECKED, type PlanCheck } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconCircleCheck } from '../../../kit/icons.ts';
import type { FormValues } from '../../resource/form/form-state.ts';
import styles from './PlanPreview.module.css';
import { words } from './words.ts';

const PAUSE = 300;
const FEW = 8;

const idsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

interface PlanPreviewProps {
  readonly values: FormValues;
  readonly onAssets: (assets: readonly string[]) => void;
}

/** The pre-check of a plan: each server with what would fail there, before anything is saved. */
export function PlanPreview({ values, onAssets }: PlanPreviewProps) {
  const assets = idsIn(values.assets);
  const chosen = {
    username: String(values.username ?? '').trim(),
    assets,
    nodes: idsIn(values.nodes),
  };
  const [question] = useDebouncedValue(JSON.stringify(chosen), PAUSE);
  const { data } = useQuery({
    queryKey: ['plan-check', question],
    queryFn: ({ signal }) =>
      api.post<PlanCheck>('xpack/change-auth-plan/check/', JSON.parse(question), {
        signal,
        quiet: true,
      }),
    enabled: JSON.parse(question).username !== '',
    placeholderData: (previous) => previous,
  });
  if (!data || chosen.username === '') return null;
  const { hosts, others, is_cut: isCut } = data;
  const failing = hosts.filter(({ reason }) => reason !== '').length;
  return (
    <section aria-label={t(words.check)}>
      <Text fz="sm" fw={600} role="status">
        {hosts.length === 0
          ? t(words.noServers)
          : t(failing === 0 ? words.allReady : words.someReady, {
              count: hosts.length,
              ready: hosts.length - failing,
            })}
      </Text>
      <HostList hosts={hosts} />
      {isCut && (
        <Text fz="xs" c="dimmed">
          {t(words.onlyFirst, { count: MOST_CHECKED })}
        </Text>
      )}
      {others.length > 0 && (
        <Button
          mt="xs"
          size="compact-sm"
          variant="light"
          onClick={() => onAssets([...new Set([...assets, ...others])])}
        >
          {t(words.addOthers, { count: others.length, name: chosen.username })}
        </Button>
      )}
    </section>
  );
}

function HostList({ hosts }: { readonly hosts: readonly CheckedHost[] }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <ul className={styles.hosts}>
        {hosts.slice(0, isWhole ? hosts.length : FEW).map((host) => {
          const { id, hostname, reason, is_known: isKnown } = host;
          const Icon = reason ? IconAlertTriangle : IconCircleCheck;
          return (
            <li key={id}>
              <Icon size={16} className={reason ? styles.problem : styles.ready} aria-hidden />
              <span className={styles.about}>
                <span className={styles.name}>{hostname}</span>
                <span className={reason ? styles.reason : styles.quiet}>
                  {reason || t(isKnown ? words.ready : words.readyUnknown)}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
      {hosts.length > FEW && !isWhole && (
        <Anchor component="button" type="button" fz="sm" onClick={() => setWhole(true)}>
          {t(words.showAllHosts, { count: hosts.length })}
        </Anchor>
      )}
    </>
  );
}
