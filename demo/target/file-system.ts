/** A folder or file of the demo machine, in memory only. */
export type FileNode = FolderNode | TextNode;

export interface FolderNode {
  readonly kind: 'folder';
  readonly children: Map<string, FileNode>;
  changed: Date;
  readonly isOurs: boolean;
}

export interface TextNode {
  readonly kind: 'file';
  text: string;
  changed: Date;
  readonly isOurs: boolean;
}

const MAX_NODES = 2000;
const MAX_TEXT = 4 * 1024 * 1024;
const MAX_NAME = 255;

/** A file error with the usual wording of programs. */
export class FileProblem extends Error {}

/** The files of one visit. Visitors cannot see each other or leave anything behind. */
export class FileSystem {
  private readonly root: FolderNode = folder(false);
  private nodes = 1;
  private textLength = 0;

  /** Adds a file of the machine with its parent folders. */
  seed(path: string, text: string, changed: Date, isOurs: boolean): void {
    const names = namesOf(path);
    let at = this.root;
    for (const name of names.slice(0, -1)) {
      let next = at.children.get(name);
      if (!next) {
        next = folder(isOurs, changed);
        at.children.set(name, next);
      }
      if (next.kind !== 'folder') return;
      at = next;
    }
    const last = names.at(-1);
    if (last !== undefined) at.children.set(last, { kind: 'file', text, changed, isOurs });
  }

  /** Returns the absolute path. */
  resolve(cwd: string, path: string): string {
    const names: string[] = path.startsWith('/') ? [] : [...namesOf(cwd)];
    for (const name of namesOf(path)) {
      if (name === '..') names.pop();
      else if (name !== '.') names.push(name);
    }
    return `/${names.join('/')}`;
  }

  find(path: string): FileNode | undefined {
    let at: FileNode = this.root;
    for (const name of namesOf(path)) {
      if (at.kind !== 'folder') return undefined;
      const next = at.children.get(name);
      if (!next) return undefined;
      at = next;
    }
    return at;
  }

  read(path: string): string {
    const node = this.find(path);
    if (!node) throw new FileProblem('No such file or directory');
    if (node.kind === 'folder') throw new FileProblem('Is a directory');
    return node.text;
  }

  write(path: string, text: string, append: boolean): void {
    const present = this.find(path);
    if (present?.kind === 'folder') throw new FileProblem('Is a directory');
    if (present && !present.isOurs) throw new FileProblem('Permission denied');
    const whole = append && present ? present.text + text : text;
    const growth = whole.length - (present?.text.length ?? 0);
    if (this.textLength + growth > MAX_TEXT) throw new FileProblem('No space left on device');
    this.textLength += growth;
    if (present) {
      present.text = whole;
      present.changed = new Date();
    } else this.add(path, { kind: 'file', text: whole, changed: new Date(), isOurs: true });
  }

  makeFolder(path: string): void {
    if (this.find(path)) throw new FileProblem('File exists');
    this.add(path, folder(true));
  }

  remove(path: string, recursive: boolean): void {
    const node = this.find(path);
    if (!node) throw new FileProblem('No such file or directory');
    if (!node.isOurs || path === '/') throw new FileProblem('Permission denied');
    if (node.kind === 'folder' && !recursive) throw new FileProblem('Is a directory');
    this.parentOf(path).children.delete(baseName(path));
    this.count(node, -1);
  }

  /** Copies recursively. */
  copy(from: string, to: string): void {
    const node = this.find(from);
    if (!node) throw new FileProblem('No such file or directory');
    if (to === from || to.startsWith(`${from}/`))
      throw new FileProblem('cannot copy a file into itself');
    if (node.kind === 'file') {
      this.write(to, node.text, false);
      return;
    }
    if (!this.find(to)) this.makeFolder(to);
    for (const name of [...node.children.keys()])
      this.copy(`${from === '/' ? '' : from}/${name}`, `${to}/${name}`);
  }

  private add(path: string, node: FileNode): void {
    const parent = this.parentOf(path);
    if (!parent.isOurs) throw new FileProblem('Permission denied');
    const name = baseName(path);
    if (name.length > MAX_NAME) throw new FileProblem('File name too long');
    if (this.nodes >= MAX_NODES) throw new FileProblem('No space left on device');
    this.nodes++;
    parent.children.set(name, node);
    parent.changed = new Date();
  }

  private parentOf(path: string): FolderNode {
    const parent = this.find(path.slice(0, path.lastIndexOf('/')) || '/');
    if (!parent) throw new FileProblem('No such file or directory');
    if (parent.kind !== 'folder') throw new FileProblem('Not a directory');
    return parent;
  }

  private count(node: FileNode, sign: number): void {
    this.nodes += sign;
    if (node.kind === 'file') this.textLength += sign * (node.isOurs ? node.text.length : 0);
    else for (const child of node.children.values()) this.count(child, sign);
  }
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function folder(isOurs: boolean, changed = new Date()): FolderNode {
  return { kind: 'folder', children: new Map(), changed, isOurs };
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}
