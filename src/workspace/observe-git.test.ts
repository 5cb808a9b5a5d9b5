import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { IS_FULL } from '../../test/support/full-counts.ts'
import { PLAIN_ENV, type Repository } from '../../test/support/git-repository.ts'
import { checkGitObservation } from '../../test/support/message-checkers.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import type { GitObservation } from '../contract/git-observation.shape.ts'
import { digest } from '../kit/digest.ts'
import { readJson } from '../kit/json/read-json.ts'
import { writeJson } from '../kit/json/write-json.ts'
import { locateGit } from './git.ts'
import { type ObserveOptions, observeGit } from './observe-git.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal
const EMPTY = digest('')

async function observe(start: string, around: Partial<ObserveOptions> = {}): Promise<GitObservation> {
  return checkGitObservation(await observeGit({ start, git, signal, ...around }))
}

const listed = ({ path_observations }: GitObservation) =>
  path_observations.map(({ path, category, state, observation }) => [path, category, state, observation])

/** A repository with one commit of these files. */
function createCommitted(files: Record<string, string> = { a: 'one\ntwo\nthree\nfour\n' }): Repository {
  const repository = createRepository()
  for (const [path, content] of Object.entries(files)) repository.write(path, content)
  repository.commit()
  return repository
}

function addSubmodule({ git: make }: Repository): void {
  const { root } = createCommitted()
  make('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', root, 'inner')
}

type Situation = readonly [what: string, make: () => Repository, expected: readonly (readonly string[])[]]

