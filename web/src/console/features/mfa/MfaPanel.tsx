import { Alert, Button, Group, Modal, Skeleton, Text } from '@mantine/core';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconDeviceMobile, IconKey, IconShieldCheck } from '../../../kit/icons.ts';
import { makePasskey } from '../../../kit/identity/passkey/passkey.ts';
import { RecoveryCodes } from '../../../kit/identity/RecoveryCodes.tsx';
import { TotpSetup } from '../../../kit/identity/TotpSetup.tsx';
import { words as identity } from '../../../kit/identity/words.ts';
import { Card } from '../../resource/detail/Cards.tsx';
import styles from '../../resource/detail/Rows.module.css';
import { LoadFailed } from '../../resource/list/ListStates.tsx';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { mfaApi } from './mfa-api.ts';
import { PasskeyDialog } from './PasskeyDialog.tsx';
import { PasskeyList } from './PasskeyList.tsx';
import { type MfaModel, useMfa } from './useMfa.tsx';
import { words } from './words.ts';

/** The own second factors: authenticator app, passkeys, recovery codes. */
export function MfaPanel() {
  const mfa = useMfa();
  const { state } = mfa;
  if (mfa.error) return <LoadFailed error={mfa.error} onRetry={() => void mfa.refresh()} />;
  if (!state) return <Skeleton height={240} maw={720} />;
  const hasFactor = state.totp || state.passkeys > 0;

  return (
    <div className={styles.narrow}>
      <Alert
        color={hasFactor ? 'green' : 'yellow'}
        icon={<IconShieldCheck size={18} />}
        title={t(hasFactor ? words.on : words.off)}
      >
        {state.forced && <div>{t(words.forced)}</div>}
        {hasFactor && state.date_verified && (
          <div>{t(words.lastProved, { date: formatDate(state.date_verified) })}</div>
        )}
      </Alert>
      <AuthenticatorCard mfa={mfa} isSetUp={state.totp} />
      <PasskeyList mfa={mfa} />
      {hasFactor && <RecoveryCodesCard mfa={mfa} left={state.recovery_codes_left} />}
      {mfa.question}
      <MfaDialogs mfa={mfa} />
    </div>
  );
}

/** The authenticator app: set up, replace, unbind. */
function AuthenticatorCard({
  mfa,
  isSetUp,
}: {
  readonly mfa: MfaModel;
  readonly isSetUp: boolean;
}) {
  const setUp = () =>
    void mfa.confirmed(async (password) =>
      mfa.setDialog({ kind: 'totp', begun: await mfaApi.beginTotp(password) }),
    );
  const unbind = () =>
    void mfa.confirmed(async () =>
      askFirst({
        message: t(words.unbindQuestion),
        confirm: t(words.unbind),
        danger: true,
        success: t(common.updateSuccess),
        run: async () => {
          await mfaApi.removeTotp();
          await mfa.refresh();
        },
      }),
    );
  return (
    <Card title={t(words.app)} icon={<IconDeviceMobile size={16} />}>
      <div className={styles.row}>
        <div className={styles.what}>
          <YesNo value={isSetUp} yes={t(words.appOn)} no={t(words.appOff)} />
          <Text fz="sm" c="dimmed">
            {t(words.appHint)}
          </Text>
        </div>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="light"
            onClick={setUp}
            aria-label={`${t(words.app)}: ${t(isSetUp ? words.replace : words.setUp)}`}
          >
            {t(isSetUp ? words.replace : words.setUp)}
          </Button>
          {isSetUp && (
            <Button
              size="compact-sm"
              variant="light"
              color="red"
              onClick={unbind}
              aria-label={`${t(words.app)}: ${t(words.unbind)}`}
            >
              {t(words.unbind)}
            </Button>
          )}
        </Group>
      </div>
    </Card>
  );
}

/** The recovery codes that are left, with a button that replaces them. */
function RecoveryCodesCard({ mfa, left }: { readonly mfa: MfaModel; readonly left: number }) {
  const renew = () =>
    void mfa.confirmed(async () =>
      askFirst({
        message: t(words.renewQuestion),
        confirm: t(words.renew),
        danger: true,
        run: async () => {
          const { recovery_codes: codes } = await mfaApi.renewCodes();
          mfa.setDialog({ kind: 'codes', codes });
          await mfa.refresh();
        },
      }),
    );

  return (
    <Card title={t(identity.recoveryCodes)} icon={<IconKey size={16} />}>
      <div className={styles.row}>
        <div className={styles.what}>
          <Text component="span" fw={500} {...(left < 3 && { c: 'red' })}>
            {t(words.codesLeft, { count: left })}
          </Text>
          <Text fz="sm" c="dimmed">
            {t(words.codesHint)}
          </Text>
        </div>
        <Button size="compact-sm" variant="light" onClick={renew}>
          {t(words.renew)}
        </Button>
      </div>
    </Card>
  );
}

/** Renders the open dialog. */
function MfaDialogs({ mfa }: { readonly mfa: MfaModel }) {
  const { dialog, setDialog } = mfa;
  const close = () => setDialog(undefined);
  switch (dialog?.kind) {
    case undefined:
      return null;
    case 'totp':
      return (
        <Modal
          opened
          onClose={close}
          title={t(words.app)}
          size="sm"
          closeButtonProps={{ 'aria-label': t(common.close) }}
        >
          <TotpSetup
            begun={dialog.begun}
            onConfirm={async (code) => mfa.added(await mfaApi.confirmTotp(code))}
          />
        </Modal>
      );
    case 'passkey':
      return (
        <PasskeyDialog
          title={t(words.addPasskey)}
          name={t(words.myPasskey)}
          submit={t(words.addPasskey)}
          onClose={close}
          onSubmit={async (name) =>
            mfa.added(await mfaApi.finishPasskey(name, await makePasskey(dialog.options)))
          }
        />
      );
    case 'codes':
      return (
        // The codes are visible only now: neither Escape nor a click outside closes the dialog.
        <Modal
          opened
          onClose={close}
          title={t(identity.recoveryTitle)}
          size="sm"
          closeOnClickOutside={false}
          closeOnEscape={false}
          withCloseButton={false}
        >
          <RecoveryCodes codes={dialog.codes} onward={t(words.done)} onDone={close} />
        </Modal>
      );
  }
}
