import { assetPermission, type LocalText } from '@sallyport/contract';
import { Fragment } from 'react';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import type { ResourceDetailModel } from '../../resource/detail/useResourceDetail.ts';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import { changeLinks, type Rule } from './change-links.ts';
import { words } from './words.ts';

interface Reached {
  readonly id: string;
  readonly user?: string;
  readonly asset?: string;
  readonly user_display?: string;
  readonly asset_display?: string;
  /** True if the permission names the object directly. */
  readonly direct: boolean;
  /** The groups or nodes through which the permission includes the object. */
  readonly through: readonly { readonly id: string; readonly name: string }[];
}

interface ReachedListProps {
  readonly rule: Rule;
  readonly kind: 'user' | 'asset';
  readonly title: LocalText;
  readonly detail: ResourceDetailModel<Rule>;
}

/** Shows how a permission includes a user or asset: directly, or through groups or nodes. */
function Through({ row, resource }: { readonly row: Reached; readonly resource: string }) {
  return (
    <>
      {row.direct && t(words.direct)}
      {row.through.map(({ id, name }, index) => (
        <Fragment key={id}>
          {(row.direct || index > 0) && ', '}
          <ObjectLink resource={resource} id={id}>
            {name}
          </ObjectLink>
        </Fragment>
      ))}
    </>
  );
}

/**
 * Lists all users or assets of a permission. Only directly named ones can be removed here,
 * inherited ones cannot.
 */
export function ReachedList({ rule, kind, title, detail }: ReachedListProps) {
  const linked = kind === 'user' ? 'users' : 'assets';
  const display = kind === 'user' ? 'user_display' : 'asset_display';
  return (
    <ResourceList<Reached>
      source={{
        name: `rule_${linked}`,
        path: `${assetPermission.path}/${rule.id}/${linked}/all`,
        title,
        labelField: display,
        fields: {},
      }}
      embedded
      searchBy={[]}
      idOf={(row) => row[kind] ?? ''}
      columns={[
        { name: display, label: title },
        {
          name: 'through',
          label: words.through,
          essential: true,
          cell: (row) => <Through row={row} resource={kind === 'user' ? 'user_group' : 'node'} />,
        },
      ]}
      link={(row) => (kind === 'user' ? `/users/users/${row.id}` : `/assets/assets/${row.id}`)}
      extraActions={(row) => [
        {
          key: 'remove',
          label: t(common.remove),
          danger: true,
          refusal: row.direct
            ? undefined
            : t(kind === 'user' ? words.comesThroughGroup : words.comesThroughNode, {
                names: row.through.map(({ name }) => name).join(', '),
              }),
          run: () =>
            void changeLinks(
              rule,
              linked,
              rule[linked].filter((id) => id !== row.id),
            )
              .then(() => toast.success(t(common.removeSuccess)))
              .catch(() => undefined)
              .finally(() => void detail.refresh()),
        },
      ]}
    />
  );
}
