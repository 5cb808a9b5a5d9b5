import { describe, expect, it } from 'vitest'
import type { RepositoryChange } from '../../workspace/repository-state.ts'
import type { TraceEntry } from '../record/drive-event.shape.ts'
import { type ChangeFacts, isOfOtherRun, judgeChanges, type OtherRuns } from './judge-repository-changes.ts'

const OLD = 'a'.repeat(40)
const NEW = 'b'.repeat(40)
const ROOT = '/home/ada/.drover/worktrees/knots-1/weather'

const NOTHING: ChangeFacts = {
  trace: [],
  root: ROOT,
  directory: `${ROOT}/web`,
  home: '/home/ada',
  places: ['/home/ada/weather', '/home/ada/.drover/worktrees', '/home/ada/weather/.git'],
  byUser: new Set(),
  isFetched: false,
  refs: {},
  sameContent: new Set(),
}

const ran = (command: string): Partial<ChangeFacts> => ({ trace: [{ did: 'command', seq: 1, command }] })
const edited = (path: string): Partial<ChangeFacts> => ({ trace: [{ did: 'edit', seq: 1, paths: [path] }] })
const committed: Partial<ChangeFacts> = { byUser: new Set([NEW]) }
const fetched: Partial<ChangeFacts> = { isFetched: true }
const pushed: Partial<ChangeFacts> = { refs: { 'refs/heads/main': NEW } }

const FILE: RepositoryChange = { what: 'file', name: 'notes.md' }
const HEAD: RepositoryChange = {
  what: 'head',
  name: 'HEAD',
  before: 'ref: refs/heads/main',
  after: 'ref: refs/heads/x',
}
const ref = (name: string, more: Partial<RepositoryChange> = { before: OLD, after: NEW }): RepositoryChange => ({
  what: 'ref',
  name: `refs/${name}`,
  ...more,
})
const config = (...keys: string[]): RepositoryChange => ({
  what: 'config',
  name: 'config',
  before: '1',
  after: '2',
  keys,
})
const gitFile = (name: string): RepositoryChange => ({ what: 'git_file', name, before: '1', after: '2' })

const inside: Partial<ChangeFacts> = { ownRef: 'refs/heads/drover/own', ...ran('cd /home/ada/weather && npm test') }

const noteOf = (change: RepositoryChange, facts: Partial<ChangeFacts>, others: readonly RepositoryChange[] = []) =>
  judgeChanges([change, ...others], { ...NOTHING, ...facts }).find(({ name }) => name === change.name)?.note ??
  'serious'

