import { useEffect, useState } from 'react';
import type { LocalFiles } from '../files/dropped-files.ts';
import { UploadPanel } from '../files/UploadPanel.tsx';
import { uploads, warnOfUploads } from '../files/uploads.ts';
import type { SessionTab } from '../tabs/session-tab.ts';
import { UploadDialog } from './UploadDialog.tsx';

/** Files that somebody wants to upload to the asset of a terminal. */
export interface UploadWish {
  readonly session: SessionTab;
  /** What was dropped; without it the person chooses. */
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

/** Uploads from the terminals of this window: the question where to, and how far each is. */
export function TerminalUploads({ wish, onClose }: Props) {
  useEffect(warnOfUploads, []);
  return (
    <>
      {wish ? <Asked wish={wish} onClose={onClose} /> : null}
      <UploadPanel uploads={uploads} />
    </>
  );
}
