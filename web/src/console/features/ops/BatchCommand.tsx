import {
  Anchor,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  NumberInput,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { type GrantedSystemUser, MOST_COMMAND_HOSTS, stageSizes } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconPlayerPlay } from '../../../kit/icons.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TreePane } from '../../tree/TreePane.tsx';
import { FreshFactor } from '../profile/mfa/FreshFactor.tsx';
import { words as factor } from '../profile/mfa/words.ts';
import styles from './Batch.module.css';
import { CommandMenus } from './CommandMenus.tsx';
import { CommandResults } from './CommandResults.tsx';
import { GrantedTree } from './GrantedTree.tsx';
import { type Execution, PATH, useExecution } from './useExecution.ts';
import { type Host, useHostSelection } from './useHostSelection.ts';
import { words } from './words.ts';

const canRun = ({ protocol, login_mode: mode, actions }: GrantedSystemUser) =>
  protocol === 'ssh' && mode === 'auto' && actions.includes('connect');
const accountLabel = ({ name, username }: GrantedSystemUser) =>
  username ? `${name}(${username})` : name;

/** A batch command with its targets and options. */
interface CommandRequest {
  readonly hosts: readonly Host[];
  readonly runAs: string;
  readonly account: string;
  readonly command: string;
  readonly isCanary: boolean;
  readonly failureLimit: number;
}

/** The question before a run: hosts, account, command and stages. */
function questionOf({ hosts, account, command, isCanary, failureLimit: limit }: CommandRequest) {
  const count = hosts.length;
  const question = t(words.runQuestion, {
    count,
    account,
    command: command.trim().slice(0, 300),
  });
  if (!isCanary || count < 2) return question;
  return `${question}\n\n${t(words.runStages, { sizes: stageSizes(count).join(' + '), limit })}`;
}

/** Runs a command on several granted assets. The address names the run on display. */
export function BatchCommand() {
  const go = useGo();
  const path = usePath();
  const client = useQueryClient();
  const { run: runId } = useSearchRecord();
  const { hosts, change, clear, refused } = useHostSelection();
  const [command, setCommand] = useState('');
  const [wished, setWished] = useState<string>();
  const [isCanary, setCanary] = useState(false);
  const [failureLimit, setFailureLimit] = useState(0);
  const [problem, setProblem] = useState('');
  /** The command that waits for the user's second factor. */
  const [unproved, setUnproved] = useState<CommandRequest>();
  const execution = useExecution(runId);
  const { data: accounts } = useQuery({
    queryKey: ['system-users-permission'],
    queryFn: () => api.get<readonly GrantedSystemUser[]>('perms/system-users-permission/'),
  });
  const runAs = wished ?? accounts?.find(canRun)?.id;
  const account = accounts?.find(({ id }) => id === runAs);

  async function start(request: CommandRequest) {
    setProblem('');
    try {
      const started = await api.post<Execution>(
        PATH,
        {
          hosts: request.hosts.map(({ id }) => id),
          run_as: request.runAs,
          command: request.command,
          is_canary: request.isCanary,
          failure_limit: request.failureLimit,
        },
        { quiet: true },
      );
      setUnproved(undefined);
      await go(path, { search: { run: started.id } });
      void client.invalidateQueries({ queryKey: ['execution', 'history'] });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The same command runs after the second factor, without a second confirmation.
      if (error.code === 'factor_needed') return setUnproved(request);
      setUnproved(undefined);
      const text = error.fields ? Object.values(error.fields).flat().join(' ') : error.message;
      // The error has ids because not all callers may see hostnames. This user chose the hosts by
      // name.
      setProblem(
        request.hosts.reduce((all, { id, hostname }) => all.replaceAll(id, hostname), text),
      );
    }
  }

  function askToRun(request: CommandRequest) {
    setProblem('');
    askFirst({
      title: t(words.runTitle),
      message: questionOf(request),
      confirm: t(words.run),
      run: () => start(request),
    });
  }

  function submit() {
    const missing = [
      [hosts.size === 0, t(words.chooseAssets)],
      [hosts.size > MOST_COMMAND_HOSTS, t(words.tooMany, { max: MOST_COMMAND_HOSTS })],
      [command.trim() === '', t(words.typeCommand)],
      [!account, t(words.chooseSystemUser)],
    ].find(([isMissing]) => isMissing);
    if (missing || !account) return setProblem(String(missing?.[1] ?? ''));
    askToRun({
      hosts: [...hosts.values()],
      runAs: account.id,
      account: accountLabel(account),
      command,
      isCanary,
      failureLimit,
    });
  }

  return (
    <>
      <PageHeader />
      {unproved && (
        <Modal
          opened
          onClose={() => setUnproved(undefined)}
          title={t(factor.factorTitle)}
          closeButtonProps={{ 'aria-label': t(common.close) }}
        >
          <FreshFactor onProved={() => start(unproved)} />
        </Modal>
      )}
      <TreePane
        onRefresh={() =>
          void client.invalidateQueries({
            predicate: ({ queryKey }) => String(queryKey[0]).startsWith('granted-'),
          })
        }
        tree={<GrantedTree selection={{ hosts, change }} />}
      >
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
              onChange={(event) => setCommand(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
                  event.preventDefault();
                  submit();
                }
              }}
            />
            <div className={styles.options}>
              <NativeSelect
                label={t(words.systemUser)}
                miw={220}
                value={runAs ?? ''}
                onChange={(event) => setWished(event.currentTarget.value)}
                data={
                  accounts && accounts.length > 0
                    ? accounts.map((one) => ({
                        value: one.id,
                        label: canRun(one)
                          ? accountLabel(one)
                          : `${accountLabel(one)} — ${t(words.manual)}`,
                        disabled: !canRun(one),
                      }))
                    : [{ value: '', label: t(words.noSystemUser) }]
                }
              />
              <Checkbox
                mb={8}
                label={t(words.stepByStep)}
                checked={isCanary}
                onChange={(event) => setCanary(event.currentTarget.checked)}
              />
              {isCanary && (
                <NumberInput
                  label={t(words.failureLimit)}
                  w={200}
                  min={0}
                  max={100}
                  allowDecimal={false}
                  value={failureLimit}
                  onChange={(value) =>
                    setFailureLimit(Math.min(100, Math.max(0, Number(value) || 0)))
                  }
                />
              )}
              <Button type="submit" leftSection={<IconPlayerPlay size={16} />}>
                {t(words.run)}
              </Button>
            </div>
            {problem && (
              <Text
                role="alert"
                fz="sm"
                c="var(--mantine-color-error)"
                style={{ overflowWrap: 'anywhere' }}
              >
                {problem}
              </Text>
            )}
          </Stack>
        </form>
        {execution ? (
          <CommandResults
            key={execution.id}
            execution={execution}
            onRunOn={(
              found,
              {
                run_as: id,
                run_as_display: display,
                command: same,
                is_canary: canary,
                failure_limit: limit,
              },
            ) =>
              askToRun({
                hosts: found,
                runAs: id,
                account: display,
                command: same,
                isCanary: canary,
                failureLimit: limit,
              })
            }
          />
        ) : (
          <Text size="sm" c="dimmed" mt="lg">
            {t(words.start)}
          </Text>
        )}
      </TreePane>
    </>
  );
}
