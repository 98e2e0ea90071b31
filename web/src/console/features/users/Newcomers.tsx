import { Button, Group, Text } from '@mantine/core';
import {
  assetPermission,
  type Newcomers as Created,
  NEWCOMER_FIELDS,
  user,
} from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { later } from '../../../kit/format/typed-date.ts';
import { t } from '../../../kit/i18n/index.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { useGoButton } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import type { FormValues } from '../../resource/form/form-state.ts';
import { ResourceForm } from '../../resource/form/ResourceForm.tsx';
import type { FieldOverrides, FormGroup } from '../../resource/form/spec.ts';
import { useForm } from '../../resource/form/useForm.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { cacheKey } from '../../resource/source.ts';
import { ActionsField, GrantedNodesField } from '../access/index.ts';
import { PermissionSentence } from '../perms/index.ts';
import { SiteNotice } from '../site/index.ts';
import { words } from './words.ts';

const URL = 'users/users/newcomers/';

const GROUPS: readonly FormGroup<keyof typeof NEWCOMER_FIELDS>[] = [
  { title: words.newcomersWho, fields: ['people', 'groups'] },
  { title: words.newcomersWhere, fields: ['assets', 'nodes', 'system_users'] },
  { title: words.newcomersTerms, fields: ['date_expired', 'actions'] },
];

const idsIn = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
const hasTargets = ({ assets, nodes }: FormValues) =>
  idsIn(assets).length + idsIn(nodes).length > 0;

const OVERRIDES: FieldOverrides = {
  nodes: { widget: GrantedNodesField },
  actions: { widget: ActionsField },
  date_expired: { required: true },
};

/** Returns the names in the lines `Name <address>` or `address`. */
const namesIn = (people: unknown): string[] =>
  String(people ?? '')
    .split('\n')
    .map((line) => line.replace(/<[^<>]*>\s*$/, '').trim() || line.trim())
    .filter(Boolean);

/** Says what the new users may do. */
function Effect({ values }: { readonly values: FormValues }) {
  if (!hasTargets(values))
    return (
      <Text fz="sm" c="dimmed" role="status">
        {t(words.newcomersWithoutAccess)}
      </Text>
    );
  return (
    <PermissionSentence
      permission={{
        users: [],
        user_groups: [],
        newcomers: namesIn(values.people),
        assets: idsIn(values.assets),
        nodes: idsIn(values.nodes),
        system_users: idsIn(values.system_users),
        actions: idsIn(values.actions),
        is_active: true,
        date_expired: String(values.date_expired ?? ''),
      }}
    />
  );
}

function NewcomersForm({ onCreated }: { readonly onCreated: (created: Created) => void }) {
  const client = useQueryClient();
  const form = useForm(NEWCOMER_FIELDS, {
    cacheKey: [URL],
    groups: GROUPS,
    overrides: OVERRIDES,
    initial: { date_expired: later(new Date(), 1, 'weeks').toISOString() },
    save: (body) => api.post<Created>(URL, body),
    announce: (saved) =>
      toast.success(t(words.newcomersCreated, { count: (saved as Created).users.length })),
    onSaved: async (saved) => {
      onCreated(saved as Created);
      await Promise.all(
        [user, assetPermission].map((source) =>
          client.invalidateQueries({ queryKey: cacheKey(source) }),
        ),
      );
    },
  });
  return (
    <ResourceForm
      form={form}
      groups={GROUPS}
      overrides={OVERRIDES}
      submitText={words.createNewcomers}
      notice={<Effect values={form.values} />}
      takesFocus
    />
  );
}

/** The new accounts with their links. */
function Result({
  created: { users, permission, mailed },
  onMore,
}: {
  readonly created: Created;
  readonly onMore: () => void;
}) {
  const goButton = useGoButton();
  const title = t(words.newcomersCreated, { count: users.length });
  const all = users.map(({ name, email, link }) => `${name} <${email}> ${link}`).join('\n');
  return (
    <Card title={title}>
      <Text fz="sm" className={styles.sole}>
        {t(mailed ? words.newcomersMailed : words.newcomersLinks)}
      </Text>
      <ul className={styles.list} aria-label={title}>
        {users.map(({ id, name, username, email, link }) => (
          <li key={id} className={styles.row}>
            <div className={styles.what}>
              <Text component="span" fw={500}>
                {name}
              </Text>{' '}
              <Text component="span" fz="sm" c="dimmed">
                {username} · {email}
              </Text>
              {link && (
                <Text fz="xs" className="mono" style={{ overflowWrap: 'anywhere' }}>
                  {link}
                </Text>
              )}
            </div>
            {link && <CopyButton text={link} label={t(words.linkOf, { name })} />}
          </li>
        ))}
      </ul>
      <Group justify="flex-end" gap="xs" className={styles.sole}>
        {!mailed && users.length > 1 && <CopyButton text={all} label={t(words.allLinks)} />}
        {permission && (
          <Button
            size="xs"
            variant="default"
            {...goButton(pagesOf('asset_permission').detail(permission))}
          >
            {t(words.showPermission)}
          </Button>
        )}
        <Button size="xs" onClick={onMore}>
          {t(words.inviteMore)}
        </Button>
      </Group>
    </Card>
  );
}

/** Invites people who have no account yet: accounts, groups and access on one page. */
export function Newcomers() {
  const [created, setCreated] = useState<Created>();
  const { PASSWORD_BY_MAIL: isMailed } = useSession().settings;
  return (
    <>
      <PageHeader hint={t(words.newcomersHint)} onBack={() => history.back()} />
      <SiteNotice isMailed={created?.mailed ?? isMailed} />
      {created ? (
        <Result created={created} onMore={() => setCreated(undefined)} />
      ) : (
        <NewcomersForm onCreated={setCreated} />
      )}
    </>
  );
}
