import { Alert, Skeleton, Text } from '@mantine/core';
import {
  assetPermission,
  condition,
  type PermissionSummary,
  type Row,
  validityOf,
} from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import {
  IconAlertTriangle,
  IconClock,
  IconInfoCircle,
  IconShieldCheck,
} from '../../../kit/icons.ts';
import { useMinute } from '../../resource/list/table/Moment.tsx';
import { cacheKey } from '../../resource/source.ts';
import { grantsNothingBecause, limitOf, sentenceOf, type Terms } from './sentence.ts';
import { words } from './words.ts';

/** The named objects and terms of a permission, either stored or in a form. */
export interface Stated extends Terms {
  readonly users: readonly string[];
  readonly user_groups: readonly string[];
  readonly assets: readonly string[];
  readonly nodes: readonly string[];
  readonly system_users: readonly string[];
  /** Names of users that do not exist yet. */
  readonly newcomers?: readonly string[];
  /** Id of its condition. */
  readonly condition?: string | null;
}

const NONE = { count: 0, names: [] };
const NOTHING: PermissionSummary = {
  users: NONE,
  user_groups: NONE,
  assets: NONE,
  nodes: NONE,
  system_users: NONE,
  people: 0,
  reached: 0,
  unoffered: [],
};

/** Maximum names of new users in the sentence, like those that the server answers. */
const MOST_NAMES = 3;

const withNewcomers = (
  summary: PermissionSummary,
  names: readonly string[],
): PermissionSummary => ({
  ...summary,
  users: {
    count: summary.users.count + names.length,
    names: [...summary.users.names, ...names].slice(0, MOST_NAMES),
  },
  people: summary.people + names.length,
});

/**
 * Returns the sentence of a permission, and the reason if it grants nothing; undefined until known.
 */
function useSentence(permission: Stated) {
  const now = useMinute();
  const { users, user_groups, assets, nodes, system_users } = permission;
  const ids = { users, user_groups, assets, nodes, system_users };
  const isEmpty = Object.values(ids).every((list) => list.length === 0);
  const { data } = useQuery({
    queryKey: [...cacheKey(assetPermission), 'summary', ids],
    queryFn: ({ signal }) =>
      api.post<PermissionSummary>('perms/permission-summary/', ids, { signal, quiet: true }),
    placeholderData: keepPreviousData,
    enabled: !isEmpty,
  });
  // An empty form needs no answer from the server. Its sentence shows at once, so the page does not
  // move.
  const known = isEmpty ? NOTHING : data;
  const { data: holder } = useQuery({
    queryKey: [...cacheKey(condition), 'of-permission', permission.condition],
    queryFn: ({ signal }) =>
      api.get<Row<typeof condition>>(`${condition.path}/${permission.condition}/`, {
        signal,
        quiet: true,
      }),
    enabled: Boolean(permission.condition),
  });
  const summary = known && withNewcomers(known, permission.newcomers ?? []);
  return (
    summary && {
      isEmpty,
      sentence: isEmpty
        ? t(words.sentenceWaits)
        : [sentenceOf(summary, permission, now), permission.condition && holder && limitOf(holder)]
            .filter(Boolean)
            .join(' '),
      warning: grantsNothingBecause(summary, permission, now),
      isLater: validityOf(permission, now) === 'not_started',
    }
  );
}

/**
 * Shows a permission as a sentence. It is green only if the permission grants access now, and gray
 * before its start.
 */
export function PermissionSentence({ permission }: { readonly permission: Stated }) {
  const stated = useSentence(permission);
  if (!stated) return <Skeleton height={44} role="status" aria-label={t(words.says)} />;
  const { sentence, warning, isEmpty, isLater } = stated;
  const [color, Icon, text] = isEmpty
    ? (['gray', IconInfoCircle, sentence] as const)
    : warning
      ? (['yellow', IconAlertTriangle, warning] as const)
      : isLater
        ? (['gray', IconClock, sentence] as const)
        : (['teal', IconShieldCheck, sentence] as const);
  return (
    <div role="status">
      <Alert color={color} variant="light" icon={<Icon size={18} />} aria-label={t(words.says)}>
        <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
      </Alert>
    </div>
  );
}

/** The sentence of a permission as text, or the reason why it grants nothing. */
export function SentenceText({ permission }: { readonly permission: Stated }): string {
  const stated = useSentence(permission);
  return stated?.warning || stated?.sentence || '';
}
