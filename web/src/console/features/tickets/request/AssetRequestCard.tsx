import { Button, Stack, Switch, Text } from '@mantine/core';
import {
  type AssetRequest,
  CONFIRM_FIELDS,
  type ConsequencesQuestion,
  type RequestSuggestion,
} from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError, api } from '../../../../kit/api.ts';
import { toast } from '../../../../kit/dialogs/toast.tsx';
import { common, t } from '../../../../kit/i18n/index.ts';
import { useSession } from '../../../base/session.tsx';
import { Card } from '../../../resource/detail/Cards.tsx';
import detail from '../../../resource/detail/Detail.module.css';
import { DateTimeField } from '../../../resource/form/DateTimeField.tsx';
import { RemoteSelect } from '../../../resource/form/RemoteSelect.tsx';
import { AccessPreview } from '../../access/AccessPreview.tsx';
import { ActionsField } from '../../perms/ActionsField.tsx';
import { ACTION_TREE, ACTION_TREES } from '../../perms/actions.ts';
import { ABOUT, REQUEST_KEY, referencesOf } from './about.ts';
import { PresentAccess } from './PresentAccess.tsx';
import { words } from './words.ts';

const URL = 'tickets/request-asset-perm/';

interface AssetRequestDecisionProps {
  readonly request: AssetRequest;
  readonly suggestion: RequestSuggestion | null;
  readonly refresh: () => Promise<void>;
  readonly children: ReactNode;
}

/**
 * Decides on an access request: assets, accounts, actions and duration. Shows the effect and the
 * requester's present access.
 */
export function AssetRequestDecision({
  request,
  suggestion,
  refresh,
  children,
}: AssetRequestDecisionProps) {
  const { profile, organization } = useSession();
  const here = (organization?.id === 'DEFAULT' ? '' : (organization?.id ?? '')) === request.org_id;
  const decides =
    request.status === 'open' &&
    request.assignees.includes(profile.id) &&
    request.user !== profile.id;
  if (!decides) return children;
  if (!here) {
    return (
      <>
        <Card title={t(words.decide)}>
          <Text className={detail.body ?? ''}>
            {t(words.elsewhere, { name: request.org_name })}
          </Text>
        </Card>
        {children}
      </>
    );
  }
  if (!suggestion) return children;
  return (
    <>
      <Decision key={request.status} request={request} suggestion={suggestion} refresh={refresh} />
      {children}
    </>
  );
}

const confirmedOf = (request: AssetRequest) => request[ABOUT[request.target].confirmed];

interface DecisionProps {
  readonly request: AssetRequest;
  readonly suggestion: RequestSuggestion;
  readonly refresh: () => Promise<void>;
}

function Decision({ request, suggestion, refresh }: DecisionProps) {
  const client = useQueryClient();
  const [confirmed, confirmedAccounts] = [confirmedOf(request), request.confirmed_system_user];
  const [things, setThings] = useState(
    confirmed.length > 0 ? confirmed : suggestion.things.map(({ id }) => id),
  );
  const [accounts, setAccounts] = useState(
    confirmedAccounts.length > 0 ? confirmedAccounts : suggestion.accounts,
  );
  const [actions, setActions] = useState<readonly string[]>(request.actions);
  const [isReadOnly, setReadOnly] = useState(request.is_read_only);
  const [end, setEnd] = useState(request.date_expired);
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, readonly string[]>>>({});
  const problem = (name: string) => problems[name]?.join('; ');
  const { target } = request;
  const about = ABOUT[target];
  const [thingsOffered, accountsOffered] = referencesOf(target);
  const body = {
    [about.confirmed]: things,
    confirmed_system_user: accounts,
    actions,
    is_read_only: isReadOnly,
    date_expired: end,
  };
  const isWhole = things.length > 0 && accounts.length > 0 && request.user !== null;

  const questionOf = (user: string): ConsequencesQuestion => ({
    action: 'save',
    resource: about.permission,
    ids: [],
    users: [user],
    user_groups: [],
    [about.field]: things,
    system_users: accounts,
    ...(target === 'asset' && { nodes: [] }),
    ...(target !== 'remote_app' && { actions }),
    ...(target === 'database_app' && { is_read_only: isReadOnly }),
    is_active: true,
    date_start: request.date_start,
    date_expired: end,
  });

  async function grant() {
    setBusy(true);
    setProblems({});
    try {
      await api.post(`${URL}${request.id}/approve/`, body);
      toast.success(t(common.updateSuccess));
    } catch (cause) {
      if (cause instanceof ApiError) setProblems(cause.fields ?? {});
    } finally {
      await client.invalidateQueries({ queryKey: REQUEST_KEY });
      await refresh();
      setBusy(false);
    }
  }

  return (
    <Card title={t(words.decide)}>
      <Stack className={detail.body ?? ''} gap="sm">
        {thingsOffered && (
          <RemoteSelect
            reference={thingsOffered}
            label={t(CONFIRM_FIELDS[about.confirmed].label)}
            multiple
            required
            value={things}
            onChange={setThings}
            error={problem(about.field)}
          />
        )}
        {accountsOffered && (
          <RemoteSelect
            reference={accountsOffered}
            label={t(CONFIRM_FIELDS.confirmed_system_user.label)}
            multiple
            required
            value={accounts}
            onChange={setAccounts}
            error={problem('system_users')}
          />
        )}
        {target !== 'remote_app' && (
          <ActionsField
            name="actions"
            field={CONFIRM_FIELDS.actions}
            label={t(CONFIRM_FIELDS.actions.label)}
            required={false}
            disabled={busy}
            trees={target === 'database_app' ? [ACTION_TREE] : ACTION_TREES}
            error={problem('actions')}
            value={actions}
            onChange={(value) => setActions(Array.isArray(value) ? value.map(String) : [])}
            onBlur={() => undefined}
            updating
          />
        )}
        {target === 'database_app' && (
          <Switch
            label={t(CONFIRM_FIELDS.is_read_only.label)}
            checked={isReadOnly}
            disabled={busy}
            onChange={(event) => setReadOnly(event.currentTarget.checked)}
          />
        )}
        <DateTimeField
          label={t(CONFIRM_FIELDS.date_expired.label)}
          value={end}
          onChange={setEnd}
          error={problem('date_expired')}
          isEnd
          mustEnd
          required
        />
        {request.user && (
          <PresentAccess
            user={request.user}
            target={target}
            things={things}
            suggestion={suggestion}
          />
        )}
        <AccessPreview question={isWhole && request.user ? questionOf(request.user) : undefined} />
        <Button disabled={!isWhole || busy} loading={busy} onClick={() => void grant()}>
          {t(words.grant)}
        </Button>
      </Stack>
    </Card>
  );
}
