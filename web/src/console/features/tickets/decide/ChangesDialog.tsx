import { Button, Group, Modal, Stack, Switch } from '@mantine/core';
import { type AssetRequest, CONFIRM_FIELDS, type RequestSuggestion } from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../../../kit/api.ts';
import { common, t } from '../../../../kit/i18n/index.ts';
import { RemoteSelect } from '../../../resource/form/RemoteSelect.tsx';
import { ACTION_TREE, ACTION_TREES, AccessPreview, ActionsField } from '../../access/index.ts';
import { ABOUT, referencesOf } from '../request/about.ts';
import { LengthField } from '../request/LengthField.tsx';
import { PresentAccess } from '../request/PresentAccess.tsx';
import { asRequested, consequencesOf, type Decision, missing } from './decisions.ts';
import { words } from './words.ts';

interface ChangesDialogProps {
  readonly request: AssetRequest;
  readonly suggestion: RequestSuggestion;
  readonly onClose: () => void;
  /** Saves the decision. Errors of fields stay in the dialog. */
  readonly onApprove: (decision: Decision) => Promise<void>;
}

/** Grants other access than was asked for, with its effect and the present access in sight. */
export function ChangesDialog({ request, suggestion, onClose, onApprove }: ChangesDialogProps) {
  const { target, user } = request;
  const about = ABOUT[target];
  const [decision, setDecision] = useState(() => asRequested(request, suggestion));
  const change = (part: Partial<Decision>) => setDecision((now) => ({ ...now, ...part }));
  const [busy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Readonly<Record<string, readonly string[]>>>({});
  const problem = (name: string) => problems[name]?.join('; ');
  const [thingsOffered, accountsOffered] = referencesOf(target);
  const isWhole = missing(request, decision) === undefined;

  async function submit(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setProblems({});
    try {
      await onApprove(decision);
    } catch (cause) {
      if (cause instanceof ApiError) setProblems(cause.fields ?? {});
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={t(words.changeTitle)}
      size="lg"
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {thingsOffered && (
            <RemoteSelect
              reference={thingsOffered}
              label={t(CONFIRM_FIELDS[about.confirmed].label)}
              multiple
              required
              value={decision.things}
              onChange={(things) => change({ things })}
              error={problem(about.field)}
            />
          )}
          {accountsOffered && (
            <RemoteSelect
              reference={accountsOffered}
              label={t(CONFIRM_FIELDS.confirmed_system_user.label)}
              multiple
              required
              value={decision.accounts}
              onChange={(accounts) => change({ accounts })}
              error={problem('system_users')}
            />
          )}
          <LengthField
            label={t(words.length)}
            dateLabel={t(CONFIRM_FIELDS.date_expired.label)}
            value={decision.span}
            onChange={(span) => change({ span })}
            error={problem('date_expired') ?? problem('minutes')}
            disabled={busy}
          />
          <UseFields
            target={target}
            decision={decision}
            onChange={change}
            error={problem('actions')}
            disabled={busy}
          />
          {user && (
            <PresentAccess
              user={user}
              target={target}
              things={decision.things}
              suggestion={suggestion}
            />
          )}
          <AccessPreview question={consequencesOf(request, decision)} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy}>
              {t(common.cancel)}
            </Button>
            <Button type="submit" disabled={!isWhole} loading={busy}>
              {t(words.approve)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface UseFieldsProps {
  readonly target: AssetRequest['target'];
  readonly decision: Decision;
  readonly onChange: (part: Partial<Decision>) => void;
  readonly error: string | undefined;
  readonly disabled: boolean;
}

/** The allowed actions, and read-only access to a database. */
function UseFields({ target, decision, onChange, error, disabled }: UseFieldsProps) {
  return (
    <>
      {target !== 'remote_app' && (
        <ActionsField
          name="actions"
          field={CONFIRM_FIELDS.actions}
          label={t(CONFIRM_FIELDS.actions.label)}
          required={false}
          disabled={disabled}
          trees={target === 'database_app' ? [ACTION_TREE] : ACTION_TREES}
          error={error}
          value={decision.actions}
          onChange={(value) => onChange({ actions: Array.isArray(value) ? value.map(String) : [] })}
          onBlur={() => undefined}
          updating
        />
      )}
      {target === 'database_app' && (
        <Switch
          label={t(CONFIRM_FIELDS.is_read_only.label)}
          checked={decision.isReadOnly}
          disabled={disabled}
          onChange={(event) => onChange({ isReadOnly: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
