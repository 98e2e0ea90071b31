/** Maximum number of remembered keys. */
const MOST = 10_000;

/** Keys that have signed in since the start of this server. The oldest are forgotten first. */
export class UsedKeys {
  readonly #keys = new Set<string>();

  has(username: string, publicKey: Buffer): boolean {
    return this.#keys.has(nameOf(username, publicKey));
  }

  add(username: string, publicKey: Buffer): void {
    const name = nameOf(username, publicKey);
    this.#keys.delete(name);
    this.#keys.add(name);
    const [oldest] = this.#keys;
    if (this.#keys.size > MOST && oldest !== undefined) this.#keys.delete(oldest);
  }

  delete(username: string, publicKey: Buffer): void {
    this.#keys.delete(nameOf(username, publicKey));
  }
}

const nameOf = (username: string, publicKey: Buffer): string =>
  `${publicKey.toString('base64')} ${username}`;
