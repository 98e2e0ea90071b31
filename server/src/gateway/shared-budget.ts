import { DESKTOP_BLOCKS_WAITING, LEAST_OUTPUT, OUTPUT_BUDGET, TERMINAL_WINDOW } from './limits.ts';

interface BudgetOptions {
  /** Bytes of all members. */
  readonly total: number;
  /** Minimum and maximum of one member; the minimum holds beyond the total. */
  readonly least: number;
  readonly most: number;
}

/**
 * Memory for waiting data that the sessions of this process share. A share shrinks as members join,
 * so memory depends on the budget and hardly on the number of sessions.
 */
export class SharedBudget {
  private members = 0;
  private readonly options: BudgetOptions;

  constructor(options: BudgetOptions) {
    this.options = options;
  }

  /** Bytes of one member now. */
  get share(): number {
    const { total, least, most } = this.options;
    return Math.max(least, Math.min(most, Math.floor(total / Math.max(1, this.members))));
  }

  /** Adds a member. Returns a function that removes it. */
  join(): () => void {
    this.members++;
    let hasLeft = false;
    return () => {
      if (!hasLeft) this.members--;
      hasLeft = true;
    };
  }
}

/** The budget of the terminals of this process. */
export const terminalBudget = new SharedBudget({
  total: OUTPUT_BUDGET,
  least: LEAST_OUTPUT,
  most: TERMINAL_WINDOW,
});

/** Records of all desktops of this process that wait for the disk. */
export const DESKTOP_BLOCKS_BUDGET = 32 * 1024 * 1024;
export const desktopBudget = new SharedBudget({
  total: DESKTOP_BLOCKS_BUDGET,
  least: 128 * 1024,
  most: DESKTOP_BLOCKS_WAITING,
});
