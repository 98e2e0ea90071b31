import { Alert, Button, Group, List, Loader, Modal, Stack, Table, Text } from '@mantine/core';
import { RESOURCES } from '@sallyport/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { saveText } from '../../../kit/download.ts';
import { formatNumber } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconShieldCheck } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { OutsidePlaces, type OutsideVerdict } from './OutsidePlaces.tsx';
import { VERIFICATION_KEY } from './VerificationBadge.tsx';
import { words } from './words.ts';

interface LogVerdict {
  readonly log: string;
  readonly rows: number;
  readonly removed: number;
  readonly first_break: number | null;
  readonly last_break: number | null;
  readonly sequence: number;
  readonly digest: string;
  /** The rows that SM3 covers, too. Null without SM3. */
  readonly sm3: { readonly first: number; readonly sequence: number } | null;
}

/** Sessions and recordings, compared with the digests recorded at their end. */
interface SessionsVerdict {
  readonly rows: number;
  readonly checked: number;
  readonly wrong: number;
  /** Sessions among them whose recording or commands could not be read. */
  readonly unread: number;
  readonly broken: readonly { readonly session: string; readonly problem: SessionProblem }[];
}

type SessionProblem =
  | 'session_missing'
  | 'session_changed'
  | 'recording_missing'
  | 'recording_changed'
  | 'recording_unreadable'
  | 'commands_unreadable';

/** Response of POST audits/verify/. */
interface Verdict {
  readonly intact: boolean;
  readonly logs: readonly LogVerdict[];
  readonly sessions: SessionsVerdict;
  readonly outside: readonly OutsideVerdict[];
}

function logName(log: string): string {
  if (log === 'session_digest') return t(words.sessionDigests);
  const resource = RESOURCES.find(({ name }) => name === log);
  return resource ? t(resource.title) : log;
}

/** The first and last broken place of a log. */
function place({ first_break: first, last_break: last }: LogVerdict): string {
  const [from, to] = [formatNumber(first ?? 0), formatNumber(last ?? 0)];
  return first === last
    ? t(words.brokenAt, { number: from })
    : t(words.brokenWithin, { first: from, last: to });
}

function Outcome({ verdict: { intact, logs, sessions } }: { readonly verdict: Verdict }) {
  // A server or a storage that does not answer is no change.
  const isUnchanged =
    logs.every((log) => log.first_break === null) && sessions.wrong === sessions.unread;
  const title = intact ? words.allIntact : isUnchanged ? words.notAllRead : words.notIntact;
  return (
    <Alert
      color={intact ? 'green' : isUnchanged ? 'yellow' : 'red'}
      role={intact ? 'status' : 'alert'}
      icon={intact ? <IconShieldCheck size={16} /> : <IconAlertTriangle size={16} />}
      title={t(title)}
    />
  );
}

