import { startDevice, type TestDevice } from './device.ts';

const [COM_PORT, SE, SB, WILL, DO, DONT, IAC] = [44, 240, 250, 251, 253, 254, 255] as const;
const ANSWER = 100;

interface SerialOptions {
  /** `refuse` declines the option, `ignore` answers nothing. */
  readonly says?: 'yes' | 'refuse' | 'ignore';
  /** Changes the value of an answer. */
  readonly answerOf?: (kind: number, value: Buffer) => Buffer;
}

/** A serial console that speaks telnet with RFC 2217, and its settings, breaks and lines. */
export interface SerialDevice extends TestDevice {
  /** Requests as `kind:value`, in hexadecimal digits. */
  readonly requests: string[];
  readonly lines: string[];
  /** Number of telnet's own breaks. */
  breaks: number;
}

/** Starts a console with the account `ops` and `secret` behind its own serial server. */
export async function startSerialDevice(options: SerialOptions = {}): Promise<SerialDevice> {
  const { says = 'yes', answerOf = (_kind: number, value: Buffer) => value } = options;
  const seen = { requests: [] as string[], lines: [] as string[], breaks: 0 };
  const device = await startDevice((socket) => {
    let waiting = '';
    socket.write('\r\nconsole login: ');
    const line = (text: string) => {
      seen.lines.push(text);
      if (text === 'ops') socket.write('\r\nPassword: ');
      else socket.write('\r\nconsole> ');
    };
    socket.on('data', (chunk) => {
      waiting += chunk.toString('latin1');
      waiting = waiting.replace(/\xff\xfa([\s\S])([\s\S]?)([\s\S]*?)\xff\xf0/g, (_, ...parts) => {
        const [option = '', kind = '', text = ''] = parts as string[];
        const value = Buffer.from(text.replaceAll('\xff\xff', '\xff'), 'latin1');
        if (option.charCodeAt(0) !== COM_PORT) return '';
        seen.requests.push(`${kind.charCodeAt(0)}:${value.toString('hex')}`);
        const answer = answerOf(kind.charCodeAt(0), value);
        const head = [IAC, SB, COM_PORT, kind.charCodeAt(0) + ANSWER];
        const escaped = [...answer].flatMap((byte) => (byte === IAC ? [IAC, IAC] : [byte]));
        socket.write(Buffer.from([...head, ...escaped, IAC, SE]));
        return '';
      });
      waiting = waiting.replace(/\xff([\xfb-\xfe])([\s\S])/g, (_, verb: string, option: string) => {
        const isWill = verb.charCodeAt(0) === WILL && option.charCodeAt(0) === COM_PORT;
        if (isWill && says !== 'ignore')
          socket.write(Buffer.from([IAC, says === 'yes' ? DO : DONT, COM_PORT]));
        return '';
      });
      waiting = waiting.replace(/\xff\xf3/g, () => {
        seen.breaks++;
        return '';
      });
      // A serial server passes on the return alone.
      for (let end = waiting.indexOf('\r'); end >= 0; end = waiting.indexOf('\r')) {
        line(waiting.slice(0, end).replace(/^[\n\0]/, ''));
        waiting = waiting.slice(end + 1);
      }
    });
  });
  return Object.assign(seen, device);
}
