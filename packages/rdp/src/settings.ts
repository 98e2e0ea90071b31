import { BadPdu } from './byte-reader.ts';
import { insertSettings } from './grown-settings.ts';
import { settingsOf } from './mcs.ts';

/** Block types (MS-RDPBCGR 2.2.1.3.1, 2.2.1.4.1). */
const CLIENT = { core: 0xc001, security: 0xc002, channels: 0xc003, cluster: 0xc004 } as const;
const SERVER = { core: 0x0c01, security: 0x0c02, channels: 0x0c03 } as const;

/** Offsets of fields in the core block. */
const CORE = {
  width: 8,
  height: 10,
  keyboardLayout: 16,
  buildNumber: 20,
  clientName: 24,
  colorDepth: 140,
  depths: 142,
  early: 144,
  protocol: 212,
} as const;
const MIN_CORE = CORE.protocol + 4;
const NAME_BYTES = 32;
/** xrdp changes the size only for clients later than build 419. */
const BUILD_NUMBER = 2600;
/** Early capabilities: error info, and 32-bit color; no others. */
const EARLY = { errors: 0x0001, wants32: 0x0002 } as const;
const MAX_CHANNELS = 31;
const CHANNEL_BYTES = 12;
/** `CHANNEL_OPTION_INITIALIZED` only: no compression, no sharing. */
const OWN_CHANNEL = Buffer.from([0, 0, 0, 0x80]);
/** Limits of a screen's width and height (MS-RDPBCGR 2.2.1.3.2). */
const SIDE = { least: 200, most: 8192 } as const;

/** Bits per pixel. */
export type Colors = 16 | 32;

export interface ScreenSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The screen size for a browser window, within the limits, and with a width that servers need not
 * pad.
 */
export function screenFor({ width, height }: ScreenSize): ScreenSize {
  const limited = (side: number) => Math.min(SIDE.most, Math.max(SIDE.least, side));
  return { width: limited(width) & ~3, height: limited(height) & ~1 };
}

export interface RequestedSettings {
  readonly size: ScreenSize;
  /** The security protocol that the server chose. It verifies the value. */
  readonly protocol: number;
  readonly colors: Colors;
  /** Windows keyboard layout id; 0 selects the server's default. */
  readonly keyboardLayout: number;
  readonly clientName: string;
  /** Names of the browser's channels that may stay open. */
  readonly allowed: ReadonlySet<string>;
  /** Names of channels that the gateway adds for itself. */
  readonly own: readonly string[];
}

/** Channel names in the order in which the server numbers them. */
export interface ChannelNames {
  /** The browser's channels; undefined for closed ones. */
  readonly browser: readonly (string | undefined)[];
  readonly own: readonly string[];
}

/**
 * Rewrites a browser's Connect Initial with our settings.
 * @throws BadPdu
 */
export function rewriteConnectInitial(
  mcs: Buffer,
  settings: RequestedSettings,
): { readonly mcs: Buffer; readonly names: ChannelNames } {
  let hasCore = false;
  let names: ChannelNames = { browser: [], own: [] };
  let list: Buffer | undefined;
  for (const { kind, bytes } of settingsOf(mcs, 'Duca')) {
    if (kind === CLIENT.core) {
      rewriteCore(bytes, settings);
      hasCore = true;
    } else if (kind === CLIENT.channels) {
      const browser = rewriteChannels(bytes, settings.allowed);
      names = { browser, own: settings.own.slice(0, MAX_CHANNELS - browser.length) };
      list = bytes;
    }
    // Clear the RDP encryption methods and the session to reconnect to.
    else if (kind === CLIENT.security || kind === CLIENT.cluster) bytes.fill(0, 4);
    else throw new BadPdu('the browser sent settings that are not taken');
  }
  if (!hasCore) throw new BadPdu('the browser sent no settings of its screen');
  return { mcs: list ? withOwnChannels(mcs, list, names) : mcs, names };
}

/** Appends the gateway's channels to the list, which is a view of the message. */
function withOwnChannels(mcs: Buffer, list: Buffer, { browser, own }: ChannelNames): Buffer {
  if (own.length === 0) return mcs;
  const added = Buffer.concat(
    own.map((name) => Buffer.concat([Buffer.from(name.padEnd(8, '\0')), OWN_CHANNEL])),
  );
  const end = list.byteOffset - mcs.byteOffset + list.length;
  list.writeUInt16LE(list.length + added.length, 2);
  list.writeUInt32LE(browser.length + own.length, 4);
  return insertSettings(mcs, end, added);
}

