/** Waits for work up to a limit. If it takes longer, returns or throws what `late` does. */
export async function within<Value, Late>(
  work: Promise<Value>,
  milliseconds: number,
  late: () => Late,
): Promise<Value | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<Late>((done, failed) => {
    timer = setTimeout(() => {
      try {
        done(late());
      } catch (error) {
        failed(error);
      }
    }, milliseconds);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}
