import { Anchor } from '@mantine/core';
import type { command, Row } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { IconPlayerPlay } from '../../../kit/icons.ts';
import { replayAddress } from '../../base/addresses.ts';
import { words } from './words.ts';

/** The replay starts this many seconds before a command, to show the prompt and the typing. */
export const LEAD_SECONDS = 2;

/** Links to the moment of a command or a file in the recording. */
export function ReplayFromHere({
  command: { session, offset_seconds: offset },
}: {
  readonly command: Pick<Row<typeof command>, 'session' | 'offset_seconds'>;
}) {
  return (
    <Anchor
      fz="inherit"
      href={replayAddress(session, offset - LEAD_SECONDS)}
      target="_blank"
      rel="noopener"
    >
      <IconPlayerPlay size={14} aria-hidden="true" style={{ verticalAlign: 'text-bottom' }} />{' '}
      {t(words.replayFromHere)}
    </Anchor>
  );
}
