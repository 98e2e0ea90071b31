import type { command, Row } from '@sallyport/contract';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { Moment } from '../../resource/list/Moment.tsx';

type Command = Row<typeof command>;

// Loaded with the first row that is unfolded: it brings the styles of half the widgets.
const CommandOutput = lazyComponent(() =>
  import('./CommandOutput.tsx').then((module) => module.CommandOutput),
);

/** When a command was entered. */
export function commandDate({ timestamp }: Pick<Command, 'timestamp'>) {
  return <Moment date={new Date(timestamp * 1000).toISOString()} exact />;
}

/** What a row of commands unfolds to. */
export function commandOutput(row: Command) {
  return (
    <Loading>
      <CommandOutput command={row} />
    </Loading>
  );
}
