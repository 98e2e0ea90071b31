import { useEffect, useState } from 'react';
import type { LocalFiles } from '../files/dropped-files.ts';
import { UploadPanel } from '../files/UploadPanel.tsx';
import { uploads, warnOfUploads } from '../files/uploads.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import { UploadDialog } from './UploadDialog.tsx';

/** A request to upload files to the asset of a terminal. */
export interface UploadWish {
  readonly session: SessionTab;
  /** Dropped files. Without them the user chooses files in the dialog. */
  readonly dropped?: Promise<LocalFiles>;
}

interface Props {
  /** The question that is open, if any. */
  readonly wish: UploadWish | null;
  readonly onClose: () => void;
}

function Asked({ wish, onClose }: { readonly wish: UploadWish; readonly onClose: () => void }) {
  const { session, dropped } = wish;
  const [local, setLocal] = useState<LocalFiles | 'reading' | null>(dropped ? 'reading' : null);
  // The account is the one that the terminal had when the question came.
  const [{ choice }] = useState(session.snapshot);
  useEffect(() => {
    let isStale = false;
    void dropped?.then((read) => isStale || setLocal(read));
    return () => {
      isStale = true;
    };
  }, [dropped]);
  const account = choice.kind === 'chosen' ? choice.account : null;
  return (
    <UploadDialog
      asset={session.asset}
      account={account}
      local={local}
      onChoose={setLocal}
      onClose={onClose}
    />
  );
}

/** Uploads from the terminals of this window: the destination dialog and the progress. */
export function TerminalUploads({ wish, onClose }: Props) {
  useEffect(warnOfUploads, []);
  return (
    <>
      {wish ? <Asked wish={wish} onClose={onClose} /> : null}
      <UploadPanel uploads={uploads} />
    </>
  );
}
