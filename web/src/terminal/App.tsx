import { Button, Center, Loader, Stack, Title } from '@mantine/core';
import { common, t } from '../kit/i18n/index.ts';
import { Loading, lazyComponent } from '../kit/lazy-component.tsx';
import { Mark } from '../kit/page/Mark.tsx';
import { screenOf } from './location.ts';
import { words } from './words.ts';

const WorkspaceScreen = lazyComponent(() =>
  import('./workspace/WorkspaceScreen.tsx').then((module) => module.WorkspaceScreen),
);
const WatchScreen = lazyComponent(() =>
  import('./watch/WatchScreen.tsx').then((module) => module.WatchScreen),
);
const GuestScreen = lazyComponent(() =>
  import('./guest/GuestScreen.tsx').then((module) => module.GuestScreen),
);
const QueryScreen = lazyComponent(() =>
  import('./query/QueryScreen.tsx').then((module) => module.QueryScreen),
);
const RemoteAppScreen = lazyComponent(() =>
  import('./remote-app/RemoteAppScreen.tsx').then((module) => module.RemoteAppScreen),
);
const FilesScreen = lazyComponent(() =>
  import('./files/FilesScreen.tsx').then((module) => module.FilesScreen),
);
const ReplayScreen = lazyComponent(() =>
  import('./replay/ReplayScreen.tsx').then((module) => module.ReplayScreen),
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
    <Loading
      fallback={
        <Center h="100dvh">
          <Loader role="status" aria-label={t(common.loading)} />
        </Center>
      }
    >
      <Chosen />
    </Loading>
  );
}
