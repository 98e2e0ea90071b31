import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { assetPermission, type PermissionSummary } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconShieldCheck } from '../../../kit/icons.ts';
import { useMinute } from '../../resource/list/useMinute.ts';
import { cacheKey } from '../../resource/source.ts';
import { grantsNothingBecause, sentenceOf, type Terms } from './sentence.ts';
import { words } from './words.ts';

/** The objects that a permission names, and its terms; of one that exists, or as a form has it. */
export interface Stated extends Terms {
  readonly users: readonly string[];
  readonly user_groups: readonly string[];
  readonly assets: readonly string[];
  readonly nodes: readonly string[];
  readonly system_users: readonly string[];
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
};

/** A permission as a sentence, and a warning where it grants nothing; or only that. */
export function PermissionSentence({
  permission,
  onlyWarning = false,
}: {
  readonly permission: Stated;
  readonly onlyWarning?: boolean;
}) {
  const now = useMinute();
  const { users, user_groups, assets, nodes, system_users } = permission;
  const named = { users, user_groups, assets, nodes, system_users };
  const isEmpty = Object.values(named).every((ids) => ids.length === 0);
  const { data } = useQuery({
    queryKey: [...cacheKey(assetPermission), 'summary', named],
    queryFn: ({ signal }) =>
      api.post<PermissionSummary>('perms/permission-summary/', named, { signal, quiet: true }),
    placeholderData: keepPreviousData,
    enabled: !isEmpty,
  });
  // Nobody has to be asked what a new form says, so the page does not move when the answer comes.
  const summary = isEmpty ? NOTHING : data;
  if (!summary && onlyWarning) return null;
  if (!summary) return <Skeleton height={44} mb="md" role="status" aria-label={t(words.says)} />;
  const warning = grantsNothingBecause(summary, permission, now);
  if (onlyWarning && !warning) return null;
  return (
    <Stack gap="xs" mb="md" role="status">
      {!onlyWarning && (
        <Alert
          color="teal"
          variant="light"
          icon={<IconShieldCheck size={18} />}
          aria-label={t(words.says)}
        >
          <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
            {isEmpty ? t(words.sentenceWaits) : sentenceOf(summary, permission, now)}
          </Text>
        </Alert>
      )}
      {warning && (
        <Alert color="yellow" variant="light" icon={<IconAlertTriangle size={18} />}>
          {warning}
        </Alert>
      )}
    </Stack>
  );
}
