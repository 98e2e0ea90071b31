import type { SessionTimeline, TimelineEntry } from '@sallyport/contract';
import { formatDuration } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { words } from './words.ts';

/** The mark of a timeline entry. */
export const markOf = ({ kind, risk_level: risk, is_success: isSuccess }: TimelineEntry) =>
  risk > 0 || !isSuccess ? 'danger' : kind;

/** Returns true if an entry is more than an ordinary command. */
export const isNotable = (entry: TimelineEntry) => markOf(entry) !== 'command';

/** A timeline as one sentence, the text alternative of its picture. */
export function summaryOf({ seconds, entries, left_out: leftOut }: SessionTimeline): string {
  const of = (kind: TimelineEntry['kind']) => entries.filter((entry) => entry.kind === kind);
  const idle = of('idle').reduce((sum, entry) => sum + entry.seconds, 0);
  const dangerous = entries.filter(({ risk_level: risk }) => risk > 0).length;
  const parts = [
    t(words.timelineCommands, { count: of('command').length }),
    ...(dangerous > 0 ? [t(words.timelineDangerous, { count: dangerous })] : []),
    ...(of('file').length > 0 ? [t(words.timelineFiles, { count: of('file').length })] : []),
    ...(of('interruption').length > 0
      ? [t(words.timelineInterruptions, { count: of('interruption').length })]
      : []),
    ...(idle > 0
      ? [
          t(words.timelineIdle, {
            duration: formatDuration(idle),
            share: Math.round((idle / Math.max(seconds, 1)) * 100),
          }),
        ]
      : []),
    ...(leftOut > 0 ? [t(words.timelineLeftOut, { count: leftOut })] : []),
  ];
  return parts.join(' · ');
}
