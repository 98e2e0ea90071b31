import { Badge, Box, Table, Text } from '@mantine/core';
import {
  ERRORS,
  type ErrorCode,
  type LocalText,
  type SessionInvitation,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { IconUsers } from '../../../../kit/icons.ts';
import { Card } from '../../../resource/detail/Cards.tsx';
import { Moment } from '../../../resource/list/table/Moment.tsx';
import type { Session } from '../session-actions.ts';
import { words } from './words.ts';

const LIVE = 5_000;
const STATES = {
  open: words.open,
  joined: words.joined,
  left: words.left,
  ended: words.ended,
} as const;
/** Texts for auditors; guests see other texts. */
const REASONS: Readonly<Record<string, LocalText>> = {
  session_finished: words.sessionEnded,
  session_signed_out: words.signedOut,
  invitation_ended: words.byOwner,
  connect_expired: words.permissionEnded,
};

function reasonOf({ end_reason: code }: SessionInvitation): string {
  if (!code) return '';
  const text =
    REASONS[code] ?? (Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : undefined);
  return text ? t(text) : code;
}

function Row({ invitation }: { readonly invitation: SessionInvitation }) {
  const {
    guest,
    for_username: name,
    may_type: mayType,
    state,
    date_joined: joined,
    date_left: left,
    remote_addr: address,
  } = invitation;
  return (
    <Table.Tr>
      <Table.Td>
        {guest ?? (name === null ? t(words.anybody) : t(words.forUser, { name }))}
        {address === null ? null : (
          <Text fz="xs" c="dimmed">
            {address}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={mayType ? 'red' : 'gray'}>
          {t(mayType ? words.typed : words.watched)}
        </Badge>
      </Table.Td>
      <Table.Td>
        <Moment date={invitation.date_created} exact />
      </Table.Td>
      <Table.Td>
        {joined !== null && <Moment date={joined} exact />}
        {left === null ? null : (
          <>
            {' – '}
            <Moment date={left} exact />
          </>
        )}
      </Table.Td>
      <Table.Td>
        {t(STATES[state])}
        <Text fz="xs" c="dimmed">
          {reasonOf(invitation)}
        </Text>
      </Table.Td>
    </Table.Tr>
  );
}

/** Guests invited into a session, with their visits; renders nothing without invitations. */
export function SessionGuests({ session }: { readonly session: Session }) {
  const { data } = useQuery({
    queryKey: ['session-guests', session.id, session.is_finished],
    queryFn: ({ signal }) =>
      api.get<readonly SessionInvitation[]>(`terminal/sessions/${session.id}/invitations/`, {
        signal,
        quiet: true,
      }),
    refetchInterval: session.is_finished ? false : LIVE,
  });
  if (!data || data.length === 0) return null;
  return (
    <Box mt={20}>
      <Card title={t(words.title)} icon={<IconUsers size={16} />}>
        <Table.ScrollContainer minWidth={640}>
          <Table fz="sm">
            <Table.Thead>
              <Table.Tr>
                {[words.guest, words.mayDo, words.invited, words.here, words.state].map((label) => (
                  <Table.Th key={label.en}>{t(label)}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.map((invitation) => (
                <Row key={invitation.id} invitation={invitation} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Card>
    </Box>
  );
}
