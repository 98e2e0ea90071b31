import { Button, Center, Loader, Stack, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { common, t } from '../kit/i18n/index.ts';
import { Mark } from '../kit/page/Mark.tsx';
import { screenOf } from './location.ts';
import { words } from './words.ts';

const WorkspaceScreen = lazy(() =>
  import('./workspace/WorkspaceScreen.tsx').then(({ WorkspaceScreen }) => ({
    default: WorkspaceScreen,
  })),
);
const WatchScreen = lazy(() =>
  import('./watch/WatchScreen.tsx').then(({ WatchScreen }) => ({ default: WatchScreen })),
);
const GuestScreen = lazy(() =>
  import('./guest/GuestScreen.tsx').then(({ GuestScreen }) => ({ default: GuestScreen })),
);
const QueryScreen = lazy(() =>
  import('./query/QueryScreen.tsx').then(({ QueryScreen }) => ({ default: QueryScreen })),
);
const RemoteAppScreen = lazy(() =>
  import('./remote-app/RemoteAppScreen.tsx').then(({ RemoteAppScreen }) => ({
    default: RemoteAppScreen,
  })),
);
const FilesScreen = lazy(() =>
  import('./files/FilesScreen.tsx').then(({ FilesScreen }) => ({ default: FilesScreen })),
);
const ReplayScreen = lazy(() =>
  import('./replay/ReplayScreen.tsx').then(({ ReplayScreen }) => ({ default: ReplayScreen })),
);

// The address is read once: moving between these pages is opening another window.
const screen = screenOf(window.location.pathname, window.location.search);

function Chosen() {
  switch (screen.kind) {
    case 'workspace':
      return <WorkspaceScreen loginTo={screen.loginTo} wish={screen.wish} single={screen.single} />;
    case 'watch':
      return <WatchScreen session={screen.session} />;
    case 'replay':
      return <ReplayScreen id={screen.session} at={screen.at} />;
    case 'query':
      return <QueryScreen app={screen.app} />;
    case 'remote-app':
      return <RemoteAppScreen id={screen.app} />;
    case 'guest':
      return <GuestScreen />;
    case 'files':
      return <FilesScreen first={screen.asset} />;
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
