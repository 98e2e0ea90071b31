import type { Page } from 'playwright-core';

/** Complaints of a page without network: its automatic requests and sockets fail. */
export const UNREACHED: readonly RegExp[] = [/^failed /, /^console: WebSocket connection to /];

/** Every complaint of a page that the test did not announce. */
export class Watch {
  readonly #allowed: RegExp[] = [];
  readonly #complaints: string[] = [];

  /** Accepts complaints that match one of the patterns. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns);
  }

  /**
   * Records console errors (including violations of the content policy), exceptions, refusals and
   * failed requests.
   */
  over(page: Page): void {
    page.on('console', (message) => {
      // A refused request is reported below with its method and address.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.#complaints.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) =>
      // Errors of the browser itself have an empty stack.
      this.#complaints.push(`exception: ${error.stack || `${error.name}: ${error.message}`}`),
    );
    page.on('response', (response) => {
      if (response.status() >= 400)
        this.#complaints.push(
          `${response.status()} ${response.request().method()} ${pathOf(response.url())}`,
        );
    });
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      // Leaving a page aborts its pending requests. The page polls the health route only after
      // another failure, which is reported itself.
      if (reason !== 'net::ERR_ABORTED' && pathOf(request.url()) !== '/api/health/')
        this.#complaints.push(`failed ${request.method()} ${pathOf(request.url())}: ${reason}`);
    });
  }

  /** The unexpected complaints. */
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
