import { Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { common, t } from '../../../kit/i18n/index.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { TreePane } from '../../tree/TreePane.tsx';
import { FreshFactor, mfaWords as factor } from '../mfa/index.ts';
import { CommandForm } from './CommandForm.tsx';
import { CommandResults } from './CommandResults.tsx';
import { GrantedTree } from './GrantedTree.tsx';
import { useCommandRun } from './useCommandRun.ts';
import { useExecution } from './useExecution.ts';
import { useHostSelection } from './useHostSelection.ts';
import { words } from './words.ts';

/** Runs a command on several granted assets. The address names the run on display. */
export function BatchCommand() {
  const client = useQueryClient();
  const { run: runId } = useSearchRecord();
  const selection = useHostSelection();
  const run = useCommandRun();
  const { unproved } = run;
  const execution = useExecution(runId);

  return (
    <>
      <PageHeader />
      {unproved && (
        <Modal
          opened
          onClose={run.cancel}
          title={t(factor.factorTitle)}
          closeButtonProps={{ 'aria-label': t(common.close) }}
        >
          <FreshFactor onProved={() => run.start(unproved)} />
        </Modal>
      )}
      <TreePane
        onRefresh={() =>
          void client.invalidateQueries({
            predicate: ({ queryKey }) => String(queryKey[0]).startsWith('granted-'),
          })
        }
        tree={<GrantedTree selection={selection} />}
      >
        <CommandForm selection={selection} run={run} />
        {execution ? (
          <CommandResults
            key={execution.id}
            execution={execution}
            onRunOn={(hosts, same) =>
              run.askToRun({
                hosts,
                runAs: same.run_as,
                account: same.run_as_display,
                command: same.command,
                isCanary: same.is_canary,
                failureLimit: same.failure_limit,
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
