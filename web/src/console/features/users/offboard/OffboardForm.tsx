import { Alert, Button, Checkbox, Group, List, Radio, Stack, Text, Textarea } from '@mantine/core';
import {
  OFFBOARDING_REASON_MAX,
  OFFBOARDING_WAYS,
  type OffboardingPlan,
  type OffboardingWay,
} from '@sallyport/contract';
import { type FormEvent, useState } from 'react';
import { common, t } from '../../../../kit/i18n/index.ts';
import { endingLines, namesOf } from './lines.ts';
import { words } from './words.ts';

/** The request body. */
export interface OffboardingWish {
  readonly way: OffboardingWay;
  readonly reason: string;
  readonly public_key: boolean;
  readonly groups: boolean;
  readonly permissions: boolean;
}

interface OffboardFormProps {
  readonly plan: OffboardingPlan;
  /** The user leaves one organization; the account remains. */
  readonly isHere: boolean;
  readonly onClose: () => void;
  /** Runs the offboarding. Returns the error of the reason field, or undefined. */
  readonly submit: (wish: OffboardingWish) => Promise<string | undefined>;
}

/** Returns the consequences that the user may choose. `leaves`: the account itself remains. */
function choicesOf({ facts, may_remove_key: mayRemoveKey }: OffboardingPlan, leaves: boolean) {
  const choices = [
    {
      key: 'public_key',
      isOffered: facts.public_key && mayRemoveKey && !leaves,
      label: t(words.alsoKey),
    },
    {
      key: 'groups',
      isOffered: facts.groups.count > 0,
      label: t(words.alsoGroups, { count: facts.groups.count, names: namesOf(facts.groups) }),
    },
    {
      key: 'permissions',
      isOffered: facts.permissions.count > 0,
      label: t(words.alsoPermissions, {
        count: facts.permissions.count,
        names: namesOf(facts.permissions),
      }),
    },
  ] as const;
  return choices.filter(({ isOffered }) => isOffered);
}

/** Options, consequences and reason of an offboarding. */
export function OffboardForm({ plan, isHere, onClose, submit }: OffboardFormProps) {
  const { facts, accounts, refusals } = plan;
  const [way, setWay] = useState<OffboardingWay>(refusals.disable === null ? 'disable' : 'remove');
  const [also, setAlso] = useState({ public_key: true, groups: true, permissions: true });
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const removes = way === 'remove';
  // When leaving only an organization, the account keeps its sign-in sessions and keys.
  const lines = endingLines(removes && isHere ? { ...facts, sign_ins: 0, access_keys: 0 } : facts);
  const choices = choicesOf(plan, removes && isHere);

  async function onSubmit(event: FormEvent) {
    event.preventDefault();
    if (reason.trim() === '') {
      setProblem(t(common.required));
      return;
    }
    setBusy(true);
    try {
      setProblem(await submit({ way, reason: reason.trim(), ...also }));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <WayField refusals={refusals} isHere={isHere} disabled={busy} way={way} onChange={setWay} />
        <Consequences lines={lines} />
        {choices.length > 0 && (
          <Checkbox.Group
            label={t(words.also)}
            value={choices.filter(({ key }) => removes || also[key]).map(({ key }) => key)}
            onChange={(keys) =>
              setAlso({
                public_key: keys.includes('public_key'),
                groups: keys.includes('groups'),
                permissions: keys.includes('permissions'),
              })
            }
          >
            <Stack gap="xs" mt={4}>
              {choices.map(({ key, label }) => (
                <Checkbox key={key} value={key} label={label} disabled={busy || removes} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        {accounts.length > 0 && (
          <Alert color="yellow" role="note">
            {t(words.rotateLater, { count: accounts.length })}
          </Alert>
        )}
        <Textarea
          label={t(words.reason)}
          withAsterisk
          autoFocus
          rows={2}
          maxLength={OFFBOARDING_REASON_MAX}
          value={reason}
          error={problem}
          disabled={busy}
          onChange={(event) => {
            setReason(event.currentTarget.value.replace(/\s*\n\s*/g, ' '));
            setProblem(undefined);
          }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={busy}>
            {t(common.cancel)}
          </Button>
          <Button type="submit" color="red" loading={busy}>
            {t(words.confirm)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface WayFieldProps {
  readonly refusals: OffboardingPlan['refusals'];
  readonly isHere: boolean;
  readonly disabled: boolean;
  readonly way: OffboardingWay;
  readonly onChange: (way: OffboardingWay) => void;
}

/** Chooses between disabling the account and removing it. */
function WayField({ refusals, isHere, disabled, way, onChange }: WayFieldProps) {
  const texts = {
    disable: [words.disable, words.disableHint],
    remove: isHere ? [words.removeHere, words.removeHereHint] : [words.remove, words.removeHint],
  } as const;
  return (
    <Radio.Group
      label={t(words.way)}
      value={way}
      onChange={(value) => onChange(value === 'remove' ? 'remove' : 'disable')}
    >
      <Stack gap="xs" mt={4}>
        {OFFBOARDING_WAYS.map((value) => (
          <Radio
            key={value}
            value={value}
            label={t(texts[value][0])}
            description={refusals[value] ?? t(texts[value][1])}
            disabled={disabled || refusals[value] !== null}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}

function Consequences({ lines }: { readonly lines: readonly string[] }) {
  return (
    <section aria-label={t(words.follows)} aria-live="polite">
      <Text fw={600} fz="sm">
        {t(words.follows)}
      </Text>
      {lines.length === 0 ? (
        <Text fz="sm" c="dimmed">
          {t(words.nothing)}
        </Text>
      ) : (
        <List size="sm">
          {lines.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
    </section>
  );
}
