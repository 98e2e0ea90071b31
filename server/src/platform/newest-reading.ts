/**
 * Returns a function that reads a value again, possibly several times in parallel. Keeps the result
 * of the newest reading: an overtaken one may be stale.
 */
export function newestReading<Found>(
  read: () => Promise<Found>,
  keep: (value: Found) => void,
): () => Promise<void> {
  let begun = 0;
  let kept = 0;
  return async () => {
    begun += 1;
    const turn = begun;
    const value = await read();
    if (turn < kept) return;
    kept = turn;
    keep(value);
  };
}
