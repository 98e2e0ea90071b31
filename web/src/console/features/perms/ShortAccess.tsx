import { VisuallyHidden } from '@mantine/core';
import type { assetPermission, LocalText, Row } from '@sallyport/contract';
import { Fragment } from 'react';
import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { pagesOf } from '../../base/resources.ts';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { FirstOfMany } from '../FirstOfMany.tsx';
import styles from './ShortAccess.module.css';
import { words } from './words.ts';

export type Rule = Row<typeof assetPermission>;

/** The fields of a permission with names: the resource of each, and the tab that lists all. */
const NAMED = {
  user_groups: { resource: 'user_group', tab: 'AssetPermissionUser' },
  users: { resource: 'user', tab: 'AssetPermissionUser' },
  nodes: { resource: 'node', tab: 'AssetPermissionAsset' },
  assets: { resource: 'asset', tab: 'AssetPermissionAsset' },
  system_users: { resource: 'system_user', tab: 'AssetPermissionAsset' },
} as const;

export type Named = keyof typeof NAMED;

/** The first name of one kind, and the number of the others. */
export function FirstNames({ rule, field }: { readonly rule: Rule; readonly field: Named }) {
  const { resource, tab } = NAMED[field];
  return (
    <FirstOfMany
      resource={resource}
      first={rule.first_names[field]}
      amount={rule[`${field}_amount`]}
      to={pagesOf('asset_permission').detail(rule.id)}
      tab={tab}
    />
  );
}

/** The first names of some kinds, and how many others; says what is missing if there are none. */
function Part({
  rule,
  fields,
  none,
}: {
  readonly rule: Rule;
  readonly fields: readonly Named[];
  readonly none: LocalText;
}) {
  const firsts = fields.flatMap((field) => {
    const first = rule.first_names[field];
    return first ? [{ field, first, others: rule[`${field}_amount`] - 1 }] : [];
  });
  if (firsts.length === 0) return <span className={styles.missing}>{t(none)}</span>;
  return firsts.map(({ field, first, others }, place) => (
    <Fragment key={field}>
      {place > 0 && ' · '}
      <ObjectLink resource={NAMED[field].resource} id={first.id}>
        {first.name}
      </ObjectLink>
      {others > 0 && ` +${formatNumber(others)}`}
    </Fragment>
  ));
}

/** A permission as a sentence: its users, its targets and its accounts. */
export function ShortAccess({ rule }: { readonly rule: Rule }) {
  return (
    <span className={styles.sentence}>
      <Part rule={rule} fields={['user_groups', 'users']} none={words.noUsers} />
      <span aria-hidden="true"> → </span>
      <VisuallyHidden> {t(words.reaches)} </VisuallyHidden>
      <Part rule={rule} fields={['nodes', 'assets']} none={words.noAssets} />
      <span className={styles.joint}> {t(words.asWhom)} </span>
      <Part rule={rule} fields={['system_users']} none={words.noAccount} />
    </span>
  );
}