function Logs({ logs }: Pick<Verdict, 'logs'>) {
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t(words.log)}</Table.Th>
          <Table.Th ta="right">{t(words.rows)}</Table.Th>
          <Table.Th>{t(words.result)}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {logs.map((verdict) => (
          <Table.Tr key={verdict.log}>
            <Table.Td>{logName(verdict.log)}</Table.Td>
            <Table.Td ta="right" className="mono">
              {formatNumber(verdict.rows)}
            </Table.Td>
            <Table.Td>
              {verdict.first_break === null ? (
                <YesNo value yes={t(words.intact)} />
              ) : (
                // Align at the top: on a phone the sentence wraps instead of being cut.
                <Group gap={4} wrap="nowrap" align="flex-start" c="var(--mantine-color-red-text)">
                  <IconAlertTriangle
                    size={16}
                    aria-hidden="true"
                    style={{ flex: 'none', marginTop: 3 }}
                  />
                  <span>{place(verdict)}</span>
                </Group>
              )}
              {verdict.sm3 && verdict.sm3.sequence >= verdict.sm3.first && (
                <Text fz="xs" c="dimmed">
                  {t(words.sm3Rows, {
                    first: formatNumber(verdict.sm3.first),
                    last: formatNumber(verdict.sm3.sequence),
                  })}
                </Text>
              )}
              {verdict.removed > 0 && (
                <Text fz="xs" c="dimmed">
                  {t(words.removed, { count: verdict.removed })}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/**
 * Saves the result with the end of each log. An administrator who keeps the file elsewhere can
 * later show that earlier entries did not change.
 */
function saveProof(verdict: Verdict, verified: number): void {
  const date = new Date(verified).toISOString();
  saveText(
    `sallyport-audit-${date.slice(0, 19).replaceAll(':', '-')}.json`,
    `${JSON.stringify({ server: location.origin, date, ...verdict }, null, 2)}\n`,
  );
}

/** The compared sessions, and those that differ. */
function Sessions({
  verdict: { rows, checked, wrong, unread, broken },
}: {
  readonly verdict: SessionsVerdict;
}) {
  if (rows === 0) return null;
  return (
    <Stack gap={4}>
      <Text fw={600} fz="sm">
        {t(words.sessions)}
      </Text>
      {wrong === 0 ? (
        <YesNo value yes={t(words.sessionsProven)} />
      ) : (
        <>
          <Group
            gap={4}
            wrap="nowrap"
            align="flex-start"
            c={
              wrong > unread ? 'var(--mantine-color-red-text)' : 'var(--mantine-color-yellow-text)'
            }
          >
            <IconAlertTriangle
              size={16}
              aria-hidden="true"
              style={{ flex: 'none', marginTop: 3 }}
            />
            <div>
              {wrong > unread && <div>{t(words.sessionsBroken, { count: wrong - unread })}</div>}
              {unread > 0 && <div>{t(words.sessionsUnread, { count: unread })}</div>}
            </div>
          </Group>
          <List fz="sm">
            {broken.map(({ session, problem }) => (
              <List.Item key={`${session} ${problem}`}>
                <PageLink to={`/terminal/sessions/${session}`} className="mono">
                  {session.slice(0, 8)}
                </PageLink>{' '}
                {t(words[problem])}
              </List.Item>
            ))}
          </List>
          {wrong > broken.length && (
            <Text fz="sm">{t(words.andMore, { count: wrong - broken.length })}</Text>
          )}
        </>
      )}
      {checked < rows && (
        <Text fz="xs" c="dimmed">
          {t(words.sessionsLeft, { checked: formatNumber(checked), rows: formatNumber(rows) })}
        </Text>
      )}
    </Stack>
  );
}

/**
 * The server recomputes the chains of all logs; the dialog shows for each log that it is intact, or
 * the first difference.
 */
export function VerifyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const verdict = useQuery({
    queryKey: ['audits', 'verify'],
    queryFn: async ({ signal }) => {
      const answer = await api.post<Verdict>('audits/verify/', {}, { signal, quiet: true });
      void client.invalidateQueries({ queryKey: VERIFICATION_KEY });
      return answer;
    },
    // No caching: an old result proves nothing. No refetch on focus: walking a long log is
    // expensive.
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const { data, dataUpdatedAt, error, isFetching } = verdict;
  return (
    <Modal opened onClose={onClose} title={t(words.verifyTitle)} size="lg">
      <Stack>
        <Text c="dimmed" fz="sm">
          {t(words.verifyHint)}
        </Text>
        {isFetching && (
          <Group gap="xs" role="status" mih={40}>
            <Loader size="sm" aria-hidden="true" />
            {t(words.verifying)}
          </Group>
        )}
        {!isFetching && error && (
          <Alert
            color="red"
            role="alert"
            icon={<IconAlertTriangle size={16} />}
            title={t(words.verifyFailed)}
          >
            {error.message}
          </Alert>
        )}
        {!isFetching && !error && data && (
          <>
            <Outcome verdict={data} />
            <Logs logs={data.logs} />
            <OutsidePlaces places={data.outside} />
            <Sessions verdict={data.sessions} />
          </>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t(common.close)}
          </Button>
          {!isFetching && !error && data && (
            <Button
              variant="default"
              title={t(words.saveProofHint)}
              onClick={() => saveProof(data, dataUpdatedAt)}
            >
              {t(words.saveProof)}
            </Button>
          )}
          <Button loading={isFetching} onClick={() => void verdict.refetch()}>
            {t(words.verifyAgain)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
