import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

const IP = '/usr/bin/ip';

/** A network namespace with one address, as a machine has. */
export interface NetworkPlace {
  readonly address: string;
  /** Words before a command that runs there. */
  readonly run: readonly string[];
  /** Takes its network away. Returns a function that gives it back. */
  cut(): () => Promise<void>;
  /** Takes its way to these addresses away; others still reach it. */
  cutFrom(addresses: readonly string[]): () => Promise<void>;
}

/** A bridge on this machine, with places. */
export interface Network {
  readonly subnet: string;
  /** An address of this machine for a service that all places use. */
  readonly etcd: string;
  addPlace(name: string, number: number): NetworkPlace;
  remove(): void;
}

/** @throws Error with the message of the command */
function ip(...words: string[]): void {
  const { status, stderr, error } = spawnSync(IP, words, { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`ip ${words.join(' ')}: ${stderr}`);
}

/** Creates a bridge with a random subnet of the range for benchmarks (RFC 2544). Needs root. */
export function createNetwork(): Network {
  const number = randomInt(256);
  const prefix = `198.${18 + randomInt(2)}.${number}`;
  // Names of interfaces have at most 15 characters.
  const tag = `sp${process.pid % 100_000}-${number}`;
  const undo: (() => void)[] = [];
  const remove = () => {
    for (const one of undo.splice(0).reverse()) one();
  };
  ip('link', 'add', tag, 'type', 'bridge');
  undo.push(() => ip('link', 'del', tag));
  const etcd = `${prefix}.21`;
  ip('addr', 'add', `${prefix}.1/24`, 'dev', tag);
  ip('addr', 'add', `${etcd}/24`, 'dev', tag);
  ip('link', 'set', tag, 'up');
  const addPlace = (name: string, host: number): NetworkPlace => {
    const address = `${prefix}.${host}`;
    const namespace = `${tag}-${name}`;
    const [outside, inside] = [`${tag}o${host}`, `${tag}i${host}`];
    const within = (...words: string[]) => ip('-n', namespace, ...words);
    ip('netns', 'add', namespace);
    // Its interface goes with it.
    undo.push(() => ip('netns', 'del', namespace));
    ip('link', 'add', outside, 'type', 'veth', 'peer', 'name', inside);
    ip('link', 'set', inside, 'netns', namespace);
    ip('link', 'set', outside, 'master', tag, 'up');
    within('addr', 'add', `${address}/24`, 'dev', inside);
    within('link', 'set', inside, 'up');
    within('link', 'set', 'lo', 'up');
    return {
      address,
      run: [IP, 'netns', 'exec', namespace],
      cut() {
        ip('link', 'set', outside, 'down');
        return async () => ip('link', 'set', outside, 'up');
      },
      cutFrom(addresses) {
        for (const one of addresses) within('route', 'add', 'blackhole', `${one}/32`);
        return async () => {
          for (const one of addresses) within('route', 'del', 'blackhole', `${one}/32`);
        };
      },
    };
  };
  return { subnet: `${prefix}.0/24`, etcd, addPlace, remove };
}
