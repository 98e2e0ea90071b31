import { describe, expect, it } from 'vitest';
import { ACTION_TREE, type ActionBranch, actionsText, tick, tickOf } from './actions.ts';

const branch = (name: string, from: ActionBranch = ACTION_TREE): ActionBranch => {
  const branch = [from, ...from.children, ...from.children.flatMap((child) => child.children)].find(
    (one) => one.name === name,
  );
  if (!branch) throw new Error(name);
  return branch;
};

describe('the tree of actions', () => {
  it('ticks all parts of a branch with the branch', () => {
    expect(tick(branch('updownload'), true, [])).toEqual([
      'upload_file',
      'download_file',
      'updownload',
    ]);
    expect(tick(branch('all'), true, [])).toEqual([
      'all',
      'connect',
      'upload_file',
      'download_file',
      'updownload',
    ]);
  });

  it('ticks the whole when its last part is ticked', () => {
    expect(tick(branch('connect'), true, ['updownload'])).toContain('all');
  });

  it('names the parts of all, and no action that is no part of it', () => {
    expect(actionsText(['all'])).toBe(actionsText(['connect', 'upload_file', 'download_file']));
    expect(actionsText(['all']).split(/, |、/)).toHaveLength(3);
    expect(actionsText(['all', 'forward_port']).split(/, |、/)).toHaveLength(4);
    expect(actionsText([])).toBe('');
  });

  it('unticks each branch that is no longer complete', () => {
    expect(tick(branch('download_file'), false, ['all'])).toEqual(['connect', 'upload_file']);
    expect(tick(branch('all'), false, ['all'])).toEqual([]);
  });

  it('leaves port forwarding unticked when all is ticked', () => {
    const forward = { name: 'forward_port', children: [] } as const;
    expect(tick(branch('all'), true, [])).not.toContain('forward_port');
    expect(tick(forward, true, ['connect'])).toEqual(['connect', 'forward_port']);
    expect(tick(branch('all'), false, ['all', 'forward_port'])).toEqual(['forward_port']);
    expect(tick(branch('all'), true, ['forward_port'])).toContain('forward_port');
    expect(tick(forward, false, tick(branch('all'), true, ['forward_port']))).toEqual([
      'all',
      'connect',
      'upload_file',
      'download_file',
      'updownload',
    ]);
  });

  it('shows a branch as half ticked when only a part is ticked', () => {
    expect(tickOf(branch('updownload'), ['upload_file'])).toBe('some');
    expect(tickOf(branch('all'), ['connect'])).toBe('some');
    expect(tickOf(branch('connect'), ['all'])).toBe('all');
    expect(tickOf(branch('connect'), [])).toBe('none');
  });
});