const SITUATIONS: readonly Situation[] = [
  ['a clean worktree', () => createCommitted(), []],
  [
    'an unborn branch',
    () => {
      const repository = createRepository()
      repository.write('staged', '1')
      repository.git('add', '--all')
      repository.write('untracked', '2')
      return repository
    },
    [
      ['staged', 'ordinary', 'A.', 'regular'],
      ['untracked', 'untracked', '??', 'regular'],
    ],
  ],
  [
    'files that flags of the index hide from git, changed or not',
    () => {
      const repository = createCommitted({ assumed: '1', deleted: '1', same: '1', seen: '1', skipped: '1' })
      repository.git('update-index', '--assume-unchanged', 'assumed')
      repository.git('update-index', '--skip-worktree', 'deleted', 'same', 'skipped')
      for (const path of ['assumed', 'skipped']) repository.write(path, '2')
      fs.rmSync(join(repository.root, 'deleted'))
      return repository
    },
    [
      ['assumed', 'hidden', 'h', 'regular'],
      ['deleted', 'hidden', 'S', 'missing'],
      ['same', 'hidden', 'S', 'regular'],
      ['skipped', 'hidden', 'S', 'regular'],
    ],
  ],
  [
    'a sparse checkout, in which a file is there that should not be',
    () => {
      const repository = createCommitted({ left: '1', out: '1', there: '1' })
      repository.git('sparse-checkout', 'set', '--no-cone', '/left')
      repository.git('config', 'sparse.expectFilesOutsideOfPatterns', 'true')
      repository.write('there', '2')
      return repository
    },
    [['there', 'ordinary', '.M', 'regular']],
  ],
  [
    'changes staged, not staged and both',
    () => {
      const repository = createCommitted({ both: '1', staged: '1', worktree: '1' })
      repository.write('both', '22')
      repository.write('staged', '22')
      repository.git('add', '--all')
      repository.write('both', '333')
      repository.write('worktree', '333')
      return repository
    },
    [
      ['both', 'ordinary', 'MM', 'regular'],
      ['staged', 'ordinary', 'M.', 'regular'],
      ['worktree', 'ordinary', '.M', 'regular'],
    ],
  ],
  [
    'deletions staged and not',
    () => {
      const repository = createCommitted({ a: '1', b: '2', c: '3' })
      repository.git('rm', '--quiet', 'a')
      fs.rmSync(join(repository.root, 'b'))
      repository.git('rm', '--quiet', '--cached', 'c')
      return repository
    },
    [
      ['a', 'ordinary', 'D.', 'missing'],
      ['b', 'ordinary', '.D', 'missing'],
      ['c', 'ordinary,untracked', '??,D.', 'regular'],
    ],
  ],
  [
    'a rename',
    () => {
      const repository = createCommitted()
      repository.git('mv', 'a', 'b')
      return repository
    },
    [
      ['a', 'rename_origin', 'R. R100', 'missing'],
      ['b', 'rename', 'R. R100', 'regular'],
    ],
  ],
  [
    'a rename whose origin is there again',
    () => {
      const repository = createCommitted()
      repository.git('mv', 'a', 'b')
      repository.write('a', 'new')
      repository.write('b', 'one\ntwo\nthree\nFOUR\n')
      return repository
    },
    [
      ['a', 'rename_origin,untracked', '??,RM R100', 'regular'],
      ['b', 'rename', 'RM R100', 'regular'],
    ],
  ],
  [
    'a copy, where the user lets git look for copies',
    () => {
      const repository = createCommitted()
      repository.git('config', 'status.renames', 'copies')
      repository.write('b', 'one\ntwo\nthree\nfour\n')
      repository.write('a', 'one\ntwo\nthree\nfour\nfive\n')
      repository.git('add', '--all')
      return repository
    },
    [
      ['a', 'copy_origin,ordinary', 'C. C100,M.', 'regular'],
      ['b', 'copy', 'C. C100', 'regular'],
    ],
  ],
  [
    'conflicts',
    () => {
      const repository = createCommitted({ both: '1', gone: '1' })
      repository.git('switch', '--quiet', '--create=other')
      repository.write('both', 'theirs')
      repository.write('gone', 'theirs')
      repository.commit()
      repository.git('switch', '--quiet', 'main')
      repository.write('both', 'ours')
      repository.git('rm', '--quiet', 'gone')
      repository.commit()
      expect(() => repository.git('merge', 'other')).toThrow()
      return repository
    },
    [
      ['both', 'unmerged', 'UU', 'regular'],
      ['gone', 'unmerged', 'DU', 'regular'],
    ],
  ],
  [
    'a file that became a link, and a link that became a file',
    () => {
      const repository = createCommitted({ a: '1' })
      fs.symlinkSync('a', join(repository.root, 'b'))
      repository.commit()
      fs.rmSync(join(repository.root, 'a'))
      fs.symlinkSync('nowhere', join(repository.root, 'a'))
      fs.rmSync(join(repository.root, 'b'))
      repository.write('b', '2')
      return repository
    },
    [
      ['a', 'ordinary', '.T', 'symlink'],
      ['b', 'ordinary', '.T', 'regular'],
    ],
  ],
  [
    'a change of mode alone',
    () => {
      const repository = createCommitted()
      fs.chmodSync(join(repository.root, 'a'), 0o755)
      return repository
    },
    [['a', 'ordinary', '.M', 'regular']],
  ],
  [
    'a folder that became a link to another with the same files',
    () => {
      const repository = createCommitted({ 'folder/secret': '1' })
      const elsewhere = temporaryDirectory()
      fs.writeFileSync(join(elsewhere, 'secret'), 'not of this worktree')
      fs.rmSync(join(repository.root, 'folder'), { recursive: true })
      fs.symlinkSync(elsewhere, join(repository.root, 'folder'))
      return repository
    },
    [
      ['folder', 'untracked', '??', 'symlink'],
      ['folder/secret', 'ordinary', '.D', 'missing'],
    ],
  ],
  [
    'files that git ignores',
    () => {
      const repository = createCommitted({ '.gitignore': 'ignored\n' })
      repository.write('ignored', '1')
      repository.write('deep/ignored', '1')
      repository.write('deep/seen', '1')
      return repository
    },
    [['deep/seen', 'untracked', '??', 'regular']],
  ],
  [
    'a file that is only promised to be added',
    () => {
      const repository = createCommitted()
      repository.write('b', '1')
      repository.git('add', '--intent-to-add', 'b')
      return repository
    },
    [['b', 'ordinary', '.A', 'regular']],
  ],
  [
    'a new submodule',
    () => {
      const repository = createCommitted()
      addSubmodule(repository)
      return repository
    },
    [
      ['.gitmodules', 'ordinary', 'A.', 'regular'],
      ['inner', 'ordinary', 'A.', 'non_regular'],
    ],
  ],
  [
    'a submodule with changes inside, of which only a commit counts',
    () => {
      const repository = createCommitted()
      addSubmodule(repository)
      repository.commit()
      repository.write('inner/a', 'changed')
      return repository
    },
    [],
  ],
  [
    'a submodule at another commit',
    () => {
      const repository = createCommitted()
      addSubmodule(repository)
      repository.commit()
      repository.git('-C', 'inner', 'commit', '--quiet', '--allow-empty', '--message=Next')
      return repository
    },
    [['inner', 'ordinary', '.M', 'non_regular']],
  ],
  [
    'a repository inside that is none of its submodules',
    () => {
      const repository = createCommitted()
      createRepository({ at: join(repository.root, 'inner') }).write('b', '1')
      return repository
    },
    [['inner/', 'untracked', '??', 'non_regular']],
  ],
  [
    'odd names, in the order of their bytes',
    () => {
      const repository = createRepository()
      for (const name of [' a  b ', 'a\nb', 'a\tb', '"q"', "it's", '-n', 'für/日本', '😀', '\uff5e', 'back\\slash']) {
        repository.write(name, '1')
      }
      repository.write('x', '1')
      const latin1 = Buffer.concat([Buffer.from(`${repository.root}/`), Buffer.from('caf\xe9', 'latin1')])
      fs.renameSync(join(repository.root, 'x'), latin1)
      return repository
    },
    [' a  b ', '"\\"q\\""', '"caf\\351"', '-n', 'a\tb', 'a\nb', 'back\\slash', 'für/日本', "it's", '\uff5e', '😀'].map(
      (name) => [name, 'untracked', '??', 'regular'],
    ),
  ],
]

