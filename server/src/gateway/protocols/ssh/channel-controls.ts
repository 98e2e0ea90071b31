import type { ClientChannel } from '@sallyport/ssh';
import type { TargetExec } from '../connector.ts';

/** Controls that shells and commands share: signals, end of input, back pressure, and closing. */
export function controlsOf(
  channel: ClientChannel,
  end: () => void,
): Pick<TargetExec, 'finishInput' | 'signal' | 'pause' | 'resume' | 'close'> {
  return {
    finishInput: () => {
      if (channel.writable) channel.end();
    },
    signal: (name) => channel.signal(name),
    pause: () => {
      channel.pause();
      channel.stderr.pause();
    },
    resume: () => {
      channel.resume();
      channel.stderr.resume();
    },
    close: () => {
      channel.close();
      end();
    },
  };
}