describe('a change of the repository while an agent ran', () => {
  it.each<[string, RepositoryChange, Partial<ChangeFacts>, string]>([
    ['a file that no tool call names', FILE, ran('npm test'), 'no_tool_call'],
    ['a file, out of reach in a sandbox', FILE, inside, 'sandboxed'],
    ['HEAD, out of reach in a sandbox', HEAD, inside, 'sandboxed'],
    ['a branch, out of reach in a sandbox', ref('heads/main'), inside, 'sandboxed'],
    ['a branch beside its own, in a sandbox', ref('heads/drover/other'), inside, 'sandboxed'],
    ['its own branch, in a sandbox', ref('heads/drover/own'), inside, 'serious'],
    ['a setting, even in a sandbox', config('core.fsmonitor'), inside, 'serious'],
    ['a hook, even in a sandbox', gitFile('hooks/pre-commit'), inside, 'serious'],
    ['a file, and a command names the worktree of the user', FILE, ran('cat /home/ada/weather/notes.md'), 'serious'],
    ['a file, and a command names it from home', FILE, ran('rm ~/weather/notes.md'), 'serious'],
    ['a file, and a command names it with a variable', FILE, ran('rm "$HOME"/weather/notes.md'), 'serious'],
    ['a file, and a command names it with braces', FILE, ran('rm "${HOME}/weather/notes.md"'), 'serious'],
    ['a file, and a command names it relatively', FILE, ran('cp a ../../../../../weather/b'), 'serious'],
    [
      'a file, and a command asks where the repository is',
      FILE,
      ran('cd $(git rev-parse --git-common-dir)'),
      'serious',
    ],
    ['a file, and a command chooses a repository', FILE, ran('GIT_DIR=x git add .'), 'serious'],
    ['a file, and a command chooses a repository by a flag', FILE, ran('git --git-dir=x add .'), 'serious'],
    ['a file, and a command names a place with a similar name', FILE, ran('ls /home/ada/weather-old'), 'no_tool_call'],
    ['a file, and a command names the worktree of the agent', FILE, ran(`cd ${ROOT} && npm test`), 'no_tool_call'],
    ['a file, and a command stays below the root', FILE, ran('cat ../wind.txt'), 'no_tool_call'],
    ['a file, and an edit in the worktree of the user', FILE, edited('/home/ada/weather/x'), 'serious'],
    ['a file, and an edit in the worktree of another run', FILE, edited('/home/ada/.drover/worktrees/y/z'), 'serious'],
    ['a file, and an edit in the worktree of the agent', FILE, edited('wind.txt'), 'no_tool_call'],
    ['a file with the content of the work', FILE, { sameContent: new Set(['notes.md']) }, 'serious'],
    ['HEAD, noted in the log of the user', HEAD, committed, 'own_log'],
    ['HEAD, not noted', HEAD, {}, 'serious'],
    ['a branch, noted in the log of the user', ref('heads/main'), committed, 'own_log'],
    ['a branch, noted with another commit', ref('heads/main'), { byUser: new Set([OLD]) }, 'serious'],
    [
      'a branch, noted, but the agent names the place',
      ref('heads/main'),
      { ...committed, ...ran('git -C /home/ada/weather commit') },
      'serious',
    ],
    ['a branch that was deleted', ref('heads/main', { before: OLD }), committed, 'serious'],
    ['a branch that nothing explains', ref('heads/main'), fetched, 'serious'],
    ['the stash, while the user works', ref('stash'), committed, 'own_log'],
    ['the stash, while nobody works', ref('stash'), {}, 'serious'],
    ['the stash, and the agent stashes', ref('stash'), { ...committed, ...ran('git stash') }, 'serious'],
    ['a remote branch, fetched by the user', ref('remotes/origin/main'), fetched, 'fetched'],
    [
      'a remote branch, and the agent fetches',
      ref('remotes/origin/main'),
      { ...fetched, ...ran('git fetch origin') },
      'serious',
    ],
    ['a remote branch, pushed by someone', ref('remotes/origin/main'), pushed, 'no_tool_call'],
    ['a remote branch, and the agent pushes', ref('remotes/origin/main'), { ...pushed, ...ran('git push') }, 'serious'],
    ['a remote branch that nothing explains', ref('remotes/origin/main'), {}, 'serious'],
    ['a remote branch that was deleted', ref('remotes/origin/main', { before: OLD }), {}, 'serious'],
    ['a new tag, fetched by the user', ref('tags/v1', { after: NEW }), fetched, 'fetched'],
    ['a new tag, not fetched', ref('tags/v1', { after: NEW }), pushed, 'serious'],
    ['a tag that was moved', ref('tags/v1'), fetched, 'serious'],
    ['a replaced object', ref('replace/x', { after: NEW }), { ...fetched, ...committed }, 'serious'],
    ['a setting', config('user.name'), committed, 'serious'],
    ['a hook', { what: 'hook', name: 'hooks/pre-commit', after: '2' }, committed, 'serious'],
    ['settings of the whole user', { what: 'user_config', name: '~/.gitconfig', after: '2' }, committed, 'serious'],
    ['attributes', gitFile('info/attributes'), fetched, 'serious'],
    ['the depth of a clone, fetched by the user', gitFile('shallow'), fetched, 'fetched'],
    ['the depth of a clone, not fetched', gitFile('shallow'), {}, 'serious'],
    ['the depth of a clone, and the agent pulls', gitFile('shallow'), { ...fetched, ...ran('git pull') }, 'serious'],
  ])('%s', (_, change, facts, expected) => {
    expect(noteOf(change, facts)).toBe(expected)
  })

  it.each<[string, RepositoryChange, string]>([
    ['what a branch of the user follows', config('branch.x.remote', 'branch.x.merge'), 'own_log'],
    ['what another branch follows', config('branch.x.remote', 'branch.main.remote'), 'serious'],
    ['where a branch of the user is pushed', config('branch.x.pushremote'), 'serious'],
    ['no known key', config(), 'serious'],
    ['the settings of one worktree', { ...config('branch.x.remote'), name: 'config.worktree' }, 'serious'],
  ])('settings: %s', (_, change, expected) => {
    expect(noteOf(change, committed, [ref('heads/x', { after: NEW })])).toBe(expected)
  })

  it('a branch that was there before may not follow another', () => {
    expect(noteOf(config('branch.x.remote'), committed, [ref('heads/x')])).toBe('serious')
  })

  it('serious ones come first, and keep what is known about them', () => {
    const trace: TraceEntry[] = []
    const tag = ref('tags/evil', { after: NEW })
    expect(judgeChanges([FILE, config('a.b'), tag], { ...NOTHING, trace })).toEqual([
      config('a.b'),
      tag,
      { ...FILE, note: 'no_tool_call' },
    ])
  })
})

