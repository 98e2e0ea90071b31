import { SerializeAddon } from '@xterm/addon-serialize';
import type { Terminal } from '@xterm/xterm';
import { HiddenState } from './hidden-state.ts';
import type { Recording } from './recording.ts';

/** Characters of output between two key frames. */
const FRAME_EVERY = 1024 * 1024;
/** Characters drawn at a time. */
const BATCH = 128 * 1024;
/** Lines above the screen in a key frame. */
const SCROLLBACK = 300;
/** Time between two looks at a recording that is still loading. */
const PAUSE_MS = 100;

/**
 * Draws a recording on a terminal out of sight and adds a key frame to it after `every` characters
 * of output, until its end or the signal. A frame waits while the terminal is in a state that
 * output cannot restore.
 */
export async function addKeyFrames(
  recording: Recording,
  terminal: Terminal,
  signal: AbortSignal,
  every = FRAME_EVERY,
): Promise<void> {
  const serializer = new SerializeAddon();
  terminal.loadAddon(serializer);
  const hidden = new HiddenState(terminal);
  let sinceFrame = 0;
  for (let drawn = 0; !signal.aborted; ) {
    if (drawn === recording.events.length) {
      if (recording.isComplete) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      continue;
    }
    await recording.read?.(drawn);
    let text = '';
    while (drawn < recording.events.length && text.length < Math.min(BATCH, every)) {
      const event = recording.events[drawn];
      if (!event || (event.kind === 'resize' && text !== '')) break;
      if (event.kind === 'output') text += event.text;
      else {
        terminal.resize(Math.max(2, event.cols), event.rows);
        hidden.resized();
      }
      drawn += 1;
    }
    await new Promise<void>((resolve) => terminal.write(text, resolve));
    hidden.drew(text);
    sinceFrame += text.length;
    if (sinceFrame < every || !hidden.canRestore()) continue;
    sinceFrame = 0;
    const { cols, rows } = terminal;
    const piece = `${serializer.serialize({ scrollback: SCROLLBACK })}${hidden.restore()}`;
    recording.keyFrames.push({ cols, rows, piece, next: drawn });
  }
}
