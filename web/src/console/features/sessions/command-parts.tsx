import type { command, Row } from '@sallyport/contract';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { Moment } from '../../resource/list/Moment.tsx';

type Command = Row<typeof command>;

// Lazy-loaded with the first unfolded row: it loads many styles.
const CommandOutput = lazyComponent(() =>
  import('./CommandOutput.tsx').then((module) => module.CommandOutput),
);

/** The time when a command was entered. */
export function commandDate({ timestamp }: Pick<Command, 'timestamp'>) {
  return <Moment date={new Date(timestamp * 1000).toISOString()} exact />;
}

/** The content of an unfolded row of commands. */
export function commandOutput(row: Command) {
  return (
    <Loading>
      <CommandOutput command={row} />
    </Loading>
  );
}
