import type { ApprovalProgress, Problem } from '@sallyport/contract';
import { RELAY_HOLD_SECONDS } from '../../../limits.ts';
import type { Person } from '../../../ports/people.ts';
import type { ConnectionRequest } from '../../../sessions/dial.ts';
import { type FileSession, filesOpener } from '../../../sessions/files/file-session.ts';
import type { RemoteFiles } from '../../../sessions/files/remote-files.ts';
import { gone, openFor } from '../../open-for.ts';
import type { SshContext } from '../ports.ts';
import { TextError } from '../text-error.ts';
import { words } from '../words.ts';

export interface MountOwner {
  readonly context: SshContext;
  readonly person: Person;
  /** Reports the end of a session. The next use opens a new one, unless the channel ends too. */
  onEnded(problem: Problem): void;
  /** Reports that a connection waits for a reviewer, or for which stage of the approval. */
  onWaits(progress: ApprovalProgress | undefined): void;
}

/** The targets whose files a channel uses. Each is connected on first use. */
export class Mounts {
  private readonly owner: MountOwner;
  private readonly opened = new Map<string, Promise<FileSession>>();
  private readonly controllers = new Set<AbortController>();
  private isOver = false;

  constructor(owner: MountOwner) {
    this.owner = owner;
  }

  /** Returns the files of an asset under an account. @throws Refusal, TextError */
  async files(request: ConnectionRequest): Promise<RemoteFiles> {
    if (this.isOver) throw gone();
    const key = `${request.assetId} ${request.systemUserId}`;
    const known = this.opened.get(key);
    if (known) return (await known).files;
    const opening = this.open(request);
    this.opened.set(key, opening);
    const forget = () => {
      if (this.opened.get(key) === opening) this.opened.delete(key);
    };
    opening.then((session) => session.ended.finally(forget), forget);
    return (await opening).files;
  }

  /** Ends all sessions and removes incomplete files. */
  end(): void {
    this.isOver = true;
    for (const controller of this.controllers) controller.abort(gone());
    for (const opening of this.opened.values()) {
      opening.then(
        (session) => session.end('session_finished'),
        () => undefined,
      );
    }
  }

  private async open(request: ConnectionRequest): Promise<FileSession> {
    const { context, person } = this.owner;
    let controller: AbortController | undefined;
    try {
      return await openFor({
        ports: context.ports,
        hub: context.hub,
        person,
        request,
        opener: filesOpener(),
        client: {
          stage: (stage, _host, progress) => {
            if (stage === 'approval') this.owner.onWaits(progress);
          },
          waitSeconds: RELAY_HOLD_SECONDS,
          askCredentials: () => Promise.reject(new TextError(words.filesNeedPassword)),
          opened: () => undefined,
          closed: (problem) => this.owner.onEnded(problem),
        },
        onBegin: (begun) => {
          controller = begun;
          this.controllers.add(begun);
        },
      });
    } finally {
      if (controller) this.controllers.delete(controller);
    }
  }
}
