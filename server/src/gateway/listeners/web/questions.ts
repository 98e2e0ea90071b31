import { gone } from '../open-for.ts';

interface Answer<Value> {
  readonly done: (value: Value) => void;
  readonly failed: (reason: Error) => void;
}

/** Pending questions to a user of a page while a session opens. */
export class Questions {
  private credentials: Answer<{ username: string; password: string }> | undefined;
  private code: Answer<string> | undefined;

  /** Waits for the account at the target. */
  forCredentials(): Promise<{ username: string; password: string }> {
    return new Promise((done, failed) => {
      this.credentials = { done, failed };
    });
  }

  /** Waits for a code of the second factor, or a reason for reviewers. */
  forCode(): Promise<string> {
    return new Promise((done, failed) => {
      this.code = { done, failed };
    });
  }

  /** Answers a question for credentials. Returns false if none is pending. */
  answerCredentials(username: string, password: string): boolean {
    const question = this.credentials;
    this.credentials = undefined;
    question?.done({ username, password });
    return question !== undefined;
  }

  /** Answers a question for a code. Returns false if none is pending. */
  answerCode(code: string): boolean {
    const question = this.code;
    this.code = undefined;
    question?.done(code);
    return question !== undefined;
  }

  /** Rejects all pending questions: the user has left. */
  giveUp(): void {
    const left = gone();
    this.credentials?.failed(left);
    this.code?.failed(left);
    this.credentials = undefined;
    this.code = undefined;
  }
}
