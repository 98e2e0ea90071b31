import type { Problem } from '@sallyport/contract';
import type { Person } from '../../../ports/people.ts';
import type { ConnectionRequest } from '../../../sessions/dial.ts';
import type { FileSession } from '../../../sessions/files/file-session.ts';
import { filesOpener } from '../../../sessions/files/open-files.ts';
import type { RemoteFiles } from '../../../sessions/files/remote-files.ts';
import { gone, openFor } from '../../open-for.ts';
import type { SshContext } from '../context.ts';
import { Said } from '../said.ts';
import { words } from '../words.ts';

/** What a channel for files works with. */
export interface MountOwner {
  readonly context: SshContext;
  readonly person: Person;
  /** A session ended; the next use opens another one, unless the channel ends with it. */
  onEnded(problem: Problem): void;
}

/** The targets that one channel has files of, each connected when it is used first. */
export class Mounts {
  private readonly owner: MountOwner;
  private readonly opened = new Map<string, Promise<FileSession>>();
  private readonly controllers = new Set<AbortController>();
  private isOver = false;

  constructor(owner: MountOwner) {
    this.owner = owner;
  }

  /** The files of an asset as an account. @throws Refusal, Said */
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

  /** Ends all of them. What was not complete is removed. */
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
          stage: () => undefined,
          askCredentials: () => Promise.reject(new Said(words.filesNeedPassword)),
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
