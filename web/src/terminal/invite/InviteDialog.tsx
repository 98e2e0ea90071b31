import {
  Alert,
  Badge,
  Button,
  Group,
  Loader,
  Modal,
  NativeSelect,
  Radio,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import {
  INVITATION_MINUTES,
  type NewSessionInvitation,
  type SessionInvitation,
  type SessionSharing,
  secretLink,
} from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../kit/api.ts';
import { copyText } from '../../kit/clipboard.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { language, t } from '../../kit/i18n/index.ts';
import styles from './Invite.module.css';
import { endInvitation, invitationsPath } from './invitations.ts';
import { words } from './words.ts';

const LIVE_MS = 3_000;
const FIRST_MINUTES = 15;
const STATES = { open: words.open, joined: words.joined, left: words.left } as const;

interface Props {
  readonly session: string;
  readonly asset: string;
  readonly onClose: () => void;
}

function Open({
  invitation,
  onEnd,
}: {
  readonly invitation: SessionInvitation;
  readonly onEnd: () => void;
}) {
  const name = invitation.guest ?? invitation.for_username ?? t(words.anybody);
  return (
    <li>
      <span className={styles.name}>{name}</span>
      <Badge variant="light" color={invitation.may_type ? 'red' : 'gray'}>
        {t(invitation.may_type ? words.type : words.watch)}
      </Badge>
      <span className={styles.state}>
        {invitation.state === 'ended' ? '' : t(STATES[invitation.state])}
      </span>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t(words.endNamed, { name })}
        onClick={onEnd}
      >
        {t(words.end)}
      </Button>
    </li>
  );
}

function Made({ secret }: { readonly secret: string }) {
  const link = secretLink('guest', { site: window.location.origin, secret, language });
  return (
    <Alert color="teal">
      <TextInput
        label={t(words.link)}
        description={t(words.linkHint)}
        value={link}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        mt="sm"
        size="xs"
        data-autofocus
        onClick={() =>
          void copyText(link).then((copied) =>
            copied ? toast.success(t(words.copied)) : toast.error(t(words.notCopied)),
          )
        }
      >
        {t(words.copy)}
      </Button>
    </Alert>
  );
}

/** A new invitation: what the user chose, and the link after its creation. */
function useNewInvitation(session: string, onChange: () => Promise<unknown>) {
  const [mayType, setMayType] = useState('watch');
  const [minutes, setMinutes] = useState(String(FIRST_MINUTES));
  const [username, setUsername] = useState('');
  const [made, setMade] = useState<NewSessionInvitation | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const create = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const body = { may_type: mayType === 'type', minutes, for_username: username.trim() };
      setMade(
        await api.post<NewSessionInvitation>(invitationsPath(session), body, { quiet: true }),
      );
      await onChange();
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : '');
    } finally {
      setBusy(false);
    }
  };
  const end = (id: string) => {
    if (made?.id === id) setMade(null);
    void endInvitation(session, id).then(onChange);
  };
  const fields = { mayType, setMayType, minutes, setMinutes, username, setUsername };
  return { ...fields, made, isBusy, error, create, end };
}

function InvitationForm({
  invitation,
}: {
  readonly invitation: ReturnType<typeof useNewInvitation>;
}) {
  const { error } = invitation;
  return (
    <form onSubmit={(event) => void invitation.create(event)}>
      <Stack gap="sm">
        <Radio.Group
          label={t(words.what)}
          value={invitation.mayType}
          onChange={invitation.setMayType}
        >
          <Group mt={6}>
            <Radio value="watch" label={t(words.watch)} />
            <Radio value="type" label={t(words.type)} />
          </Group>
        </Radio.Group>
        <NativeSelect
          label={t(words.validFor)}
          value={invitation.minutes}
          onChange={(event) => invitation.setMinutes(event.currentTarget.value)}
          data={INVITATION_MINUTES.map((one) => ({
            value: String(one),
            label: one === 0 ? t(words.whole) : t(words.minutes, { minutes: one }),
          }))}
        />
        <TextInput
          label={t(words.user)}
          description={t(words.userHint)}
          value={invitation.username}
          maxLength={128}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => invitation.setUsername(event.currentTarget.value)}
        />
        {error === null ? null : (
          <Alert color="red" role="alert">
            {error}
          </Alert>
        )}
        <Button type="submit" w="fit-content" loading={invitation.isBusy}>
          {t(words.create)}
        </Button>
      </Stack>
    </form>
  );
}

function OpenInvitations({
  invitations,
  onEnd,
}: {
  readonly invitations: readonly SessionInvitation[];
  readonly onEnd: (id: string) => void;
}) {
  const open = invitations.filter(({ state }) => state !== 'ended');
  return (
    <section aria-label={t(words.invitations)}>
      <Text size="sm" fw={600}>
        {t(words.invitations)}
      </Text>
      {open.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t(words.none)}
        </Text>
      ) : (
        <ul className={styles.open}>
          {open.map((invitation) => (
            <Open key={invitation.id} invitation={invitation} onEnd={() => onEnd(invitation.id)} />
          ))}
        </ul>
      )}
    </section>
  );
}

/**
 * Invites a colleague into a session: who, for how long, and to watch or to type. Lists the open
 * invitations and ends them.
 */
export function InviteDialog({ session, asset, onClose }: Props) {
  const sharing = useQuery({
    queryKey: ['session-invitations', session],
    queryFn: ({ signal }) =>
      api.get<SessionSharing>(invitationsPath(session), { signal, quiet: true }),
    refetchInterval: LIVE_MS,
  });
  const invitation = useNewInvitation(session, () => sharing.refetch());
  const { made } = invitation;
  return (
    <Modal opened onClose={onClose} title={t(words.title, { asset })} size="min(540px, 96vw)">
      {sharing.error ? (
        <Alert color="red" role="alert">
          {sharing.error.message}
        </Alert>
      ) : !sharing.data ? (
        <Loader size={20} />
      ) : !sharing.data.is_allowed ? (
        <Alert color="yellow" role="alert">
          {t(words.off)}
        </Alert>
      ) : (
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t(words.hint)}
          </Text>
          <InvitationForm invitation={invitation} />
          {made ? <Made key={made.id} secret={made.secret} /> : null}
          <OpenInvitations invitations={sharing.data.invitations} onEnd={invitation.end} />
        </Stack>
      )}
    </Modal>
  );
}
