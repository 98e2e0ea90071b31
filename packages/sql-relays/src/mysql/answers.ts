import { ProtocolViolation } from '../byte-reader.ts';
import type { Handling, PacketHead } from './packet-frames.ts';
import { COMMAND, MORE_RESULTS } from './packets.ts';

/** The packet that the server must send next. */
type Expected =
  | 'nothing'
  | 'first'
  | 'single'
  | 'columns'
  | 'columns-end'
  | 'rows'
  | 'prepared'
  | 'parameters'
  | 'parameters-end'
  | 'prepared-columns'
  | 'prepared-columns-end'
  | 'fields'
  | 'copied';

export type Meaning =
  | 'ok'
  | 'error'
  | 'end'
  | 'row'
  | 'column'
  | 'count'
  | 'local-file'
  | 'prepared'
  | 'other';

/** Tracks the answer to one command, packet by packet (MySQL, "Command Phase"). */
export class Answers {
  private expected: Expected = 'nothing';
  private left = 0;
  private leftColumns = 0;

  get isComplete(): boolean {
    return this.expected === 'nothing';
  }

  /** Starts the answer to a command. */
  begin(command: number): void {
    if (command === COMMAND.prepare) this.expected = 'prepared';
    else if (command === COMMAND.fieldList) this.expected = 'fields';
    else if (command === COMMAND.fetch) this.expected = 'rows';
    else if (
      command === COMMAND.longData ||
      command === COMMAND.closeStatement ||
      command === COMMAND.quit
    )
      this.expected = 'nothing';
    else
      this.expected = command === COMMAND.query || command === COMMAND.execute ? 'first' : 'single';
  }

  /**
   * Returns the meaning of a packet by its header. @throws ProtocolViolation for an unexpected
   * packet
   */
  meaningOf({ first, length, isContinued }: PacketHead): Meaning {
    if (isContinued) {
      if (this.expected !== 'rows') throw new ProtocolViolation('a packet goes on that may not');
      return 'row';
    }
    const isEnd = first === 0xfe && length < 9;
    switch (this.expected) {
      case 'nothing':
        // Servers announce a shutdown without a command.
        if (first === 0xff) return 'error';
        throw new ProtocolViolation('the server answers unasked');
      case 'first':
        if (first === 0xff) return 'error';
        if (first === 0) return 'ok';
        if (first === 0xfb) return 'local-file';
        return 'count';
      case 'single':
        return first === 0xff ? 'error' : first === 0 ? 'ok' : 'other';
      case 'copied':
        return first === 0xff ? 'error' : 'ok';
      case 'prepared':
        return first === 0xff ? 'error' : 'prepared';
      case 'rows':
        if (isEnd) return 'end';
        return first === 0xff ? 'error' : 'row';
      case 'fields':
        if (isEnd) return 'end';
        return first === 0xff ? 'error' : 'column';
      case 'columns-end':
      case 'parameters-end':
      case 'prepared-columns-end':
        if (!isEnd) throw new ProtocolViolation('columns without an end');
        return 'other';
      default:
        return this.expected === 'columns' ? 'column' : 'other';
    }
  }

  /** Returns how to process a packet. Rows are collected only for the sample. */
  static handlingOf(meaning: Meaning, wantsRow: boolean): Handling {
    return meaning === 'row' ? (wantsRow ? 'collect' : 'pass') : 'collect';
  }

  /**
   * Advances after a packet. `count` comes from a result, `parameters` and `columns` from a
   * prepared statement, `status` from an OK or end packet.
   */
  took(
    meaning: Meaning,
    {
      count = 0,
      parameters = 0,
      columns = 0,
      status = 0,
    }: { count?: number; parameters?: number; columns?: number; status?: number },
  ): void {
    switch (meaning) {
      case 'error':
        this.expected = 'nothing';
        return;
      case 'ok':
      case 'end':
        // For a list of fields, the end of the columns is the end of the answer.
        this.expected =
          (status & MORE_RESULTS) !== 0 && this.expected !== 'fields' ? 'first' : 'nothing';
        return;
      case 'local-file':
        this.expected = 'copied';
        return;
      case 'count':
        this.left = count;
        this.expected = 'columns';
        return;
      case 'column':
        if (this.expected === 'columns' && --this.left === 0) this.expected = 'columns-end';
        return;
      case 'prepared':
        this.left = parameters;
        this.leftColumns = columns;
        this.expected =
          parameters > 0 ? 'parameters' : columns > 0 ? 'prepared-columns' : 'nothing';
        this.left = parameters > 0 ? parameters : columns;
        return;
      case 'other':
        this.tookOther(status);
        return;
      default:
    }
  }

  private tookOther(status: number): void {
    if (this.expected === 'single') this.expected = 'nothing';
    else if (this.expected === 'parameters' || this.expected === 'prepared-columns') {
      if (--this.left === 0)
        this.expected = this.expected === 'parameters' ? 'parameters-end' : 'prepared-columns-end';
    } else if (this.expected === 'parameters-end') {
      this.left = this.leftColumns;
      this.expected = this.leftColumns > 0 ? 'prepared-columns' : 'nothing';
    } else if (this.expected === 'prepared-columns-end') this.expected = 'nothing';
    // A cursor was opened; further commands fetch its rows.
    else if (this.expected === 'columns-end')
      this.expected = (status & 0x40) !== 0 ? 'nothing' : 'rows';
  }
}
