import {
  Anchor,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { type GrantedSystemUser, MOST_COMMAND_HOSTS } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { isEnter } from '../../../kit/composing.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconPlayerPlay } from '../../../kit/icons.ts';
import styles from './Batch.module.css';
import { CommandMenus } from './CommandMenus.tsx';
import type { CommandRun } from './useCommandRun.ts';
import type { HostSelectionModel } from './useHostSelection.ts';
import { words } from './words.ts';

const canRun = ({ protocol, login_mode: mode, actions }: GrantedSystemUser) =>
  protocol === 'ssh' && mode === 'auto' && actions.includes('connect');
const accountLabel = ({ name, username }: GrantedSystemUser) =>
  username ? `${name}(${username})` : name;

interface CommandFormProps {
  readonly selection: HostSelectionModel;
  readonly run: CommandRun;
}

/** The form of a batch command: its text, its account and its stages. */
export function CommandForm({ selection: { hosts, clear, refused }, run }: CommandFormProps) {
  const [command, setCommand] = useState('');
  const [wished, setWished] = useState<string>();
  const [stages, setStages] = useState({ isCanary: false, failureLimit: 0 });
  const { data: accounts } = useQuery({
    queryKey: ['system-users-permission'],
    queryFn: () => api.get<readonly GrantedSystemUser[]>('perms/system-users-permission/'),
  });
  const runAs = wished ?? accounts?.find(canRun)?.id;
  const account = accounts?.find(({ id }) => id === runAs);

  function submit() {
    const missing = [
      [hosts.size === 0, t(words.chooseAssets)],
      [hosts.size > MOST_COMMAND_HOSTS, t(words.tooMany, { max: MOST_COMMAND_HOSTS })],
      [command.trim() === '', t(words.typeCommand)],
      [!account, t(words.chooseSystemUser)],
    ].find(([isMissing]) => isMissing);
    if (missing || !account) return run.setProblem(String(missing?.[1] ?? ''));
    run.askToRun({
      hosts: [...hosts.values()],
      runAs: account.id,
      account: accountLabel(account),
      command,
      ...stages,
    });
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Text fz="sm" role="status">
            {t(words.selected, { count: hosts.size })}
            {hosts.size > 0 && (
              <Anchor component="button" type="button" fz="inherit" ml="xs" onClick={clear}>
                {t(words.clear)}
              </Anchor>
            )}
          </Text>
          <CommandMenus command={command} onPick={setCommand} />
        </Group>
        {refused > 0 && (
          <Text role="status" fz="sm" c="dimmed">
            {t(words.refused, { count: refused })}
          </Text>
        )}
        <CommandEditor command={command} onChange={setCommand} onSubmit={submit} />
        <div className={styles.options}>
          <AccountSelect accounts={accounts ?? []} chosen={runAs} onChoose={setWished} />
          <StageOptions stages={stages} onChange={setStages} />
          <Button type="submit" leftSection={<IconPlayerPlay size={16} />}>
            {t(words.run)}
          </Button>
        </div>
        {run.problem && (
          <Text
            role="alert"
            fz="sm"
            c="var(--mantine-color-error)"
            style={{ overflowWrap: 'anywhere' }}
          >
            {run.problem}
          </Text>
        )}
      </Stack>
    </form>
  );
}

/** The text of the command. Ctrl+Enter submits it. */
function CommandEditor({
  command,
  onChange,
  onSubmit,
}: {
  readonly command: string;
  readonly onChange: (command: string) => void;
  readonly onSubmit: () => void;
}) {
  return (
    <Textarea
      className={styles.editor}
      label={t(words.command)}
      description={t(words.commandHint)}
      autosize
      minRows={5}
      maxRows={18}
      spellCheck={false}
      autoCapitalize="off"
      maxLength={16_384}
      value={command}
      onChange={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (isEnter(event) && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          onSubmit();
        }
      }}
    />
  );
}

/** Chooses the account of the command. Accounts that cannot run commands are disabled. */
function AccountSelect({
  accounts,
  chosen,
  onChoose,
}: {
  readonly accounts: readonly GrantedSystemUser[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}) {
  return (
    <NativeSelect
      label={t(words.systemUser)}
      miw={220}
      value={chosen ?? ''}
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={
        accounts.length > 0
          ? accounts.map((one) => ({
              value: one.id,
              label: canRun(one) ? accountLabel(one) : `${accountLabel(one)} — ${t(words.manual)}`,
              disabled: !canRun(one),
            }))
          : [{ value: '', label: t(words.noSystemUser) }]
      }
    />
  );
}

interface Stages {
  readonly isCanary: boolean;
  readonly failureLimit: number;
}

/** Chooses if the command runs in stages, and how many failures stop it. */
function StageOptions({
  stages,
  onChange,
}: {
  readonly stages: Stages;
  readonly onChange: (stages: Stages) => void;
}) {
  return (
    <>
      <Checkbox
        mb={8}
        label={t(words.stepByStep)}
        checked={stages.isCanary}
        onChange={(event) => onChange({ ...stages, isCanary: event.currentTarget.checked })}
      />
      {stages.isCanary && (
        <NumberInput
          label={t(words.failureLimit)}
          w={200}
          min={0}
          max={100}
          allowDecimal={false}
          value={stages.failureLimit}
          onChange={(value) =>
            onChange({ ...stages, failureLimit: Math.min(100, Math.max(0, Number(value) || 0)) })
          }
        />
      )}
    </>
  );
}
