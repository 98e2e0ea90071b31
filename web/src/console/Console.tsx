import { Button, Center, Stack, Text, Title } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { signInAddress } from '../kit/api.ts';
import { toast } from '../kit/dialogs/toast.tsx';
import { common, t } from '../kit/i18n/index.ts';
import { lazyComponent } from '../kit/lazy-component.tsx';
import { Mark } from '../kit/page/Mark.tsx';
import { queryClient } from '../kit/page/start-app.tsx';
import { screenOf } from './base/screen.ts';
import { SessionProvider } from './base/session.tsx';
import { words } from './base/words.ts';
import styles from './Console.module.css';
import { prefetchRows } from './resource/first-rows.ts';
import { FormDialogsProvider } from './resource/form/form-dialogs.ts';
import { buildRouter } from './router.tsx';
import { type GuardResult, runGuard, SIGN_IN_DELAY } from './start/guard.ts';
import { browserEnvironment } from './start/guard-environment.ts';

const TreePicker = lazyComponent(() =>
  import('./tree/dialogs/TreePicker.tsx').then((module) => module.TreePicker),
);

const CreateDialog = lazyComponent(() =>
  import('./resource/dialog/CreateDialog.tsx').then((module) => module.CreateDialog),
);

const FORM_DIALOGS = {
  CreateDialog,
  TreePicker,
};

// One run per page load, even if React mounts the component twice.
let guarding: Promise<GuardResult> | undefined;

function StartFailed({ error }: { readonly error: Error }) {
  return (
    <Center mih="100vh" component="main">
      <Stack align="center" gap="sm" p="md" role="alert">
        <Mark size={48} />
        <Title order={1}>{t(words.startFailed)}</Title>
        <Text c="dimmed">{error.message}</Text>
        <Button onClick={() => location.reload()}>{t(common.retry)}</Button>
      </Stack>
    </Center>
  );
}

/** Runs the guard, then shows the console, redirects to the sign-in page, or reports an error. */
export function Console() {
  const [result, setResult] = useState<GuardResult>();
  const [router, setRouter] = useState<ReturnType<typeof buildRouter>>();
  useEffect(() => {
    const environment = browserEnvironment();
    guarding ??= runGuard(environment);
    const open = async (outcome: GuardResult) => {
      if (outcome.kind === 'sign-in') {
        setTimeout(() => location.assign(signInAddress()), SIGN_IN_DELAY);
        return;
      }
      if (outcome.kind === 'ready') {
        const built = buildRouter(outcome.session);
        const screen = screenOf(outcome.session.screens, environment.path);
        if (!outcome.redirect) prefetchRows(queryClient, screen, location.search);
        else await built.navigate({ to: outcome.redirect, replace: true });
        setRouter(built);
      }
      // The toast of conformance 8.4; the page below it offers another try.
      if (outcome.kind === 'failed') toast.error(t(words.startFailed), outcome.error.message);
      setResult(outcome);
    };
    // Errors while building the routes are reported too; otherwise the page would load forever.
    guarding
      .then(open)
      .catch((error: unknown) =>
        open({ kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) }),
      );
  }, []);

  if (result?.kind === 'failed') return <StartFailed error={result.error} />;
  if (result?.kind !== 'ready' || !router) {
    return (
      <Center mih="100vh" role="status" aria-label={t(common.loading)}>
        <div className={styles.loading}>
          <Mark size={48} />
        </div>
      </Center>
    );
  }
  return (
    <SessionProvider value={result.session}>
      <FormDialogsProvider value={FORM_DIALOGS}>
        <RouterProvider router={router} />
      </FormDialogsProvider>
    </SessionProvider>
  );
}
