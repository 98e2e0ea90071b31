import { Refusal } from '../refusal.ts';

const ASK_MINUTES = 5;

/** Waits for an answer from the user, at most five minutes. @throws Refusal on timeout */
export async function askInTime<Answer>(
  answer: Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  return new Promise<Answer>((done, failed) => {
    timer = setTimeout(
      () => failed(new Refusal('session_idle', { minutes: ASK_MINUTES })),
      ASK_MINUTES * 60_000,
    );
    signal.addEventListener('abort', () => failed(signal.reason), { once: true });
    answer.then(done, failed);
  }).finally(() => clearTimeout(timer));
}
