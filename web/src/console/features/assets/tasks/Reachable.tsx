import type { asset, Row } from '@sallyport/contract';
import { formatWithZone } from '../../../../kit/format/relative-time.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconCircleCheck, IconCircleX, IconHelp } from '../../../../kit/icons.ts';
import { words } from './words.ts';

type Connectivity = Row<typeof asset>['connectivity'];

const LOOKS = {
  0: { Icon: IconCircleX, color: 'var(--mantine-color-red-text)', text: words.unreachable },
  1: { Icon: IconCircleCheck, color: 'var(--mantine-color-green-text)', text: words.reachable },
  2: { Icon: IconHelp, color: 'var(--mantine-color-dimmed)', text: words.unknown },
} as const;

/**
 * Shows by shape, color and text if an asset was reached. The test time and error are in the
 * tooltip, or after the text with `isLong`.
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
  return (
    <span title={about || undefined}>
      <span style={{ whiteSpace: 'nowrap', color }}>
        <Icon size={16} aria-hidden="true" style={{ verticalAlign: 'text-bottom' }} /> {t(text)}
      </span>
      {isLong && about && ` · ${about}`}
    </span>
  );
}
