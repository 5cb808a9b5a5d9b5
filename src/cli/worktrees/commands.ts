import { commandsIn, flag, type Positional } from '../command.ts'
import { JSON_FLAG } from '../words/shared-flags.ts'

const NAME: Positional = {
  name: 'name',
  description: 'Name of a worktree, or the beginning of one',
  repeats: true,
  suggests: async (runtime) => (await import('./worktrees-command.ts')).suggestWorktrees(runtime),
}

export const WORKTREE_COMMANDS = commandsIn({ group: 'Other' }, [
  {
    words: ['worktrees', 'list'],
    isDefault: true,
    otherNames: ['ls'],
    summary: 'List the git worktrees that drover has created',
    description: `Shows the worktrees of all repositories, oldest first, and what you would lose by removing each.`,
    flags: [JSON_FLAG],
    examples: {
      'drover worktrees': 'all worktrees',
      'drover worktrees list --json': 'for scripts',
    },
    load: async () => ({ run: (await import('./worktrees-command.ts')).list }),
  },
  {
    words: ['worktrees', 'remove'],
    otherNames: ['rm', 'delete'],
    summary: 'Remove worktrees that drover has created',
    description: `A worktree is removed if everything in it, except files that git ignores, is on its branch. The branch stays, unless it has
no new commits. With --discard, the worktree and its branch are removed in any case. Uncommitted changes are committed
first, and the commit is printed, so that you can bring them back with "git branch" until git garbage-collects the commit.`,
    positionals: [NAME],
    flags: [flag('--discard', 'Remove changes and the branch too'), JSON_FLAG],
    examples: {
      'drover worktrees remove show-the-wind-codex-0a1b2c3d': 'if nothing is lost',
      'drover worktrees remove show-the-wind --discard': 'in any case',
    },
    load: async () => ({ run: (await import('./worktrees-command.ts')).remove }),
  },
])
