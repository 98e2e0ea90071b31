import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { agent, agentCall, allows, Permission, type Row } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle } from '../../../kit/icons.ts';
import { CopyButton } from '../../../kit/identity/CopyButton.tsx';
import { PageLink } from '../../base/navigation.tsx';
import { usePages } from '../../base/resources.ts';
import { useSession } from '../../base/session.tsx';
import { DetailPage, factsTab } from '../../resource/detail/DetailPage.tsx';
import { ResourceList } from '../../resource/list/ResourceList.tsx';
import { useBreakpoints } from '../useBreakpoints.ts';
import { type Agent, isLive, tokenKey, useEnding } from './agent-actions.ts';
import { words } from './words.ts';

type Call = Row<typeof agentCall>;

const EVERY_MS = 5_000;
// Calls have no detail page.
const nowhere = () => undefined;

function Line({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text fz="sm" c="dimmed" miw={80}>
        {label}
      </Text>
      <span className="mono" style={{ overflowWrap: 'anywhere' }}>
        {value}
      </span>
      <CopyButton text={value} label={label} />
    </Group>
  );
}

/** The token of an agent that this page has just created, once. */
function NewToken({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const { data } = useQuery<string>({ queryKey: tokenKey(id), enabled: false });
  if (!data) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle size={18} />}
      title={t(words.newToken)}
      role="status"
      mb="md"
    >
      <Stack gap="xs">
        <Text fz="sm">{t(words.tokenOnce)}</Text>
        <Line label={t(words.address)} value={`${location.origin}/mcp`} />
        <Line label={t(agent.fields.token.label)} value={data} />
        <Group justify="flex-end">
          <Button size="xs" onClick={() => client.setQueryData(tokenKey(id), '')}>
            {t(words.done)}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** The calls of one agent, newest first. */
function Calls({ id }: { readonly id: string }) {
  const { phone } = useBreakpoints();
  const { role } = useSession();
  const { detail: sessionPage } = usePages('session');
  const mayReplay = allows(role.current, Permission.AUDIT);
  return (
    <ResourceList<Call>
      source={agentCall}
      base={{ agent: id }}
      embedded
      link={nowhere}
      refetchEvery={EVERY_MS}
      emptyTitle={t(words.noCalls)}
      emptyHint={t(words.noCallsHint)}
      columns={[
        { name: 'date_start', hidden: phone },
        { name: 'host', essential: true },
        { name: 'tool', hidden: phone, cell: ({ tool_display: tool }) => tool },
        { name: 'input', mono: true, essential: true },
        { name: 'reason', hidden: phone },
        { name: 'state', cell: ({ state_display: state }) => state },
        { name: 'detail', hidden: phone },
        { name: 'exit_code', hidden: phone, width: 100 },
        {
          name: 'session_id',
          label: words.replay,
          cell: ({ session_id: session }) =>
            session &&
            (mayReplay && sessionPage ? (
              <PageLink to={sessionPage(session)}>{t(words.replay)}</PageLink>
            ) : (
              <span className="mono">{session.slice(0, 8)}</span>
            )),
        },
      ]}
    />
  );
}

/** One agent: its leash, its budget and its calls. */
export function AgentDetail() {
  const ending = useEnding();
  return (
    <DetailPage<Agent>
      source={agent}
      refetchEvery={EVERY_MS}
      lead={({ id }) => <NewToken id={id} />}
      buttons={(row) =>
        isLive(row) && (
          <Button color="red" onClick={() => ending.one(row)}>
            {t(words.end)}
          </Button>
        )
      }
      tabs={(row) => [
        { name: 'Calls', label: t(words.calls), render: () => <Calls id={row.id} /> },
        {
          ...factsTab(agent, row, [
            'name',
            'client',
            'owner',
            'state_display',
            'task',
            'hosts',
            'databases',
            'accounts',
            'command_mode',
            'commands',
            'files',
            'statements',
            'denied',
            'minutes',
            'used_commands',
            'max_commands',
            'used_bytes',
            'max_kib',
            'used_rows',
            'max_rows',
            'date_created',
            'date_expired',
            'date_last_used',
            'date_ended',
            'ended_by',
          ]),
          label: t(words.leash),
        },
      ]}
    />
  );
}
