import type { BerReader, BerWriter, Control } from 'ldapts';

/** State of a password in the controls of the answer to a bind. */
export interface PolicyAnswer {
  readonly error?: 'password_expired' | 'locked' | 'must_change' | undefined;
  /** Remaining sign-ins with an expired password. */
  readonly graceLeft?: number | undefined;
  /** Seconds until the password expires. */
  readonly expiresIn?: number | undefined;
}

/** Request and response of draft-behera-ldap-password-policy-10. */
const POLICY = '1.3.6.1.4.1.42.2.27.8.5.1';
/** Responses of draft-vchu-ldap-pwd-policy-00, which servers send without a request. */
const EXPIRED = '2.16.840.1.113730.3.4.4';
const EXPIRING = '2.16.840.1.113730.3.4.5';

const ERRORS: Readonly<Record<number, PolicyAnswer['error']>> = {
  0: 'password_expired',
  1: 'locked',
  2: 'must_change',
};
const TAG = { warning: 0xa0, error: 0x81, expiresIn: 0x80, graceLeft: 0x81 } as const;

/** Parses the value of a response; a malformed one says nothing. */
function readPolicy(reader: BerReader): PolicyAnswer {
  try {
    let answer: PolicyAnswer = {};
    reader.readSequence();
    if (reader.remain > 0 && reader.peek() === TAG.warning) {
      reader.readSequence(TAG.warning);
      const tag = reader.peek();
      if (tag === TAG.expiresIn) answer = { expiresIn: reader.readTag(tag) ?? undefined };
      else if (tag === TAG.graceLeft) answer = { graceLeft: reader.readTag(tag) ?? undefined };
    }
    if (reader.remain > 0 && reader.peek() === TAG.error)
      answer = { ...answer, error: ERRORS[reader.readTag(TAG.error) ?? -1] };
    return answer;
  } catch {
    return {};
  }
}

/** Controls for one bind, and the function that returns the answer after it. */
export interface PolicyControls {
  readonly controls: Control[];
  answer(): PolicyAnswer;
}

/** Creates the controls that ask a directory for its password policy. */
export async function createPolicyControls(): Promise<PolicyControls> {
  const library = await import('ldapts');
  let policy: PolicyAnswer | undefined;
  let isExpired = false;
  let seconds: number | undefined;
  class Asked extends library.Control {
    /**
     * Leaves criticality out, as RFC 4511 (5.1) requires for its default. GLAuth 2.5.1 ends when a
     * control without a value has it.
     */
    override write(writer: BerWriter): void {
      writer.startSequence();
      writer.writeString(this.type);
      writer.endSequence();
    }
    override parseControl(reader: BerReader): void {
      policy = readPolicy(reader);
    }
  }
  // The client parses only responses of controls that it knows. These two are never sent.
  class Unasked extends library.Control {
    private readonly read: (text: string) => void;
    constructor(type: string, read: (text: string) => void) {
      super(type);
      this.read = read;
    }
    override write(): void {}
    override parseControl(reader: BerReader): void {
      this.read(reader.buffer.toString('latin1'));
    }
  }
  return {
    controls: [
      new Asked(POLICY),
      new Unasked(EXPIRED, () => {
        isExpired = true;
      }),
      new Unasked(EXPIRING, (text) => {
        if (/^\d{1,9}$/.test(text)) seconds = Number(text);
      }),
    ],
    answer() {
      if (policy && Object.values(policy).some((value) => value !== undefined)) return policy;
      // Without the other response, an expired password has to be changed.
      return isExpired ? { error: 'must_change' } : { expiresIn: seconds };
    },
  };
}
