import {
  Alert,
  Badge,
  Button,
  Group,
  NativeSelect,
  Skeleton,
  Text,
  TextInput,
} from '@mantine/core';
import {
  SCIM_SOURCES,
  type ScimToken,
  type ScimTokenCreated,
  USUAL_SCIM_SOURCE,
} from '@sallyport/contract';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { formatDate } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconKey } from '../../../kit/icons.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { failureText } from '../../../kit/identity/failure.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import styles from './Settings.module.css';
import { words } from './words.ts';

const URL = 'settings/scim/tokens/';
const KEY = ['scim-tokens'];
/** Query key of the new token, while it is visible. */
const MADE = ['scim-token-made'];
/** Milliseconds that the token stays in memory after the page closes. */
const KEPT = 60_000;
const QUIET = { quiet: true } as const;
const DAY = 86_400_000;
/** Lifetimes of a new token in days. */
const DAYS = [90, 365, 1_095];

const sourceLabel = (source: string) => {
  const known = SCIM_SOURCES.find(({ value }) => value === source);
  return known ? t(known.label) : source;
};

function Fresh({
  created,
  onDone,
}: {
  readonly created: ScimTokenCreated;
  readonly onDone: () => void;
}) {
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle size={18} />}
      title={t(words.newToken, { name: created.name })}
      role="status"
      mb="md"
    >
      {t(words.tokenOnce)}
      <div className={styles.token}>
        <span className="mono">{created.token}</span>
        <CopyButton text={created.token} label={t(words.token)} />
      </div>
      <Group justify="flex-end" mt="xs">
        <Button size="xs" onClick={onDone}>
          {t(common.close)}
        </Button>
      </Group>
    </Alert>
  );
}

/** The new token, until the user closes it. */
function useCreated() {
  const client = useQueryClient();
  // Keep the new token in the query cache: saving the surrounding form remounts it, and the token
  // must survive.
  const { data: created = null } = useQuery<ScimTokenCreated | null>({
    queryKey: MADE,
    queryFn: skipToken,
    gcTime: KEPT,
  });
  return {
    created,
    setCreated: (token: ScimTokenCreated | null) => client.setQueryData(MADE, token),
  };
}

/** Creates and revokes SCIM tokens. A new token is visible once. */
export function ScimTokens() {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => api.get<readonly ScimToken[]>(URL, { signal }),
    staleTime: 0,
  });
  const { created, setCreated } = useCreated();
  const refresh = () => client.invalidateQueries({ queryKey: KEY });
  if (query.error) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) return <Skeleton height={160} />;

  const revoke = (token: ScimToken) =>
    askFirst({
      message: t(words.revokeQuestion, { name: token.name }),
      confirm: t(words.revoke),
      danger: true,
      success: t(common.deleteSuccess),
      run: async () => {
        await api.delete(`${URL}${token.id}/`, QUIET);
        if (created?.id === token.id) setCreated(null);
        await refresh();
      },
    });

  return (
    <div className={styles.tokens}>
      <Card title={t(words.tokens)} icon={<IconKey size={16} />}>
        <div className={styles.inside}>
          {created && <Fresh created={created} onDone={() => setCreated(null)} />}
          <Text fz="sm" c="dimmed" mb="sm">
            {t(words.tokensHint)} <span className="mono">{`${location.origin}/scim/v2`}</span>
          </Text>
          {query.data.map((token) => (
            <Token key={token.id} token={token} onRevoke={() => revoke(token)} />
          ))}
          <TokenForm onCreated={setCreated} refresh={refresh} />
        </div>
      </Card>
    </div>
  );
}

function Token({ token, onRevoke }: { readonly token: ScimToken; readonly onRevoke: () => void }) {
  return (
    <div className={styles.token}>
      <div>
        <Text component="span" fw={500}>
          {token.name}
        </Text>{' '}
        <Badge size="sm" variant="light" color="gray">
          {sourceLabel(token.source)}
        </Badge>{' '}
        {token.is_expired && (
          <Badge size="sm" variant="light" color="red">
            {t(words.tokenOver)}
          </Badge>
        )}
        {!token.is_approved && (
          <Badge size="sm" variant="light" color="orange">
            {t(words.tokenWaits)}
          </Badge>
        )}
        <Text fz="xs" c="dimmed">
          {t(words.tokenEnds, { date: formatDate(token.date_expired) })}
          {' · '}
          {token.date_last_used
            ? t(words.tokenUsed, {
                date: formatDate(token.date_last_used),
                address: token.last_addr,
              })
            : t(words.tokenUnused)}
        </Text>
      </div>
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        aria-label={`${t(words.revoke)}: ${token.name}`}
        onClick={onRevoke}
      >
        {t(words.revoke)}
      </Button>
    </div>
  );
}

/** Name, source and lifetime of a new token. */
function TokenForm({
  onCreated,
  refresh,
}: {
  readonly onCreated: (token: ScimTokenCreated) => void;
  readonly refresh: () => Promise<void>;
}) {
  const [name, setName] = useState('');
  const [source, setSource] = useState<string>(USUAL_SCIM_SOURCE);
  const [days, setDays] = useState('365');
  const [busy, setBusy] = useState(false);

  async function create() {
    setBusy(true);
    try {
      const date_expired = new Date(Date.now() + Number(days) * DAY).toISOString();
      onCreated(
        await api.post<ScimTokenCreated>(URL, { name: name.trim(), source, date_expired }, QUIET),
      );
      setName('');
    } catch (cause) {
      toast.error(t(common.createFailed), failureText(cause));
    }
    setBusy(false);
    await refresh();
  }

  return (
    <Group gap="xs" align="end" mt="sm">
      <TextInput
        label={t(words.tokenName)}
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={t(words.tokenSource)}
        value={source}
        data={SCIM_SOURCES.map(({ value, label }) => ({ value, label: t(label) }))}
        onChange={(event) => setSource(event.currentTarget.value)}
      />
      <NativeSelect
        label={t(words.tokenLasts)}
        value={days}
        data={DAYS.map((count) => ({
          value: String(count),
          label: t(words.tokenDays, { count }),
        }))}
        onChange={(event) => setDays(event.currentTarget.value)}
      />
      <Button
        variant="default"
        loading={busy}
        disabled={!name.trim()}
        onClick={() => void create()}
      >
        {t(words.makeToken)}
      </Button>
    </Group>
  );
}
