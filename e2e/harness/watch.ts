import type { Page } from 'playwright-core';

/** What a page complains about while it has no network: the answers and sockets that it asks for by itself in this time. */
export const UNREACHED: readonly RegExp[] = [/^failed /, /^console: WebSocket connection to /];

/** Every complaint of a page that the test did not announce. */
export class Watch {
  readonly #allowed: RegExp[] = [];
  readonly #complaints: string[] = [];

  /** What is expected to be complained about, as the beginning or a part of the complaint. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns);
  }

  /** Listens to errors in the console (where a violated content policy shows, too), exceptions, refusals and failed requests. */
  over(page: Page): void {
    page.on('console', (message) => {
      // A refused request is reported below with its method and address.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.#complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) =>
      this.#complaints.push(`exception: ${error.stack ?? error.message}`),
    );
    page.on('response', (response) => {
      if (response.status() >= 400)
        this.#complaints.push(
          `${response.status()} ${response.request().method()} ${pathOf(response.url())}`,
        );
    });
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      // Leaving a page gives up what it was still reading. A sign of life is asked for after another failure only, which is reported itself.
      if (reason !== 'net::ERR_ABORTED' && pathOf(request.url()) !== '/api/health/')
        this.#complaints.push(`failed ${request.method()} ${pathOf(request.url())}: ${reason}`);
    });
  }

  /** What was not expected. */
  get complaints(): readonly string[] {
    return this.#complaints.filter(
      (complaint) => !this.#allowed.some((pattern) => pattern.test(complaint)),
    );
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
