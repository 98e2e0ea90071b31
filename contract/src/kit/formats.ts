import { isNetwork } from '../conditions/networks.ts';
import { parsePortRange } from '../conditions/port-ranges.ts';
import { parseWeekHours } from '../conditions/week-hours.ts';
import type { FieldErrorCode } from '../errors/field-errors.ts';
import { parseAssetProtocol } from '../protocols/protocols.ts';
import { isCrontab } from './crontab.ts';
import { isTimeZone } from './datetime.ts';
import type { TextFormat } from './field-kinds.ts';
import { isOperand } from './misleading.ts';
import { readSerialLine } from './serial-line.ts';

interface Format {
  accepts(text: string): boolean;
  readonly problem: FieldErrorCode;
  /** Returns the key that identifies duplicates in a list. */
  identity(text: string): string;
}

const whole = (text: string) => text;

const IPV4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/;
const IPV6 = /^[0-9a-f:]+(%[\w.-]+)?$/i;
/** Dotted numbers are an address, never a host name: `300.1.2.3` is a typing error. */
const DOTTED_NUMBERS = /^\d+(\.\d+)+\.?$/;
const HOST_NAME =
  /^(?=.{1,253}$)[\p{L}\p{N}_]([\p{L}\p{N}_-]*[\p{L}\p{N}_])?(\.[\p{L}\p{N}_]([\p{L}\p{N}_-]*[\p{L}\p{N}_])?)*\.?$/u;

/** Checks by text format. */
export const FORMATS: Readonly<Record<TextFormat, Format>> = {
  plain: { accepts: () => true, problem: 'not_string', identity: whole },
  email: {
    accepts: (text) => /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\"]+$/.test(text),
    problem: 'not_email',
    identity: whole,
  },
  username: {
    accepts: (text) => /^(?!-)[\w@.-]*$/.test(text),
    problem: 'not_username',
    identity: whole,
  },
  operand: { accepts: isOperand, problem: 'not_operand', identity: whole },
  slug: {
    accepts: (text) => /^[\p{L}\p{N}_-]+$/u.test(text),
    problem: 'not_slug',
    identity: whole,
  },
  host: {
    accepts: (text) =>
      IPV4.test(text) ||
      (text.includes(':') ? IPV6.test(text) : HOST_NAME.test(text) && !DOTTED_NUMBERS.test(text)),
    problem: 'not_host',
    identity: whole,
  },
  sftpRoot: {
    accepts: (text) =>
      text === 'home' ||
      text === 'tmp' ||
      (text.startsWith('/') && !text.split('/').includes('..')),
    problem: 'not_sftp_root',
    identity: whole,
  },
  serialLine: {
    accepts: (text) => text === '' || readSerialLine(text) !== undefined,
    problem: 'not_serial_line',
    identity: whole,
  },
  path: {
    accepts: (text) =>
      text === '' || (/^\/[\w./-]*$/.test(text) && !text.split('/').includes('..')),
    problem: 'not_path',
    identity: whole,
  },
  url: {
    accepts: (text) => /^https?:\/\/[^\s/?#@]+([/?#]\S*)?$/i.test(text),
    problem: 'not_url',
    identity: whole,
  },
  port: {
    accepts: (text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535,
    problem: 'not_port',
    identity: whole,
  },
  crontab: { accepts: isCrontab, problem: 'not_crontab', identity: whole },
  network: { accepts: isNetwork, problem: 'not_network', identity: whole },
  weekHours: {
    accepts: (text) => parseWeekHours(text) !== undefined,
    problem: 'not_week_hours',
    identity: whole,
  },
  portRange: {
    accepts: (text) => parsePortRange(text) !== undefined,
    problem: 'not_port_range',
    identity: whole,
  },
  timeZone: { accepts: isTimeZone, problem: 'not_time_zone', identity: whole },
  protocol: {
    accepts: (text) => parseAssetProtocol(text) !== undefined,
    problem: 'not_protocol',
    identity: (text) => text.split('/')[0] ?? text,
  },
};
