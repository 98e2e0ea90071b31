import type { Resource } from '@sallyport/contract';

/** Ids in Sallyport by kind and id in the source. */
export class Links {
  readonly #ids = new Map<string, string>();

  set(kind: string, sourceId: string, id: string): void {
    this.#ids.set(`${kind} ${sourceId}`, id);
  }

  find(kind: string, sourceId: unknown): string | undefined {
    return this.#ids.get(`${kind} ${sourceId}`);
  }

  /** Replaces ids of the source in the links of a body. */
  resolve(resource: Resource, fields: Readonly<Record<string, unknown>>): Resolved {
    const body: Record<string, unknown> = {};
    const missing: string[] = [];
    let isComplete = true;
    for (const [name, value] of Object.entries(fields)) {
      const field = resource.fields[name];
      if (field?.kind === 'reference' && value !== null) {
        const id = this.find(field.target, value);
        if (id === undefined) {
          missing.push(`${name} was not imported`);
          isComplete = false;
        }
        body[name] = id;
      } else if (field?.kind === 'many' && Array.isArray(value)) {
        const ids = value.flatMap((one) => this.find(field.target, one) ?? []);
        if (ids.length < value.length)
          missing.push(`${value.length - ids.length} of ${value.length} ${name} were not imported`);
        // An empty list is no valid value where one link is required.
        if (ids.length > 0 || field.minItems === 0) body[name] = [...new Set(ids)];
      } else body[name] = value;
    }
    return { body, missing, isComplete };
  }
}

export interface Resolved {
  readonly body: Record<string, unknown>;
  /** Links to objects that were not imported. */
  readonly missing: readonly string[];
  /** False if a required single link is missing. */
  readonly isComplete: boolean;
}
