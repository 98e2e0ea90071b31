import { assetPermission, asset as assets, type ConsequencesQuestion } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { useObjectId, useSearchRecord } from '../../base/navigation.tsx';
import type { Summary } from '../../resource/form/FormPage.tsx';
import { type FormValues, problemOf } from '../../resource/form/form-state.ts';
import { GUIDE } from '../../resource/form/guide-places.ts';
import { moreOptions } from '../../resource/form/more-options.ts';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { FormPage } from '../../resource/ResourcePages.tsx';
import { useAddressedSet } from '../../resource/useChosen.ts';
import { AccessPreview, ActionsField, agreeToAccess, GrantedNodesField } from '../access/index.ts';
import { agreeToNothing } from './agree-to-nothing.ts';
import { APPROVAL_FIELDS, APPROVAL_TERMS } from './approval-terms.ts';
import { PermissionSentence, SentenceText, type Stated } from './PermissionSentence.tsx';
import { words } from './words.ts';

const GROUPS: readonly FormGroup<keyof typeof assetPermission.fields>[] = [
  { title: words.basic, fields: ['name'] },
  { title: words.who, fields: ['users', 'user_groups'] },
  { title: words.where, fields: ['assets', 'nodes', 'system_users'] },
  { title: words.terms, fields: ['date_expired', 'actions'] },
  moreOptions([
    'condition',
    'mfa_minutes',
    'needs_approval',
    'approval_minutes',
    'needs_watcher',
    ...APPROVAL_FIELDS,
    'date_start',
    'is_active',
    'comment',
  ]),
];

const withoutReviewers = ({ needs_approval: isReviewed, needs_watcher: isWatched }: FormValues) =>
  isReviewed !== true && isWatched !== true;

const OVERRIDES: FieldOverrides = {
  actions: { widget: ActionsField },
  nodes: { widget: GrantedNodesField },
  mfa_minutes: { guide: GUIDE.permissionFactor },
  ...APPROVAL_TERMS,
  approvers: { hidden: withoutReviewers },
  approver_groups: { hidden: withoutReviewers },
};

const DATES = ['date_start', 'date_expired'] as const;

const idsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

const statedBy = (values: FormValues): Stated => ({
  users: idsIn(values.users),
  user_groups: idsIn(values.user_groups),
  assets: idsIn(values.assets),
  nodes: idsIn(values.nodes),
  system_users: idsIn(values.system_users),
  actions: idsIn(values.actions),
  is_active: values.is_active === true,
  date_start: String(values.date_start ?? ''),
  date_expired: String(values.date_expired ?? ''),
  condition: values.condition ? String(values.condition) : null,
});

const SUMMARY: Summary = {
  body: (values) => <PermissionSentence permission={statedBy(values)} />,
  line: (values) => <SentenceText permission={statedBy(values)} />,
};

/**
 * Builds the question about consequences that the form asks before saving. Returns undefined while
 * the form is incomplete.
 */
function plannedBy(values: FormValues, id: string): ConsequencesQuestion | undefined {
  const { users, user_groups, assets, nodes, system_users, actions, is_active } = statedBy(values);
  const isWhole =
    users.length + user_groups.length > 0 &&
    assets.length + nodes.length > 0 &&
    system_users.length > 0;
  if (!id && !isWhole) return undefined;
  // The server rejects a half-typed date.
  const isUnfinished = DATES.some((name) =>
    problemOf(values[name], false, assetPermission.fields[name]),
  );
  if (isUnfinished) return undefined;
  const [date_start, date_expired] = [
    String(values.date_start ?? ''),
    String(values.date_expired ?? ''),
  ];
  return {
    ...{
      action: 'save',
      resource: 'asset_permission',
      ids: id ? [id] : [],
      users,
      user_groups,
      assets,
      nodes,
      system_users,
      actions,
      is_active,
    },
    ...(date_start && { date_start }),
    ...(date_expired && { date_expired }),
  };
}

/** Creates or changes a permission. The address can preset the objects of a new one. */
export function AssetPermissionForm() {
  const { node, asset, user, system_user: account, guide } = useSearchRecord();
  const id = useObjectId();
  const { ids, isReady } = useAddressedSet(assets);
  if (!isReady) return <PageHeader />;
  const initial = {
    // The guide of a new installation leaves nothing to type.
    ...(guide && { name: t(words.firstPermission) }),
    ...(node && { nodes: [node] }),
    ...(asset && { assets: [asset] }),
    ...(ids && { assets: ids }),
    ...(user && { users: [user] }),
    ...(account && { system_users: [account] }),
  };
  return (
    <FormPage
      source={assetPermission}
      groups={GROUPS}
      overrides={OVERRIDES}
      summary={SUMMARY}
      notice={(values, dirty) => (
        <AccessPreview question={dirty ? plannedBy(values, id) : undefined} />
      )}
      agree={async (values) =>
        (await agreeToNothing(values, ['assets', 'nodes'], words.lacksAssets)) &&
        agreeToAccess(plannedBy(values, id))
      }
      initial={initial}
    />
  );
}
