import { Button, Loader, Text, UnstyledButton } from '@mantine/core';
import type { AccessBranch, AssetLeaf, Page, UserLeaf } from '@sallyport/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { isWithoutEnd } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import {
  IconChevronRight,
  IconFolder,
  IconLock,
  IconServer2,
  IconUser,
  IconUsers,
} from '../../../kit/icons.ts';
import { Moment } from '../../resource/list/table/Moment.tsx';
import { ObjectLink } from '../../resource/object/ObjectLink.tsx';
import styles from './Access.module.css';
import { words } from './words.ts';

const BRANCHES = 100;
const LEAVES = 50;

interface Props {
  /** API path of the list of accesses below `perms/access/`. */
  readonly path: string;
  /** The kind of object at the leaves. */
  readonly leads: 'users' | 'assets';
  readonly empty: string;
}

/** Reads a list page by page. Returns the rows so far and the control that loads more. */
function usePages<Row>(path: string, query: Readonly<Record<string, string>>, limit: number) {
  const {
    data,
    isPending,
    isError,
    error,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
    refetch,
  } = useInfiniteQuery({
    queryKey: ['access-tree', path, query],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<Row>>(path, {
        query: { ...query, offset: pageParam, limit },
        signal,
        quiet: true,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.next ? all.length * limit : undefined),
  });
  const rows = (data?.pages ?? []).flatMap(({ results }) => results);
  const count = data?.pages[0]?.count ?? 0;
  const rest = (
    <>
      {isPending && <Loader role="status" size={16} my={6} aria-label={t(common.loading)} />}
      {isError && (
        <Text fz="sm" c="var(--mantine-color-error)">
          {error.message}{' '}
          <Button size="compact-xs" variant="default" onClick={() => void refetch()}>
            {t(common.retry)}
          </Button>
        </Text>
      )}
      {hasNextPage && (
        <Button
          size="compact-sm"
          variant="default"
          my={6}
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t(words.more, { count: count - rows.length })}
        </Button>
      )}
    </>
  );
  return { rows, rest, isEmpty: !isPending && !isError && rows.length === 0 };
}

/** A line that expands its children. */
function Line({
  name,
  icon,
  opens,
  children,
  open: openAtFirst = false,
}: {
  readonly name: string;
  readonly icon: ReactNode;
  readonly opens: () => ReactNode;
  readonly children: ReactNode;
  readonly open?: boolean;
}) {
  const [open, setOpen] = useState(openAtFirst);
  return (
    <li>
      <div className={styles.line}>
        <UnstyledButton
          className={styles.twisty}
          aria-expanded={open}
          aria-label={t(words.showBranch, { name })}
          onClick={() => setOpen(!open)}
          {...(open && { 'data-open': true })}
        >
          <IconChevronRight size={16} aria-hidden="true" />
        </UnstyledButton>
        <span className={styles.kind} aria-hidden="true">
          {icon}
        </span>
        <div className={styles.lineText}>{children}</div>
      </div>
      {open && <div className={styles.inner}>{opens()}</div>}
    </li>
  );
}

function Leaves({
  branch,
  leads,
}: {
  readonly branch: AccessBranch;
  readonly leads: Props['leads'];
}) {
  const query =
    leads === 'users' ? { group: branch.group?.id ?? '' } : { node: branch.node?.id ?? '' };
  const { rows, rest } = usePages<UserLeaf | AssetLeaf>(
    `perms/access/permissions/${branch.permission.id}/${leads}/`,
    query,
    LEAVES,
  );
  return (
    <>
      <ul className={styles.tree}>
        {rows.map((row) => (
          <li key={row.id} className={styles.leaf}>
            <span className={styles.kind} aria-hidden="true">
              {leads === 'users' ? <IconUser size={16} /> : <IconServer2 size={16} />}
            </span>
            <span className={styles.lineText}>
              <ObjectLink resource={leads === 'users' ? 'user' : 'asset'} id={row.id}>
                {'hostname' in row ? row.hostname : row.name}
              </ObjectLink>{' '}
              <Text span fz="xs" c="dimmed" className="mono">
                {'hostname' in row ? row.ip : row.username}
              </Text>
            </span>
          </li>
        ))}
      </ul>
      {rest}
    </>
  );
}

/** One branch of a permission: the group and node that lead to users or assets. */
function Branch({
  branch,
  leads,
}: {
  readonly branch: AccessBranch;
  readonly leads: Props['leads'];
}) {
  const { group, node, count } = branch;
  const own = leads === 'users' ? group : node;
  const other = leads === 'users' ? node : group;
  const direct = t(leads === 'users' ? words.namesUsers : words.namesAssets);
  const [near, far] =
    leads === 'users' ? (['user_group', 'node'] as const) : (['node', 'user_group'] as const);
  const kind = (resource: typeof near) => (
    <Text span c="dimmed" inherit>
      {t(resource === 'node' ? words.throughNode : words.throughGroup)}
    </Text>
  );
  const Direct = leads === 'users' ? IconUser : IconServer2;
  const Kind = own ? (near === 'node' ? IconFolder : IconUsers) : Direct;
  return (
    <Line
      name={own?.name ?? direct}
      icon={<Kind size={16} />}
      opens={() => <Leaves branch={branch} leads={leads} />}
    >
      {own ? (
        <>
          {kind(near)}{' '}
          <ObjectLink resource={near} id={own.id}>
            {own.name}
          </ObjectLink>
        </>
      ) : (
        direct
      )}
      {other && (
        <>
          {' · '}
          {kind(far)}{' '}
          <ObjectLink resource={far} id={other.id}>
            {other.name}
          </ObjectLink>
        </>
      )}
      <Text span fz="xs" c="dimmed">
        {` · ${t(leads === 'users' ? words.userCount : words.assetCount, { count })}`}
      </Text>
    </Line>
  );
}

/**
 * Shows accesses as a tree: permissions, then groups and nodes, then users or assets. A branch
 * loads its users or assets when opened.
 */
export function AccessTree({ path, leads, empty }: Props) {
  const { rows, rest, isEmpty } = usePages<AccessBranch>(
    `perms/access/${path}/tree/`,
    {},
    BRANCHES,
  );
  const byPermission = [...Map.groupBy(rows, ({ permission }) => permission.id).values()];
  return (
    <div className={styles.treeCard}>
      {isEmpty && <Text c="dimmed">{empty}</Text>}
      <ul className={styles.tree}>
        {byPermission.map((branches) => {
          const [first] = branches;
          if (!first) return null;
          const { permission, valid_until, accounts } = first;
          return (
            <Line
              key={permission.id}
              open
              name={permission.name}
              icon={<IconLock size={16} />}
              opens={() => (
                <ul className={styles.tree}>
                  {branches.map((branch) => (
                    <Branch
                      key={`${branch.group?.id} ${branch.node?.id}`}
                      branch={branch}
                      leads={leads}
                    />
                  ))}
                </ul>
              )}
            >
              <ObjectLink resource="asset_permission" id={permission.id}>
                {permission.name}
              </ObjectLink>
              <Text span fz="xs" c="dimmed">
                {accounts.length > 0 &&
                  ` · ${t(words.asAccounts, { names: accounts.map(({ name }) => name).join(', ') })}`}
                {!isWithoutEnd(valid_until) && (
                  <>
                    {' · '}
                    {t(words.until)} <Moment date={valid_until} />
                  </>
                )}
              </Text>
            </Line>
          );
        })}
      </ul>
      {rest}
    </div>
  );
}
