/**
 * Reads something again whenever it may have changed, also several times at once, and keeps what the newest reading found: one that was overtaken may have
 * found less than what is in force by now.
 */
export function newestReading<Found>(
  read: () => Promise<Found>,
  keep: (found: Found) => void,
): () => Promise<void> {
  let begun = 0;
  let kept = 0;
  return async () => {
    begun += 1;
    const turn = begun;
    const found = await read();
    if (turn < kept) return;
    kept = turn;
    keep(found);
  };
}
