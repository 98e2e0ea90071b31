import { createHmac, timingSafeEqual } from 'node:crypto';
import { basename } from 'node:path';
import { StartError } from '../../config.ts';
import { MOST_DOMAINS } from '../../features/assets/index.ts';
import { wireOf } from '../../platform/ssh-keys.ts';
import { derivedId } from './derived-id.ts';
import { Collector, type Description, type HostKey } from './description.ts';
import { readNamed } from './read-named.ts';

/** Maximum hosts of a file. */
const MOST_HOSTS = 20_000;
/** Maximum comparisons with hashed names: each computes a digest. */
const MOST_DIGESTS = 2_000_000;
const SSH_PORT = 22;

/** A block of `Host` with its options; the first value of an option wins. */
interface Block {
  readonly patterns: readonly string[];
  readonly options: Map<string, string>;
}

/** Compares a text with a pattern of `*` and `?`, in linear time for each star. */
function matches(pattern: string, text: string): boolean {
  let [at, position, star, resume] = [0, 0, -1, 0];
  while (position < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      resume = position;
    } else if (pattern[at] === '?' || pattern[at] === text[position]) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++resume;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

function isFor({ patterns }: Block, host: string): boolean {
  const isExcluded = patterns.some((one) => one.startsWith('!') && matches(one.slice(1), host));
  return !isExcluded && patterns.some((one) => !one.startsWith('!') && matches(one, host));
}

/** Splits the words after a keyword; quotes keep blanks. */
const wordsOf = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');

function readBlocks(text: string, file: string, into: Collector): Block[] {
  const blocks: Block[] = [{ patterns: ['*'], options: new Map() }];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const place = `${file}:${index + 1}`;
    const [, keyword = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*\S)\s*$/.exec(line) ?? [];
    const name = keyword.toLowerCase();
    if (name === '') {
      if (/^\s*[^#\s]/.test(line))
        throw new StartError(`${place}: expected an option and a value.`);
      continue;
    }
    if (name === 'host') blocks.push({ patterns: wordsOf(rest), options: new Map() });
    else if (name === 'match') {
      into.note(place, 'Match depends on the moment; its options are left out');
      blocks.push({ patterns: [], options: new Map() });
    } else if (name === 'include')
      into.note(place, 'Include is not followed; import that file too');
    else {
      const options = blocks.at(-1)?.options;
      if (options && !options.has(name)) options.set(name, wordsOf(rest)[0] ?? '');
    }
  }
  return blocks;
}

/** A line of `known_hosts`. */
interface KnownHost {
  readonly names: readonly string[];
  /** Salt and digest of a hashed name. */
  readonly hashed: readonly [Buffer, Buffer] | undefined;
  /** The public key as a line. */
  readonly line: string;
}

/** Preferred first: one key is pinned for each address. */
const KEY_TYPES = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ssh-rsa'];

function readKnownHosts(text: string, file: string, into: Collector): KnownHost[] {
  return text.split(/\r?\n/).flatMap((line, index): KnownHost[] => {
    const place = `${file}:${index + 1}`;
    if (/^\s*(#|$)/.test(line)) return [];
    const [names = '', type = '', key = ''] = line.trim().split(/\s+/);
    if (names.startsWith('@')) {
      into.note(place, `${names} is not imported`);
      return [];
    }
    if (!wireOf(`${type} ${key}`)) {
      into.note(place, 'is no host key');
      return [];
    }
    const [, salt, digest] = /^\|1\|([^|]+)\|([^|]+)$/.exec(names) ?? [];
    const hashed =
      salt !== undefined && digest !== undefined
        ? ([Buffer.from(salt, 'base64'), Buffer.from(digest, 'base64')] as const)
        : undefined;
    return [{ names: hashed ? [] : names.split(','), hashed, line: `${type} ${key}` }];
  });
}

/** Returns a function that finds the keys of a host. */
function createFinder(known: readonly KnownHost[], hosts: number, into: Collector) {
  const byName = new Map<string, string[]>();
  for (const { names, line } of known)
    for (const name of names) byName.set(name, [...(byName.get(name) ?? []), line]);
  const hashed = known.flatMap((one) => (one.hashed ? { ...one, hashed: one.hashed } : []));
  const isFeasible = hashed.length * hosts * 2 <= MOST_DIGESTS;
  if (!isFeasible) into.note('known_hosts', 'has too many hashed names; they are left out');
  const isHashOf = ([salt, digest]: readonly [Buffer, Buffer], name: string) => {
    const actual = createHmac('sha1', salt).update(name).digest();
    return actual.length === digest.length && timingSafeEqual(actual, digest);
  };
  return (host: string, port: number): readonly string[] => {
    const name = port === SSH_PORT ? host : `[${host}]:${port}`;
    const lines = isFeasible
      ? hashed.filter((one) => isHashOf(one.hashed, name)).map(({ line }) => line)
      : [];
    return [...(byName.get(name) ?? []), ...lines];
  };
}

function best(lines: readonly string[]): string | undefined {
  const rank = (line: string) => {
    const at = KEY_TYPES.indexOf(line.split(' ')[0] ?? '');
    return at < 0 ? KEY_TYPES.length : at;
  };
  return lines.toSorted((one, other) => rank(one) - rank(other))[0];
}

/** A host with the options that `ssh` would use. */
interface Host {
  readonly alias: string;
  readonly address: string;
  readonly port: number;
  readonly user: string;
  readonly jump: string;
}

/** A jump host, with its text in the option. */
interface Hop extends Host {
  readonly text: string;
}

function resolveHost(alias: string, blocks: readonly Block[], place: string): Host {
  const option = (name: string) =>
    blocks.find((block) => block.options.has(name) && isFor(block, alias))?.options.get(name) ?? '';
  const port = Number(option('port') || SSH_PORT);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new StartError(`${place}: Port of ${alias} is not a port.`);
  const jump = option('proxyjump');
  return {
    alias,
    address: (option('hostname') || alias).replaceAll('%h', alias),
    port,
    user: option('user'),
    jump: jump === 'none' ? '' : jump,
  };
}

/** The node, the domains and the system users that hosts share. */
class Shared {
  readonly #into: Collector;
  readonly #known = new Set<string>();
  readonly #blocks: readonly Block[];
  readonly #place: string;

  constructor(into: Collector, blocks: readonly Block[], place: string) {
    this.#into = into;
    this.#blocks = blocks;
    this.#place = place;
  }

  /** Returns the domain behind the hosts of a `ProxyJump`; null if they cannot become domains. */
  domain(jumps: string): string | null {
    const hops = this.#hops(jumps, MOST_DOMAINS);
    if (!hops || hops.length > MOST_DOMAINS) {
      const problem = `has more than ${MOST_DOMAINS} hosts, or an unreadable one`;
      this.#into.note(this.#place, `ProxyJump ${jumps} ${problem}; set the domain by hand`);
      return null;
    }
    return hops.reduce<string | null>(
      (through, _, index) => this.#domainBehind(hops.slice(0, index + 1), through),
      null,
    );
  }

  /** Returns jump hosts in the order of the connection, after those that the first one needs. */
  #hops(jumps: string, most: number): Hop[] | undefined {
    const hops = jumps.split(',').flatMap((text): Hop[] => {
      const [, user, alias, port] = /^(?:([^@]+)@)?([^,@:]+)(?::(\d+))?$/.exec(text) ?? [];
      if (alias === undefined) return [];
      const host = resolveHost(alias, this.#blocks, this.#place);
      return [{ ...host, text, user: user ?? host.user, port: Number(port ?? host.port) }];
    });
    if (most === 0 || hops.length < jumps.split(',').length) return undefined;
    const before = hops[0]?.jump ? this.#hops(hops[0].jump, most - 1) : [];
    return before && [...before, ...hops];
  }

  /** Returns the domain of the gateway that is the last of some hops. */
  #domainBehind(hops: readonly Hop[], through: string | null): string {
    const way = hops.map(({ text }) => text).join(',');
    const id = derivedId(`ssh domain ${way}`);
    const hop = hops.at(-1);
    if (!hop || this.#known.has(id)) return id;
    this.#known.add(id);
    const { alias, address, port, user } = hop;
    const common = { organization: '', place: this.#place };
    const name = `via ${hops.map((one) => one.alias).join(', ')}`;
    const fields = { name, ...(through !== null && { through }) };
    this.#into.add({ ...common, kind: 'domain', id, name, fields });
    this.#into.add({
      ...common,
      kind: 'gateway',
      id: derivedId(`ssh gateway ${way}`),
      name: alias,
      fields: { name: alias, ip: address, port, username: user, domain: id },
    });
    return id;
  }

  systemUser(username: string): void {
    if (username === '' || this.#known.has(`user ${username}`)) return;
    this.#known.add(`user ${username}`);
    const name = `${username} (ssh)`;
    this.#into.add({
      kind: 'system_user',
      id: derivedId(`ssh system user ${username}`),
      organization: '',
      name,
      place: this.#place,
      fields: { name, username, protocol: 'ssh' },
      initial: { login_mode: 'manual', auto_push: false },
    });
  }
}

/** Reads an `ssh_config` and its `known_hosts`. Keys of users are not read. @throws StartError */
export async function readSshConfig(
  path: string,
  knownHosts: string | undefined,
): Promise<Description> {
  const into = new Collector();
  const file = basename(path);
  const blocks = readBlocks(await readNamed(path), file, into);
  const known =
    knownHosts === undefined
      ? []
      : readKnownHosts(await readNamed(knownHosts), basename(knownHosts), into);
  const aliases = new Set(
    blocks.flatMap(({ patterns }) => patterns.filter((pattern) => !/[*?!]/.test(pattern))),
  );
  if (aliases.size > MOST_HOSTS) throw new StartError(`${path} has more than ${MOST_HOSTS} hosts.`);
  const keysOf = createFinder(known, aliases.size, into);
  const shared = new Shared(into, blocks, file);
  const hosts = [...aliases].map((alias) => resolveHost(alias, blocks, file));
  const jumps = new Set(
    hosts.flatMap(({ jump }) =>
      jump.split(',').map((one) => one.replace(/^[^@]*@/, '').replace(/:\d+$/, '')),
    ),
  );
  for (const { alias, address, port, user, jump } of hosts) {
    // A jump host becomes a gateway.
    if (jumps.has(alias)) continue;
    const line = best([...keysOf(address, port), ...keysOf(alias, port)]);
    const hostKeys: HostKey[] = line === undefined ? [] : [{ host: address, port, line }];
    if (knownHosts !== undefined && line === undefined)
      into.note(file, `${alias} has no key in known_hosts; the first connection pins one`);
    shared.systemUser(user);
    into.add({
      kind: 'asset',
      id: derivedId(`ssh asset ${alias}`),
      organization: '',
      name: alias,
      place: file,
      fields: {
        hostname: alias,
        ip: address,
        protocols: [`ssh/${port}`],
        platform: 'Linux',
        ...(jump !== '' && { domain: shared.domain(jump) }),
      },
      hostKeys,
    });
  }
  return into;
}
