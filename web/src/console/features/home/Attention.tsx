import { Skeleton, Text } from '@mantine/core';
import { type AttentionExample, type AttentionItem, type AttentionKind, type LocalText, parseDatetime } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { formatDate, formatNumber } from '../../../kit/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconCircleCheck } from '../../../kit/icons.ts';
import { formatNear, formatRelative } from '../../../kit/relative-time.ts';
import { PageLink } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import detailStyles from '../../resource/detail/Detail.module.css';
import styles from './Attention.module.css';
import type { Needs } from './useAttention.ts';
import { words } from './words.ts';

const GIBIBYTE = 1024 ** 3;

/** How a kind is said, and where all of it is shown: a page, or the list of a resource. */
interface Kind {
  readonly text: LocalText;
  readonly urgent?: boolean;
  readonly resource?: string;
  readonly list?: string;
  /** The page of one, where its path is not below the list's. */
  readonly page?: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** The filter of a list that leaves exactly what an item counts. */
const inNeed = (attention: AttentionKind) => ({ attention });

const KINDS: Readonly<Record<AttentionKind, Kind>> = {
  audit_logs_broken: { text: words.auditLogsBroken, urgent: true, list: '/audits/operate-log' },
  first_password: { text: words.firstPassword, urgent: true, list: '/users/profile', search: { activeTab: 'PasswordUpdate' } },
  audit_logs_unverified: { text: words.auditLogsUnverified, list: '/audits/operate-log' },
  // No list has backups: a command makes them, which the guide describes.
  backup_old: { text: words.backupOld, list: '/help/docs', search: { guide: 'operator' } },
  changed_host_keys: { text: words.changedHostKeys, urgent: true, resource: 'asset', search: inNeed('changed_host_keys') },
  failed_canaries: { text: words.failedCanaries, urgent: true, resource: 'terminal', search: inNeed('failed_canaries') },
  failing_storages: { text: words.failingStorages, urgent: true, resource: 'terminal', search: inNeed('failing_storages') },
  unreachable_assets: { text: words.unreachableAssets, resource: 'asset', search: inNeed('unreachable_assets') },
  failed_pushes: { text: words.failedPushes, resource: 'system_user', search: inNeed('failed_pushes') },
  users_expiring: { text: words.usersExpiring, resource: 'user', search: inNeed('users_expiring') },
  recordings_disk: { text: words.recordingsDisk, urgent: true, list: '/settings', search: { activeTab: 'Terminal' } },
  unrecorded_sessions: {
    text: words.unrecordedSessions,
    urgent: true,
    resource: 'session',
    search: { activeTab: 'OfflineList', ...inNeed('unrecorded_sessions') },
    page: '/terminal/sessions',
  },
  users_without_reviewers: { text: words.usersWithoutReviewers, resource: 'user', search: inNeed('users_without_reviewers') },
  locked_users: { text: words.lockedUsers, resource: 'user', search: inNeed('locked_users') },
  failed_sign_ins: { text: words.failedSignIns, list: '/audits/login-log', search: inNeed('failed_sign_ins') },
  administrators_without_mfa: { text: words.administratorsWithoutMfa, resource: 'user', search: inNeed('administrators_without_mfa') },
  remote_app_permissions_ending: {
    text: words.remoteAppPermissionsEnding,
    resource: 'remote_app_permission',
    search: { ...inNeed('remote_app_permissions_ending'), order: 'date_expired' },
  },
  database_app_permissions_ending: {
    text: words.databaseAppPermissionsEnding,
    resource: 'database_app_permission',
    search: { ...inNeed('database_app_permissions_ending'), order: 'date_expired' },
  },
  permissions_ending: { text: words.permissionsEnding, resource: 'asset_permission', search: { ...inNeed('permissions_ending'), order: 'date_expired' } },
  unused_permissions: { text: words.unusedPermissions, resource: 'asset_permission', list: '/perms/unused-access', search: { kind: 'permission' } },
  unsettled_changes: { text: words.unsettledChanges, urgent: true, resource: 'change_auth_execution', list: '/xpack/change-auth-plan/plan' },
  failed_jobs: { text: words.failedJobs, resource: 'job', search: inNeed('failed_jobs') },
};

const listOf = ({ resource, list }: Kind) => list ?? (resource ? pagesOf(resource).list : '');

function Example({ kind, example: { id, name, amount, date } }: { readonly kind: AttentionKind; readonly example: AttentionExample }) {
  const { resource, page, search } = KINDS[kind];
  const moment = date ? parseDatetime(date) : undefined;
  const target =
    id && resource ? { to: page ? `${page}/${id}` : pagesOf(resource).detail(id) } : { to: listOf(KINDS[kind]), search: { ...search, username: name } };
  return (
    <li>
      <PageLink {...target} className={styles.name ?? ''}>
        {name}
      </PageLink>
      <Text span c="dimmed" fz="xs" {...(date && { title: formatDate(date) })}>
        {[amount !== null && t(words.failures, { count: amount }), moment && formatRelative(moment, new Date())].filter(Boolean).join(' · ')}
      </Text>
    </li>
  );
}

function Item({ item: { kind, count, examples } }: { readonly item: AttentionItem }) {
  const { text, urgent = false, search } = KINDS[kind];
  const free = `${formatNumber(Math.round(((examples[0]?.amount ?? 0) / GIBIBYTE) * 10) / 10)} GiB`;
  // A fact of the installation has no object, at most a date.
  const named = examples.filter(({ name }) => name !== '');
  const date = named.length === 0 ? examples[0]?.date : undefined;
  return (
    <li className={styles.item} {...(urgent && { 'data-urgent': true })}>
      <IconAlertTriangle size={16} aria-hidden="true" />
      <div className={styles.what}>
        <PageLink to={listOf(KINDS[kind])} {...(search && { search })} fw={600} c="inherit">
          {t(text, { count, free })}
        </PageLink>
        {date && (
          <Text c="dimmed" fz="xs" title={formatDate(date)}>
            {formatNear(date, new Date())}
          </Text>
        )}
        {named.length > 0 && (
          <ul className={styles.examples}>
            {named.map((example) => (
              <Example key={example.id ?? example.name} kind={kind} example={example} />
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

/** What needs attention now, with the first objects of each kind; each line leads to them. What is below comes when its height is known. */
export function Attention({ needs: { data, isError }, children }: { readonly needs: Needs; readonly children?: ReactNode }) {
  return (
    <>
      <Card title={t(words.attention)} icon={<IconAlertTriangle size={16} />}>
        {data && data.length > 0 && (
          <ul className={styles.list}>
            {data.map((item) => (
              <Item key={item.kind} item={item} />
            ))}
          </ul>
        )}
        {!data && !isError && <Skeleton height={120} m="md" w="auto" />}
        {(isError || data?.length === 0) && (
          <Text c="dimmed" className={`${detailStyles.body} ${styles.clear}`}>
            {!isError && <IconCircleCheck size={18} aria-hidden="true" />}
            {t(isError ? words.attentionFailed : words.nothingNeeds)}
          </Text>
        )}
      </Card>
      {(data || isError) && children}
    </>
  );
}
