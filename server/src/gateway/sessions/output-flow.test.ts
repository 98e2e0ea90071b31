import { ACKNOWLEDGE_EVERY } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { LEAST_OUTPUT } from '../limits.ts';
import { OutputFlow } from './output-flow.ts';

const WINDOW = 256 * 1024;
const CHUNK = Buffer.alloc(16 * 1024);

/** A flow to a client that acknowledges as browsers do, with a window that changes. */
function rig() {
  const state = { window: WINDOW, isPaused: false, sent: 0 };
  const flow = new OutputFlow({
    window: () => state.window,
    send: (chunk) => {
      state.sent += chunk.length;
    },
    pause: () => {
      state.isPaused = true;
    },
    resume: () => {
      state.isPaused = false;
    },
  });
  return { flow, state };
}

it('fills the whole window after another consumer has held the target', () => {
  const { flow, state } = rig();
  for (let chunks = 0; chunks < 13; chunks++) flow.push(CHUNK);
  flow.hold('tracker', true);
  expect(state.isPaused).toBe(true);
  flow.hold('tracker', false);
  expect(state.isPaused).toBe(false);
});

it('resumes a full window when a quarter of it is free, and not before', () => {
  const { flow, state } = rig();
  for (let chunks = 0; chunks < 16; chunks++) flow.push(CHUNK);
  flow.acknowledge(WINDOW / 4);
  expect(state.isPaused).toBe(true);
  flow.acknowledge(1);
  expect(state.isPaused).toBe(false);
});

it('resumes after the last acknowledgement that a client sends, whatever the window is then', () => {
  for (const from of [WINDOW, LEAST_OUTPUT])
    for (let unread = 0; unread < ACKNOWLEDGE_EVERY; unread += 1000) {
      const { flow, state } = rig();
      state.window = from;
      while (!state.isPaused) flow.push(CHUNK);
      // Other sessions may begin while this one waits.
      state.window = LEAST_OUTPUT;
      flow.acknowledge(state.sent - unread);
      expect(state.isPaused, `${from} ${unread}`).toBe(false);
    }
});
