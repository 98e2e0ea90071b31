import { stageSizes } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import { useGo, usePath } from '../../base/navigation.tsx';
import { type Execution, PATH } from './useExecution.ts';
import type { Host } from './useHostSelection.ts';
import { words } from './words.ts';

/** A batch command with its targets and options. */
export interface CommandRequest {
  readonly hosts: readonly Host[];
  readonly runAs: string;
  readonly account: string;
  readonly command: string;
  readonly isCanary: boolean;
  readonly failureLimit: number;
}

export interface CommandRun {
  /** Reason why the last command did not start; empty for none. */
  readonly problem: string;
  readonly setProblem: (problem: string) => void;
  /** The command that waits for the user's second factor. */
  readonly unproved: CommandRequest | undefined;
  /** Drops the command that waits for the second factor. */
  readonly cancel: () => void;
  readonly start: (request: CommandRequest) => Promise<void>;
  /** Starts a command after confirmation. */
  readonly askToRun: (request: CommandRequest) => void;
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

/** Starts batch commands. The address of the page then names the run. */
export function useCommandRun(): CommandRun {
  const go = useGo();
  const path = usePath();
  const client = useQueryClient();
  const [problem, setProblem] = useState('');
  const [unproved, setUnproved] = useState<CommandRequest>();

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

  return {
    problem,
    setProblem,
    unproved,
    cancel: () => setUnproved(undefined),
    start,
    askToRun,
  };
}
