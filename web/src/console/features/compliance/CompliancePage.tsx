import { Badge, Button, Skeleton, Switch, Text } from '@mantine/core';
import {
  allows,
  type ClauseProof,
  type ClauseReport,
  type CompliancePresets,
  type LocalText,
  Permission,
  type PresetReport,
} from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addressOf, api, timeZone } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconShieldCheck } from '../../../kit/icons.ts';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TabbedPage } from '../../resource/TabbedPage.tsx';
import { useFreshFactor } from '../mfa/index.ts';
import styles from './Compliance.module.css';
import { words } from './words.ts';

const URL = 'settings/presets/';
const KEY = ['compliance'];

const STATES = {
  met: { text: words.met, color: 'green' },
  gap: { text: words.gap, color: 'red' },
  outside: { text: words.outside, color: 'gray' },
} as const satisfies Record<ClauseReport['state'], { text: LocalText; color: string }>;

const LANGUAGES = [
  { value: 'en', label: words.english },
  { value: 'zh', label: words.chinese },
] as const;

/** A proof with its value, and the wanted one if they differ. */
function Proof({ proof: { label, value, wanted, met } }: { readonly proof: ClauseProof }) {
  return (
    <li>
      <Text span fz="sm" fw={met ? 400 : 600}>
        {label}: {value}
      </Text>
      {!met && (
        <Text span fz="sm" c="dimmed">
          {' '}
          · {t(words.wanted, { wanted })}
        </Text>
      )}
    </li>
  );
}

function Clause({ clause }: { readonly clause: ClauseReport }) {
  const { reference, title, state, proofs, built_in: builtIn, organization } = clause;
  const { text, color } = STATES[state];
  return (
    <li className={styles.row}>
      <div className={styles.head}>
        <Badge variant="light" color={color}>
          {t(text)}
        </Badge>
        <Text span fw={600}>
          {title}
        </Text>
        <Text span fz="xs" c="dimmed" className="mono">
          {reference}
        </Text>
      </div>
      {proofs.length > 0 && (
        <ul className={styles.proofs}>
          {proofs.map((proof) => (
            <Proof key={proof.label} proof={proof} />
          ))}
        </ul>
      )}
      {builtIn && (
        <Text fz="sm">
          {t(words.builtIn)}
          {builtIn}
        </Text>
      )}
      {organization && (
        <Text fz="sm" c="dimmed">
          {t(words.organization)}
          {organization}
        </Text>
      )}
    </li>
  );
}

function Clauses({ clauses }: { readonly clauses: readonly ClauseReport[] }) {
  const [gapsOnly, setGapsOnly] = useState(false);
  const count = (state: ClauseReport['state']) =>
    clauses.filter((clause) => clause.state === state).length;
  const visible = gapsOnly ? clauses.filter(({ state }) => state === 'gap') : clauses;
  return (
    <Card title={t(words.clauses)} icon={<IconShieldCheck size={16} />}>
      <div className={`${styles.bar} ${styles.body}`}>
        <Text>
          {t(words.counts, { met: count('met'), gap: count('gap'), outside: count('outside') })}
        </Text>
        <Switch
          label={t(words.gapsOnly)}
          checked={gapsOnly}
          onChange={({ currentTarget }) => setGapsOnly(currentTarget.checked)}
        />
      </div>
      {visible.length === 0 && (
        <Text className={styles.body} c="dimmed">
          {t(words.noGaps)}
        </Text>
      )}
      <ul className={styles.list}>
        {visible.map((clause) => (
          <Clause key={clause.reference} clause={clause} />
        ))}
      </ul>
    </Card>
  );
}

function Changes({
  preset,
  isActive,
}: {
  readonly preset: PresetReport;
  readonly isActive: boolean;
}) {
  const { changes } = preset;
  return (
    <Card title={t(isActive ? words.drift : words.changes)} icon={<IconShieldCheck size={16} />}>
      <Text fz="sm" c="dimmed" className={styles.body}>
        {t(changes.length === 0 ? words.noChanges : words.stays)}
      </Text>
      <ul className={styles.list}>
        {changes.map(({ name, label, from, to }) => (
          <li key={name} className={styles.row}>
            <Text span fw={600}>
              {label}
            </Text>{' '}
            <Text span>{t(words.fromTo, { from, to })}</Text>
          </li>
        ))}
      </ul>
    </Card>
  );
}

interface PresetProps {
  readonly preset: PresetReport;
  readonly isActive: boolean;
  /** Applies the preset; absent: the user may only read. */
  readonly onApply: (() => void) | undefined;
}

function Preset({ preset, isActive, onApply }: PresetProps) {
  return (
    <div className={styles.page}>
      <div className={styles.bar}>
        {isActive && (
          <Badge variant="light" color="green">
            {t(words.active)}
          </Badge>
        )}
        <Text>{preset.note}</Text>
        {LANGUAGES.map(({ value, label }) => (
          <Button
            key={value}
            component="a"
            variant="default"
            target="_blank"
            rel="noreferrer"
            href={addressOf(`${URL}report/`, {
              preset: preset.name,
              language: value,
              tz: timeZone(),
            })}
          >
            {t(words.reportIn, { language: t(label) })}
          </Button>
        ))}
        {onApply && (
          <Button disabled={isActive && preset.changes.length === 0} onClick={onApply}>
            {t(isActive ? words.again : words.apply)}
          </Button>
        )}
      </div>
      <Changes preset={preset} isActive={isActive} />
      <Clauses clauses={preset.clauses} />
    </div>
  );
}

/** Presets of settings, with the state of each clause and a report to print. */
export function CompliancePage() {
  const client = useQueryClient();
  const { role } = useSession();
  const { proveFresh, question } = useFreshFactor();
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<CompliancePresets>(URL, { signal }),
  });
  const { data } = query;
  const mayChange = allows(role.current, Permission.SUPER | Permission.ADMIN);
  const save = async (path: string, body: object) => {
    client.setQueryData(KEY, await api.post<CompliancePresets>(path, body, { quiet: true }));
  };
  const askToApply = async ({ name, title, changes }: PresetReport) => {
    if (!(await proveFresh())) return;
    askFirst({
      message: t(words.applyQuestion, { preset: title, count: changes.length }),
      confirm: t(words.apply),
      run: () => save(URL, { preset: name }),
      success: t(words.applied),
    });
  };
  const askToUndo = async ({ user, date }: NonNullable<CompliancePresets['undo']>) => {
    if (!(await proveFresh())) return;
    askFirst({
      message: t(words.undoQuestion, { user, date: formatDate(date) }),
      confirm: t(words.undo),
      danger: true,
      run: () => save(`${URL}undo/`, {}),
      success: t(words.undone),
    });
  };
  const undo = data?.undo;
  return (
    <>
      <PageHeader>
        {mayChange && undo && (
          <Button variant="default" onClick={() => void askToUndo(undo)}>
            {t(words.undo)}
          </Button>
        )}
      </PageHeader>
      {query.error && <LoadFailed error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={320} />}
      {data && (
        <TabbedPage
          tabs={data.presets.map((preset) => ({
            name: preset.name,
            label: preset.title,
            count: preset.clauses.filter(({ state }) => state === 'gap').length,
            render: () => (
              <Preset
                preset={preset}
                isActive={preset.name === data.active}
                onApply={mayChange ? () => void askToApply(preset) : undefined}
              />
            ),
          }))}
        />
      )}
      {question}
    </>
  );
}
