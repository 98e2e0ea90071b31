import { COMMAND_HOST_STATES, type CommandHostState, type WorkState } from '@sallyport/contract';
import { t } from '../../../kit/i18n/index.ts';
import { OutcomeState } from '../../resource/job/OutcomeState.tsx';
import { words } from './words.ts';

/** The look of each state of a host. */
const LOOKS: Readonly<Record<CommandHostState, WorkState>> = {
  waiting: 'queued',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
  left_out: 'nothing',
};

interface HostResult {
  readonly state: CommandHostState;
  readonly rc: number | null;
}

/** The state of a host of a batch command in words, with the exit status of a failed command. */
function hostStateText({ state, rc }: HostResult): string {
  if (state === 'failed' && rc !== null) return t(words.status, { status: rc });
  const known = COMMAND_HOST_STATES.find(({ value }) => value === state);
  return known ? t(known.label) : state;
}

/** The state of a host of a batch command. */
export function HostState({ host }: { readonly host: HostResult }) {
  return <OutcomeState outcome={LOOKS[host.state]} text={hostStateText(host)} />;
}
