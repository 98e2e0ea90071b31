import { gone } from '../open-for.ts';

interface Answer<Value> {
  readonly done: (value: Value) => void;
  readonly failed: (reason: Error) => void;
}

/** What a person is asked through a page while a session is opened, and has not answered yet. */
export class Questions {
  private credentials: Answer<{ username: string; password: string }> | undefined;
  private code: Answer<string> | undefined;

  /** Waits for the account at the target. */
  forCredentials(): Promise<{ username: string; password: string }> {
    return new Promise((done, failed) => {
      this.credentials = { done, failed };
    });
  }

  /** Waits for a code of the second factor. */
  forCode(): Promise<string> {
    return new Promise((done, failed) => {
      this.code = { done, failed };
    });
  }

  /** Takes credentials; false when they were not asked for. */
  answerCredentials(username: string, password: string): boolean {
    const asked = this.credentials;
    this.credentials = undefined;
    asked?.done({ username, password });
    return asked !== undefined;
  }

  /** Takes a code; false when none was asked for. */
  answerCode(code: string): boolean {
    const asked = this.code;
    this.code = undefined;
    asked?.done(code);
    return asked !== undefined;
  }

  /** The person is gone: nothing is answered any more. */
  giveUp(): void {
    const left = gone();
    this.credentials?.failed(left);
    this.code?.failed(left);
    this.credentials = undefined;
    this.code = undefined;
  }
}