describe('observeGit', () => {
  it.each(SITUATIONS)('sees %s', async (_what, make, expected) => {
    const { root } = make()
    const observation = await observe(root)
    expect(listed(observation)).toEqual(expected)
    expect(observation).toMatchObject({ path_count: expected.length, content_observation_complete: true })
  })

  it('returns every field of an observation', async () => {
    const { root, git: make } = createCommitted()
    make('rm', '--quiet', 'a')
    const place = join(root, 'b')
    fs.writeFileSync(place, 'hello\n')
    const observation = await observe(root)
    expect(observation).toEqual({
      version: 1,
      head: make('rev-parse', 'HEAD').trim(),
      index_fingerprint: digest(make('ls-files', '--stage', '-z')),
      status_fingerprint: digest(make('status', '--porcelain=v2', '-z', '--untracked-files=all')),
      snapshot_hash: expect.stringMatching(/^sha256:/),
      path_fingerprint: expect.stringMatching(/^sha256:/),
      path_count: 2,
      details_truncated: false,
      content_observation_complete: true,
      content_bytes_hashed: 6,
      content_byte_limit: 67_108_864,
      content_byte_limit_exceeded: false,
      content_deadline_exceeded: false,
      dirty_files: ['a', 'b'],
      path_observations: [
        { path: 'a', category: 'ordinary', state: 'D.', observation: 'missing' },
        {
          path: 'b',
          category: 'untracked',
          state: '??',
          observation: 'regular',
          size: 6,
          modified_unix_nano: fs.statSync(place, { bigint: true }).mtimeNs,
          content_sha256: digest('hello\n'),
          content_fingerprint_kind: 'full_sha256',
        },
      ],
    } satisfies GitObservation)
  })

  it('has a fixed hash for a new repository', async () => {
    expect(await observe(createRepository().root)).toMatchObject({
      head: 'unborn',
      index_fingerprint: EMPTY,
      status_fingerprint: EMPTY,
      snapshot_hash: 'sha256:a4c35e4a4db8d72d9f378854e8cb6f992b6d9cd66d6a6eb85eab71ded8e3555e',
    })
  })

  it('reads the commit of a repository with SHA-256 objects', async () => {
    const repository = createRepository({ init: ['--object-format=sha256'] })
    repository.write('a', '1')
    repository.commit()
    const { head } = await observe(repository.root)
    expect(head).toMatch(/^[0-9a-f]{64}$/)
    expect(head).toBe(repository.git('rev-parse', 'HEAD').trim())
  })

  it('observes a linked worktree separately', async () => {
    const repository = createCommitted()
    const linked = join(temporaryDirectory(), 'linked')
    repository.git('worktree', 'add', '--quiet', '--detach', linked)
    fs.writeFileSync(join(linked, 'b'), '1')
    expect((await observe(linked)).dirty_files).toEqual(['b'])
    expect((await observe(repository.root)).dirty_files).toEqual([])
  })

  it('observes the whole worktree from a folder in it', async () => {
    const repository = createCommitted({ 'folder/a': '1' })
    repository.write('b', '1')
    expect((await observe(join(repository.root, 'folder'))).dirty_files).toEqual(['b'])
  })

  it('is unchanged after a round trip through JSON', async () => {
    const repository = createCommitted()
    repository.write('a', '1')
    const observation = await observe(repository.root)
    expect(readJson(Buffer.from(writeJson(observation)), { input: 'it', limitBytes: 10_000 })).toEqual(observation)
  })

  it('returns the same twice if nothing changes in between', async () => {
    const repository = createCommitted()
    repository.write('a', '1')
    const first = await observe(repository.root)
    expect(await observe(repository.root)).toEqual(first)
  })

  it.each<readonly [string, (repository: Repository) => void]>([
    ['a dirty file gets other content of the same size', ({ write }) => write('a', '2')],
    ['a dirty file is touched', ({ root }) => fs.utimesSync(join(root, 'a'), 5, 5)],
    ['a dirty file is staged', ({ git: make }) => make('add', 'a')],
    ['a file is added', ({ write }) => write('b', '1')],
    ['a commit is made', ({ commit }) => commit()],
  ])('has another hash after %s', async (_what, act) => {
    const repository = createCommitted()
    repository.write('a', '1')
    const before = await observe(repository.root)
    act(repository)
    expect((await observe(repository.root)).snapshot_hash).not.toBe(before.snapshot_hash)
  })

  it('changes nothing in the repository', async () => {
    const repository = createCommitted()
    // The index now disagrees with the times of the files, which an ordinary status would write down.
    fs.utimesSync(join(repository.root, 'a'), 5, 5)
    const index = join(repository.root, '.git/index')
    const before = fs.readFileSync(index)
    await observe(repository.root)
    expect(fs.readFileSync(index).equals(before)).toBe(true)
    repository.git('status')
    expect(fs.readFileSync(index).equals(before)).toBe(false)
  })

  it('ignores variables that name another repository', async () => {
    const [here, elsewhere] = [createCommitted(), createCommitted({ b: '1' })]
    const plain = await observe(here.root)
    const env = {
      ...PLAIN_ENV,
      GIT_DIR: join(elsewhere.root, '.git'),
      GIT_WORK_TREE: elsewhere.root,
      GIT_INDEX_FILE: join(elsewhere.root, '.git/index'),
      GIT_OBJECT_DIRECTORY: join(elsewhere.root, '.git/objects'),
      GIT_NAMESPACE: 'other',
      GIT_TRACE: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.bare',
      GIT_CONFIG_VALUE_0: 'true',
      LC_ALL: 'de_DE.UTF-8',
    }
    expect(await observe(here.root, { git: locateGit({ env, cwd: '/' }) })).toEqual(plain)
  })

  it('recognizes an unborn branch although tracing is on', async () => {
    const traced = locateGit({ env: { ...PLAIN_ENV, GIT_TRACE: '1' }, cwd: '/' })
    expect((await observe(createRepository().root, { git: traced })).head).toBe('unborn')
  })

  it('ignores the stash, even if the user configured git to show it', async () => {
    const repository = createCommitted()
    const plain = await observe(repository.root)
    repository.git('config', 'status.showStash', 'true')
    repository.write('a', '1')
    repository.git('stash', '--quiet')
    const { status_fingerprint } = await observe(repository.root)
    expect(status_fingerprint).toBe(plain.status_fingerprint)
  })
})

