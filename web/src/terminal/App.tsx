import { Button, Center, Loader, Stack, Title } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';
import { common, t } from '../kit/i18n/index.ts';
import { Mark } from '../kit/page/Mark.tsx';
import { queryClient } from '../kit/page/start-app.tsx';
import { screenOf } from './location.ts';
import { beginReplay } from './replay/begin-replay.ts';
import { loadSavedSettings } from './settings/settings-store.ts';
import { loadWatermark } from './useProfile.ts';
import { words } from './words.ts';

// The address is read once: moving between these pages is opening another window.
const address = screenOf(window.location.pathname, window.location.search);

// The page of a guest takes the secret out of its address first: without a sign-in, the request
// leads to the sign-in page.
const marked = address.kind === 'guest' ? undefined : loadWatermark(queryClient);
if (marked) void loadSavedSettings();
if (address.kind === 'replay') void beginReplay(queryClient, address.session);

/** Loads the code of a screen. It appears after the watermark is known. */
const screen = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => {
    const component = await load();
    await (marked ?? loadWatermark(queryClient));
    return { default: component };
  });

const WorkspaceScreen = screen(() =>
  import('./workspace/WorkspaceScreen.tsx').then((module) => module.WorkspaceScreen),
);
const WatchScreen = screen(() =>
  import('./watch/WatchScreen.tsx').then((module) => module.WatchScreen),
);
const GuestScreen = screen(() =>
  import('./guest/GuestScreen.tsx').then((module) => module.GuestScreen),
);
const QueryScreen = screen(() =>
  import('./query/QueryScreen.tsx').then((module) => module.QueryScreen),
);
const RemoteAppScreen = screen(() =>
  import('./remote-app/RemoteAppScreen.tsx').then((module) => module.RemoteAppScreen),
);
const PodScreen = screen(() => import('./pod/PodScreen.tsx').then((module) => module.PodScreen));
const FilesScreen = screen(() =>
  import('./files/FilesScreen.tsx').then((module) => module.FilesScreen),
);
const ReplayScreen = screen(() =>
  import('./replay/ReplayScreen.tsx').then((module) => module.ReplayScreen),
);

function Chosen() {
  switch (address.kind) {
    case 'workspace':
      return (
        <WorkspaceScreen loginTo={address.loginTo} wish={address.wish} single={address.single} />
      );
    case 'watch':
      return <WatchScreen session={address.session} />;
    case 'replay':
      return <ReplayScreen id={address.session} at={address.at} />;
    case 'query':
      return <QueryScreen app={address.app} />;
    case 'remote-app':
      return <RemoteAppScreen id={address.app} />;
    case 'pod':
      return <PodScreen {...address} />;
    case 'guest':
      return <GuestScreen />;
    case 'files':
      return <FilesScreen first={address.asset} />;
    case 'unknown':
      return (
        <Center h="100dvh">
          <Stack align="center">
            <Mark size={48} />
            <Title order={1}>{t(words.notFound)}</Title>
            <Button component="a" href="/luna/">
              {t(words.toTerminal)}
            </Button>
          </Stack>
        </Center>
      );
  }
}

/** The terminal pages; each comes with its own code only. */
export function App() {
  return (
    <Suspense
      fallback={
        <Center h="100dvh">
          <Loader role="status" aria-label={t(common.loading)} />
        </Center>
      }
    >
      <Chosen />
    </Suspense>
  );
}
