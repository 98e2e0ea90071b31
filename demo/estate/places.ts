import data from './places.json' with { type: 'json' };

/** Purpose of a machine; determines its name, hardware, accounts and use. */
export type Kind =
  | 'web'
  | 'app'
  | 'database'
  | 'data'
  | 'kubernetes'
  | 'ci'
  | 'firewall'
  | 'windows'
  | 'sandbox';

export interface SampleLabel {
  readonly name: string;
  readonly value: string;
}

/** A leaf of the sample tree with its machines. */
export interface Place {
  readonly path: readonly string[];
  readonly kind: Kind;
  readonly prefix: string;
  readonly count: number;
  /**
   * First three octets of the addresses. 198.18.0.0/15 is reserved for tests, so no sample leads to
   * a real machine.
   */
  readonly network: string;
  readonly domain?: string;
  readonly comment: string;
  readonly labels: readonly SampleLabel[];
}

/** The node of the sandboxed SSH server. */
export const PLAYGROUND = '体验区 Playground';

export interface SampleDomain {
  readonly name: string;
  readonly comment: string;
  readonly gateways: readonly {
    readonly name: string;
    readonly ip: string;
    readonly username: string;
    readonly isActive: boolean;
  }[];
}

export const { places: PLACES, domains: DOMAINS } = data as {
  readonly places: readonly Place[];
  readonly domains: readonly SampleDomain[];
};
