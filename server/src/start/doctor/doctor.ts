import { type Config, readConfig } from '../../config.ts';
import { isClaimed } from '../../platform/process/folder-lock.ts';
import { type Finding, fine, problem, reasonOf } from './finding.ts';
import { examineInstallation } from './installation.ts';
import { examineMachine } from './machine.ts';
import { examineReach } from './reach.ts';

export interface Examination {
  /** 0: at most warnings; 2: a problem. */
  readonly status: 0 | 2;
  readonly findings: readonly Finding[];
}

/**
 * Checks for present and imminent problems of an installation, with or without a running server.
 * Changes nothing.
 */
export async function examine(
  environment: NodeJS.ProcessEnv,
  flags: readonly string[],
): Promise<Examination> {
  let config: Config;
  try {
    config = readConfig(environment, flags);
  } catch (error) {
    return {
      status: 2,
      findings: [
        problem(
          'configuration',
          reasonOf(error),
          'Correct the environment, for example the file of the systemd unit',
        ),
      ],
    };
  }
  const context = { config, isRunning: isClaimed(config.dataDirectory) };
  const findings = [
    fine('configuration', 'Every SALLYPORT_ variable is known and has a good value'),
    ...(await examineMachine(context)),
  ];
  if (findings.every(({ check, level }) => check !== 'data-folder' || level === 'ok'))
    findings.push(...(await examineInstallation(context)));
  findings.push(...(await examineReach(context)));
  return { status: findings.some(({ level }) => level === 'problem') ? 2 : 0, findings };
}

const MARKS = { ok: 'ok      ', warning: 'WARNING ', problem: 'PROBLEM ' } as const;

/** Formats the findings with their fixes. */
export function inWords({ findings }: Examination): string {
  return findings
    .map(
      ({ check, level, message, fix }) =>
        `${MARKS[level]} ${check}: ${message}\n${fix === undefined ? '' : `          ${fix}\n`}`,
    )
    .join('');
}
