import { sessionTurns } from '../../platform/fair-turns.ts';

/**
 * Turns of recordings: their timers expire together, and the event loop must not encode the output
 * of all sessions at once.
 */
export const recordingTurns = sessionTurns.lane();
