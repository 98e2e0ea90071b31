import { Badge } from '@mantine/core';
import {
  type AuditVerification,
  type AuditWitness,
  parseDatetime,
  VERIFICATION_DAYS,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { formatRelative } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconCircleCheck } from '../../../kit/icons.ts';
import { useMinute } from '../../resource/list/table/Moment.tsx';
import { words } from './words.ts';

/** Query key of the last verification of the audit logs. */
export const VERIFICATION_KEY = ['audits', 'verification'];

const EVERY_MILLISECONDS = 60_000;

/** The last verification of the audit logs; undefined while loading. */
function useVerification(): AuditVerification | undefined {
  const { data } = useQuery({
    queryKey: VERIFICATION_KEY,
    queryFn: ({ signal }) =>
      api.get<AuditVerification>('audits/verification/', { signal, quiet: true }),
    refetchInterval: EVERY_MILLISECONDS,
  });
  return data;
}

const DAY = 86_400_000;

/** The time and the result of the last verification of the audit logs. */
export function VerificationBadge() {
  const last = useVerification();
  const now = useMinute();
  // Keeps the place of the badge.
  if (!last) return <ProofBadge color="yellow" text={t(words.neverVerified)} title="" isHidden />;
  const date = last.date === null ? undefined : parseDatetime(last.date);
  const when = date && formatRelative(date, now);
  const isFresh = date !== undefined && now.getTime() - date.getTime() < VERIFICATION_DAYS * DAY;
  const color =
    when === undefined || (last.intact && !isFresh) ? 'yellow' : last.intact ? 'green' : 'red';
  const text =
    when === undefined
      ? t(words.neverVerified)
      : t(last.intact ? words.verified : words.broken, { when });
  const source =
    last.date &&
    (last.by
      ? t(words.verifiedBy, { date: formatDate(last.date), by: last.by })
      : t(words.verifiedByServer, { date: formatDate(last.date) }));
  return <ProofBadge color={color} text={text} title={source ?? ''} />;
}

interface ProofBadgeProps {
  readonly color: 'green' | 'yellow' | 'red';
  readonly text: string;
  readonly title: string;
  readonly isHidden?: boolean;
}

function ProofBadge({ color, text, title, isHidden = false }: ProofBadgeProps) {
  const Icon = color === 'green' ? IconCircleCheck : IconAlertTriangle;
  return (
    <Badge
      variant="light"
      color={color}
      size="lg"
      leftSection={<Icon size={14} aria-hidden="true" />}
      {...(title && { title })}
      {...(isHidden && { style: { visibility: 'hidden' } })}
    >
      {text}
    </Badge>
  );
}

/** The last token of the outside witness, or why it is missing; nothing without a witness. */
export function WitnessBadge() {
  const { data } = useQuery({
    queryKey: ['audits', 'witness'],
    queryFn: ({ signal }) => api.get<AuditWitness>('audits/witness/', { signal, quiet: true }),
    refetchInterval: EVERY_MILLISECONDS,
  });
  const now = useMinute();
  if (!data?.configured) return null;
  const { date, missing, authority, problem, waiting } = data;
  const moment = date === null ? undefined : parseDatetime(date);
  const when = moment && formatRelative(moment, now);
  const text = missing
    ? t(words.witnessMissing, { count: waiting })
    : when === undefined
      ? t(words.witnessWaiting)
      : t(words.witnessed, { when });
  return (
    <ProofBadge
      color={missing ? 'red' : when === undefined ? 'yellow' : 'green'}
      text={text}
      title={[date && formatDate(date), authority, problem].filter(Boolean).join(' · ')}
    />
  );
}
