import { Alert, Anchor, Button, List, Stack, Text } from '@mantine/core';
import { type AgentDecision, agent, type AgentConsent as Consent } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { toast } from '../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../kit/i18n/index.ts';
import { failureText } from '../../../kit/identity/failure.ts';
import { useSearchRecord } from '../../base/navigation.tsx';
import { useProfile } from '../../base/session.tsx';
import { ResourceForm } from '../../resource/form/ResourceForm.tsx';
import { useResourceForm } from '../../resource/form/useResourceForm.ts';
import { PageHeader } from '../../resource/PageHeader.tsx';
import { useFreshFactor } from '../mfa/index.ts';
import { LEASH_FIELDS, LEASH_GROUPS } from './leash-groups.ts';
import { leashText } from './leash-text.ts';
import { words } from './words.ts';

const BASE = 'agents/consents/';
const GROUPS = [{ title: words.agent, fields: ['name', 'task'] as const }, ...LEASH_GROUPS];

/** Takes the browser back to the program with the decision. */
function Leaving({ to }: { readonly to: string }) {
  useEffect(() => location.assign(to), [to]);
  return (
    <Stack gap="sm">
      <Text role="status">{t(words.returning)}</Text>
      <Anchor href={to}>{t(words.returnLink)}</Anchor>
    </Stack>
  );
}

/** Facts about the program that asks. */
function Program({ consent }: { readonly consent: Consent }) {
  const { name, username } = useProfile();
  const { client, redirect, is_local: isLocal, remote_addr: address } = consent;
  const facts = [
    [t(words.program), client],
    [t(words.redirect), isLocal ? t(words.onThisMachine, { address: redirect }) : redirect],
    [t(words.askedFrom), address],
    [t(words.ownAccount), `${name} (${username})`],
  ];
  return (
    <Alert color="yellow" mb="md" title={t(words.asks)}>
      <Text fz="sm" mb="xs">
        {t(words.asksHint)}
      </Text>
      {facts.map(([label, value]) => (
        <Text key={label} fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {label}: <strong>{value}</strong>
        </Text>
      ))}
    </Alert>
  );
}

interface DecisionProps {
  readonly request: string;
  readonly consent: Consent;
  readonly onDecided: (redirect: string) => void;
}

/** The leash that the user sets, in words, and the decision. */
function Decision({ request, consent, onDecided }: DecisionProps) {
  const { proveFresh, question } = useFreshFactor();
  const [isDenying, setDenying] = useState(false);
  const form = useResourceForm(agent, '', {
    groups: GROUPS,
    overrides: LEASH_FIELDS,
    initial: { name: consent.client },
    agree: proveFresh,
    toBody: (body) => ({ ...body, request }),
    onSaved: async (saved) => onDecided((saved as AgentDecision).redirect),
  });
  async function deny() {
    setDenying(true);
    try {
      onDecided(
        (await api.post<AgentDecision>(`${BASE}${request}/deny/`, {}, { quiet: true })).redirect,
      );
    } catch (cause) {
      toast.error(t(common.updateFailed), failureText(cause));
      setDenying(false);
    }
  }
  return (
    <>
      <ResourceForm
        form={form}
        groups={GROUPS}
        overrides={LEASH_FIELDS}
        submitText={words.allow}
        extra={
          <Button variant="default" loading={isDenying} onClick={() => void deny()}>
            {t(words.deny)}
          </Button>
        }
        notice={
          <Alert color="gray" mt="md">
            <Text fz="sm">{t(words.mayDo, { client: consent.client })}</Text>
            <List size="sm">
              {leashText(form.values).map((line) => (
                <List.Item key={line} style={{ overflowWrap: 'anywhere' }}>
                  {line}
                </List.Item>
              ))}
            </List>
          </Alert>
        }
      />
      {question}
    </>
  );
}

/** Finds the program that asks, and shows it or the error. */
function Asked({ request }: { readonly request: string }) {
  const [redirect, setRedirect] = useState<string>();
  const query = useQuery({
    queryKey: ['agent-consent', request],
    queryFn: ({ signal }) =>
      api.get<Consent>(`${BASE}${encodeURIComponent(request)}/`, { signal, quiet: true }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (redirect !== undefined) return <Leaving to={redirect} />;
  if (query.error)
    return (
      <Alert color="red" role="alert">
        {query.error instanceof ApiError && query.error.status === 404
          ? t(words.over)
          : failureText(query.error)}
      </Alert>
    );
  if (!query.data) return null;
  return (
    <>
      <Program consent={query.data} />
      <Decision request={request} consent={query.data} onDecided={setRedirect} />
    </>
  );
}

/** The page on which a user decides about a program that asks to be an agent. */
export function AgentConsent() {
  const { request, problem } = useSearchRecord();
  return (
    <>
      <PageHeader />
      {typeof request === 'string' && problem === undefined ? (
        <Asked key={request} request={request} />
      ) : (
        <Alert color="red" role="alert">
          {t(problem === 'redirect' ? words.unknownRedirect : words.unknownClient)}
        </Alert>
      )}
    </>
  );
}
