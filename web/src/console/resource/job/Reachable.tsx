import { Text } from '@mantine/core';
import type { asset, Row } from '@sallyport/contract';
import { formatWithZone } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleX, IconHelp } from '../../../kit/icons.ts';
import { taskWords } from './words.ts';

type Connectivity = Row<typeof asset>['connectivity'];

const LOOKS = {
  0: { Icon: IconCircleX, color: 'var(--mantine-color-red-text)', text: taskWords.unreachable },
  1: { Icon: IconCircleCheck, color: 'var(--mantine-color-green-text)', text: taskWords.reachable },
  2: { Icon: IconHelp, color: 'var(--mantine-color-dimmed)', text: taskWords.unknown },
} as const;

/** Names what a server offers to the tested account. Empty for a test that did not find out. */
function servicesOf({
  signed_in: isSignedIn,
  runs_commands: runsCommands,
  serves_files: servesFiles,
}: Connectivity): string {
  const parts = [
    isSignedIn !== undefined && (isSignedIn ? taskWords.signedIn : taskWords.notSignedIn),
    runsCommands !== undefined &&
      (runsCommands ? taskWords.runsCommands : taskWords.runsNoCommands),
    servesFiles !== undefined && (servesFiles ? taskWords.servesFiles : taskWords.servesNoFiles),
  ];
  return parts.flatMap((part) => (part ? [t(part)] : [])).join(' · ');
}

/**
 * Shows by shape, color and text if an asset was reached. The test time and error are in the
 * tooltip, or after the text with `isLong`. A second line names what the server offers to a tested
 * account.
 */
export function Reachable({
  of,
  isLong = false,
}: {
  readonly of: Connectivity;
  readonly isLong?: boolean;
}) {
  const { Icon, color, text } = LOOKS[of.status];
  const about =
    of.status === 2 ? '' : [formatWithZone(of.datetime), of.reason].filter(Boolean).join(' · ');
  const services = servicesOf(of);
  return (
    <span title={about || undefined}>
      <span style={{ whiteSpace: 'nowrap', color }}>
        <Icon size={16} aria-hidden="true" style={{ verticalAlign: 'text-bottom' }} /> {t(text)}
      </span>
      {isLong && about && ` · ${about}`}
      {services && (
        <Text span display="block" fz="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
          {services}
        </Text>
      )}
    </span>
  );
}
