/** How high the bar of a day is in percent: what is not nothing can be seen. */
export function heightOf(count: number, most: number): number {
  return count === 0 ? 0 : Math.max(4, Math.round((count / most) * 100));
}

/** A whole day (`2026-01-31`) where the reader is, as the lists take it. */
export function dayRange(date: string): { readonly date_from: string; readonly date_to: string } {
  return { date_from: new Date(`${date}T00:00:00`).toISOString(), date_to: new Date(`${date}T23:59:59.999`).toISOString() };
}