describe('a branch of another run', () => {
  const HEADS = {
    'worktrees/own': { branch: 'drover/own', log: 10, is_ours: true },
    'worktrees/other': { branch: 'drover/other', log: 10, is_ours: true },
    'worktrees/hers': { branch: 'hers', log: 10 },
  } as const
  const QUIET: OtherRuns = {
    before: HEADS,
    after: HEADS,
    own: 'worktrees/own',
    noted: new Map(),
    refs: {},
    recorded: { put: new Map(), removed: new Map() },
  }
  const noted = { noted: new Map([['worktrees/other', new Set([NEW])]]) }
  const { 'worktrees/other': _, ...without } = HEADS
  const unlogged = { ...HEADS, 'worktrees/own': { branch: 'drover/own', is_ours: true } } as const
  const DISCARDED = 'drover/discarded/2026-01-08/r1'
  const recorded = (commit: string) => ({
    after: without,
    recorded: {
      put: new Map([
        ['refs/heads/drover/other', new Set([commit])],
        [`refs/${DISCARDED}`, new Set([commit])],
      ]),
      removed: new Map([['refs/heads/drover/x', new Set([commit])]]),
    },
  })
  const local = { refs: { 'refs/heads/drover/other': NEW } }

  it.each<[string, RepositoryChange, Partial<OtherRuns>, boolean]>([
    ['was moved in its worktree', ref('heads/drover/other'), noted, true],
    ['was moved from elsewhere', ref('heads/drover/other'), {}, false],
    [
      'was moved to a commit that another worktree notes',
      ref('heads/drover/other'),
      { noted: new Map([['worktrees/hers', new Set([NEW])]]) },
      false,
    ],
    ['is not of a run', ref('heads/hers'), { noted: new Map([['worktrees/hers', new Set([NEW])]]) }, false],
    ['was pushed', ref('remotes/origin/drover/other'), local, true],
    ['is not what was pushed', ref('remotes/origin/drover/other'), {}, false],
    ['was moved from elsewhere, to where it is now', ref('heads/drover/other'), local, false],
    ['was deleted with its worktree', ref('heads/drover/other', { before: OLD }), { after: without }, true],
    ['was deleted, and its worktree is there', ref('heads/drover/other', { before: OLD }), {}, false],
    ['was deleted, and never had a worktree', ref('heads/drover/x', { before: OLD }), { after: without }, false],
    ['was delivered, and its worktree is gone', ref('heads/drover/other'), recorded(NEW), true],
    ['was delivered with another commit', ref('heads/drover/other'), recorded(OLD), false],
    ['was delivered and pushed', ref('remotes/origin/drover/other'), recorded(NEW), true],
    ['was discarded, and kept for a week', ref(DISCARDED, { after: NEW }), recorded(NEW), true],
    ['is said to be discarded, with another commit', ref(DISCARDED, { after: NEW }), recorded(OLD), false],
    ['was deleted when it was discarded', ref('heads/drover/x', { before: OLD }), recorded(OLD), true],
    [
      'was deleted with another commit than was discarded',
      ref('heads/drover/x', { before: NEW }),
      recorded(OLD),
      false,
    ],
    ['moves in a repository without logs', ref('heads/drover/other'), { before: unlogged, after: unlogged }, true],
    ['is a tag', ref('tags/drover/other'), noted, false],
    ['is a file', { what: 'file', name: 'refs/heads/drover/other', after: NEW }, noted, false],
  ])('%s', (_name, change, facts, expected) => {
    expect(isOfOtherRun(change, { ...QUIET, ...facts })).toBe(expected)
  })
})
