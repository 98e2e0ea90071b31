/** Rows of one part of a time range. */
export interface HistogramBar {
  /** The start; the next bar, or the end of the range, ends it. */
  readonly date: string;
  readonly count: number;
  /** Rows among them that the resource marks, such as failures. */
  readonly marked: number;
}

/** The rows of a list over time. */
export interface Histogram {
  readonly date_from: string;
  readonly date_to: string;
  /** False if the counts are projected from a sample, because the table is large. */
  readonly is_exact: boolean;
  readonly bars: readonly HistogramBar[];
}

/** Most bars of a histogram. */
export const MOST_BARS = 60;
