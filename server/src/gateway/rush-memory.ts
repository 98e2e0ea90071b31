import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Ended sessions whose memory is worth a pause of the process. */
const MIN_ENDED = 200;
/** At most this share of the sessions may be live: the pause grows with the memory in use. */
const MAX_LIVE_SHARE = 0.25;
/** Sessions that end together are collected together. */
const DELAY_MS = 10_000;

/**
 * Collects garbage once most of many sessions have ended. V8 collects when memory grows, so a quiet
 * process would keep the memory of a rush until the next one.
 */
export class RushMemory {
  private most = 0;
  private live = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly collect: () => void;

  constructor(collect: () => void = collectGarbage) {
    this.collect = collect;
  }

  /** Notes the number of live sessions after each beginning and end. */
  note(live: number): void {
    this.live = live;
    this.most = Math.max(this.most, live);
    const isOver = this.most - live >= MIN_ENDED && live <= this.most * MAX_LIVE_SHARE;
    if (!isOver) {
      clearTimeout(this.timer);
      this.timer = undefined;
      return;
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.most = this.live;
      this.collect();
    }, DELAY_MS).unref();
  }
}

/** Stops the process for as long as it takes to visit the objects in use. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
