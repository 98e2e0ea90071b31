/** The target of a stream of bytes. */
interface Sink {
  /** Takes bytes. Returns false to request a pause. */
  write(chunk: Buffer): boolean;
  finishInput(): void;
}

/** Input of a program that waits while its session is locked. The client pauses meanwhile. */
export class HeldInput {
  private readonly chunks: Buffer[] = [];
  private hasEnded = false;

  /** Keeps a chunk. Returns false: the client must pause. */
  add(chunk: Buffer): false {
    this.chunks.push(chunk);
    return false;
  }

  end(): void {
    this.hasEnded = true;
  }

  /** Passes everything on. Returns true if the client may continue at once. */
  release(sink: Sink): boolean {
    let canContinue = true;
    for (const chunk of this.chunks.splice(0)) canContinue = sink.write(chunk);
    if (this.hasEnded) sink.finishInput();
    return canContinue;
  }
}
