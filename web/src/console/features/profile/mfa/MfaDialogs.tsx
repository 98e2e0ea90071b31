import { Modal } from '@mantine/core';
import { common, t } from '../../../../kit/i18n/index.ts';
import { makePasskey } from '../../../../kit/identity/passkey/passkey.ts';
import { RecoveryCodes } from '../../../../kit/identity/RecoveryCodes.tsx';
import { TotpSetup } from '../../../../kit/identity/TotpSetup.tsx';
import { words as identity } from '../../../../kit/identity/words.ts';
import { mfaApi } from './mfa-api.ts';
import { PasskeyDialog } from './PasskeyDialog.tsx';
import type { MfaModel } from './useMfa.tsx';
import { words } from './words.ts';

/** Renders the open dialog. */
export function MfaDialogs({ mfa }: { readonly mfa: MfaModel }) {
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
