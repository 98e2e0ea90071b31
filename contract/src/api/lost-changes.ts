/** A request to the API that makes a lost change again, with the rights of its sender. */
export interface LostRequest {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below `/api/v1/`. */
  readonly path: string;
  /** Null for a request without a body. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Labels of secrets that no log has: they must be entered afterwards. */
  readonly without: readonly string[];
}