function rewriteCore(
  bytes: Buffer,
  { size, protocol, colors, keyboardLayout, clientName }: RequestedSettings,
): void {
  if (bytes.length < MIN_CORE) throw new BadPdu('the settings of the screen are too short');
  bytes.writeUInt16LE(size.width, CORE.width);
  bytes.writeUInt16LE(size.height, CORE.height);
  bytes.writeUInt32LE(keyboardLayout, CORE.keyboardLayout);
  bytes.writeUInt32LE(BUILD_NUMBER, CORE.buildNumber);
  bytes.fill(0, CORE.clientName, CORE.clientName + NAME_BYTES);
  bytes.write(clientName.slice(0, 15), CORE.clientName, 'utf16le');
  bytes.writeUInt16LE(colors === 32 ? 24 : 16, CORE.colorDepth);
  bytes.writeUInt16LE(colors === 32 ? 0x000f : 0x0002, CORE.depths);
  bytes.writeUInt16LE(EARLY.errors | (colors === 32 ? EARLY.wants32 : 0), CORE.early);
  bytes.writeUInt32LE(protocol, CORE.protocol);
}

/** Renames closed channels, because removing them would change the numbers of others. */
function rewriteChannels(bytes: Buffer, allowed: ReadonlySet<string>): (string | undefined)[] {
  const count = bytes.length < 8 ? -1 : bytes.readUInt32LE(4);
  if (count < 0 || count > MAX_CHANNELS || bytes.length !== 8 + count * CHANNEL_BYTES)
    throw new BadPdu('the list of channels has another length');
  return Array.from({ length: count }, (_, index) => {
    const at = 8 + index * CHANNEL_BYTES;
    const name = bytes.toString('latin1', at, at + 8).replace(/\0.*$/s, '');
    if (allowed.has(name)) {
      OWN_CHANNEL.copy(bytes, at + 8);
      return name;
    }
    bytes.fill(0, at, at + CHANNEL_BYTES);
    bytes.write(`off${index}`, at, 'latin1');
    return undefined;
  });
}

export interface ServerSettings {
  /** The channel of graphics and input. */
  readonly io: number;
  /** Ids of the browser's channels, then those of the gateway's. */
  readonly channels: readonly number[];
}

/**
 * Parses a Connect Response, and adapts it in place to the browser's original request.
 * @throws BadPdu
 */
export function rewriteConnectResponse(
  mcs: Buffer,
  { browser, own }: ChannelNames,
  protocols: number,
): ServerSettings {
  let settings: ServerSettings | undefined;
  for (const { kind, bytes } of settingsOf(mcs, 'McDn')) {
    if (kind === SERVER.core) {
      if (bytes.length >= 12) bytes.writeUInt32LE(protocols, 8);
      if (bytes.length >= 16) bytes.writeUInt32LE(0, 12);
    } else if (kind === SERVER.security) {
      if (bytes.length < 12 || bytes.readUInt32LE(4) !== 0 || bytes.readUInt32LE(8) !== 0)
        throw new BadPdu('the server encrypts a second time');
    } else if (kind === SERVER.channels) {
      settings = readServerChannels(bytes, browser.length + own.length);
      // The browser reads only the numbers of the channels that it asked for.
      bytes.writeUInt16LE(browser.length, 6);
    } else throw new BadPdu('the server sent settings that were not asked for');
  }
  if (!settings) throw new BadPdu('the server named no channels');
  return settings;
}

function readServerChannels(bytes: Buffer, count: number): ServerSettings {
  if (bytes.length < 8) throw new BadPdu('the channels of the server are too short');
  const channelCount = bytes.readUInt16LE(6);
  if (channelCount !== count || bytes.length < 8 + channelCount * 2)
    throw new BadPdu('the server named other channels than were asked for');
  const channels = Array.from({ length: channelCount }, (_, index) =>
    bytes.readUInt16LE(8 + index * 2),
  );
  const io = bytes.readUInt16LE(4);
  if (new Set([io, ...channels]).size !== channelCount + 1)
    throw new BadPdu('the server gave one number to two channels');
  return { io, channels };
}