describe('observeGit, within limits', () => {
  it.runIf(IS_FULL)(
    'lists as many of 20,000 files as fit and fingerprints them all',
    async () => {
      const { root, write } = createRepository()
      for (let at = 0; at < 20_000; at += 1) write(`folder-${at % 100}/file-${at}`, `${at}`)
      const observation = await observe(root)
      expect(observation).toMatchObject({ path_count: 20_000, details_truncated: true })
      expect(observation.dirty_files.length).toBeGreaterThan(500)
      expect(observation.dirty_files.length).toBeLessThan(1000)
      write('folder-99/file-9999', 'otherwise') // far down in the list, so only the fingerprint can tell
      const other = await observe(root)
      expect(other.path_observations).toEqual(observation.path_observations)
      expect(other.path_fingerprint).not.toBe(observation.path_fingerprint)
      expect(other.snapshot_hash).not.toBe(observation.snapshot_hash)
    },
    120_000,
  )

  it('reports that the byte limit was exceeded, and reads smaller files after a large one', async () => {
    const { root, write } = createRepository()
    write('a', 'x'.repeat(4))
    write('b', 'x'.repeat(7))
    write('c', 'x'.repeat(6))
    const observation = await observe(root, { limits: { bytes: 10, ms: 60_000 } })
    expect(listed(observation).map(([, , , seen]) => seen)).toEqual(['regular', 'content_unobserved', 'regular'])
    expect(observation).toMatchObject({
      content_observation_complete: false,
      content_bytes_hashed: 10,
      content_byte_limit: 10,
      content_byte_limit_exceeded: true,
      content_deadline_exceeded: false,
    })
  })

  it('reports that the time for reading ran out', async () => {
    const { root, write } = createRepository()
    write('a', '1')
    expect(await observe(root, { limits: { bytes: 10, ms: -1 } })).toMatchObject({
      content_observation_complete: false,
      content_bytes_hashed: 0,
      content_byte_limit_exceeded: false,
      content_deadline_exceeded: true,
    })
  })

  it('is incomplete when a file cannot be read', async () => {
    const { root, write } = createRepository()
    write('a', '1')
    const openSync = () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' })
    }
    expect(await observe(root, { disk: { ...fs, openSync } })).toMatchObject({
      content_observation_complete: false,
      content_byte_limit_exceeded: false,
      content_deadline_exceeded: false,
    })
  })
})

describe('observeGit, when it fails', () => {
  const failing = (script: string) => {
    const program = join(temporaryDirectory(), 'git')
    fs.writeFileSync(program, `#!/bin/sh\ncase "$*" in ${script} *) exec '${git.program}' "$@";; esac\n`, {
      mode: 0o755,
    })
    return { ...git, program }
  }

  it.each([
    [
      'discovery',
      '*--show-toplevel*) echo "fatal: no" >&2; exit 128;;',
      'git cannot find the worktree',
      'git_repository_required',
    ],
    ['HEAD', "*--porcelain*) printf '# branch.oid abc\\0';;", '"abc" is not a commit', 'git_failed'],
    ['HEAD, which is not named', '*--porcelain*) ;;', '"" is not a commit', 'git_failed'],
    ['the index', '*ls-files*) echo "fatal: no" >&2; exit 128;;', 'git ls-files failed: no;', 'git_failed'],
    ['the status', '*--porcelain*) echo "fatal: no" >&2; exit 128;;', 'git status failed: no;', 'git_failed'],
    [
      'the status, unreadable',
      "*--porcelain*) printf '# branch.oid (initial)\\0nonsense\\0';;",
      'its output cannot be read',
      'git_failed',
    ],
    [
      'the status, too long',
      '*--porcelain*) head -c 16777217 /dev/zero;;',
      'printed more than',
      'git_output_too_large',
    ],
  ])('reports a failure of %s', async (_what, script, problem, cause) => {
    const { root } = createCommitted()
    await expect(observe(root, { git: failing(script) })).rejects.toMatchObject({
      code: 'git_observation_failed',
      kind: 'unavailable',
      message: expect.stringContaining(problem),
      cause: expect.objectContaining({ code: cause }),
    })
  })

  it('ends the other git commands before it throws', async () => {
    const { root } = createCommitted()
    const log = join(temporaryDirectory(), 'log')
    const git = failing(
      `*ls-files*) while [ ! -e '${log}' ]; do sleep 0.01; done; exit 128;;
       *--porcelain*) trap "echo ended >> '${log}'; exit" TERM; echo started > '${log}'; while :; do sleep 0.02; done;;`,
    )
    await expect(observe(root, { git })).rejects.toMatchObject({
      cause: expect.objectContaining({ code: 'git_failed' }),
    })
    expect(fs.readFileSync(log, 'utf8')).toBe('started\nended\n')
  })

  it('stops between two files when it is aborted', async () => {
    const { root, write } = createRepository()
    write('a', '1')
    write('b', '1')
    const stop = new AbortController()
    const opened: unknown[] = []
    const openSync = ((place: fs.PathLike, flags: number) => {
      opened.push(place)
      stop.abort()
      // Longer than one turn of the loop, after which the signal is looked at.
      for (const start = performance.now(); performance.now() < start + 25; );
      return fs.openSync(place, flags)
    }) as typeof fs.openSync
    await expect(observe(root, { signal: stop.signal, disk: { ...fs, openSync } })).rejects.toMatchObject({
      code: 'git_observation_failed',
      cause: expect.objectContaining({ code: 'git_interrupted' }),
    })
    expect(opened).toEqual([join(root, 'a')])
  })
})
