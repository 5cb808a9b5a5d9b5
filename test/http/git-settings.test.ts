/** Agents run git when they start. What the repository there tells git to run, another agent may have written. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startClaude } from '../../src/agents/claude/warm-agent.ts'
import { agentRequest } from '../support/agent-request.ts'
import { createRepositoryAt, PLAIN_ENV } from '../support/git-repository.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { startServer } from '../support/start-server.ts'

/** Looks at the repository as agents do, and answers. */
const AGENT = `#!/bin/sh
cat > /dev/null
git status --short > /dev/null 2>&1
git diff > /dev/null 2>&1
git log -p -1 > /dev/null 2>&1
git diff --submodule=diff HEAD > /dev/null 2>&1
env | grep ^GIT_ | sort > "$HOME/variables"
echo hello
`

type Place = {
  root: string
  /** What it leaves shows that it has run. */
  program: string
  git: (...args: string[]) => string
  write: (path: string, text: string) => void
}

const BACKENDS = ['claude', 'codex', 'gemini']

async function start(ceilings: Record<string, string>, env: Record<string, string> = {}) {
  const server = await startServer({ server: ceilings, env: { GIT_CONFIG_NOSYSTEM: '1', ...env } })
  const home = dirname(server.workdir)
  for (const backend of BACKENDS) writeFileSync(join(home, 'bin', backend), AGENT, { mode: 0o755 })
  return {
    home,
    prompt: (workdir: string, over: object = {}) => {
      const body = { backend: 'claude', prompt: 'say hello', workdir, ...over }
      return server.request('/api/v1/prompt', { method: 'POST', body })
    },
    variables: () => readFileSync(join(home, 'variables'), 'utf8'),
    isStarted: () => existsSync(join(home, 'variables')),
    /** A repository with something planted, and where agents work in it. */
    plant: (how: (place: Place) => void) => plantAt(join(server.workdir, randomUUID()), how),
  }
}

function plantAt(root: string, how: (place: Place) => void) {
  const repository = createRepositoryAt(root)
  for (const name of ['a', 'b']) repository.write(name, 'one\n')
  repository.commit()
  const [program, canary] = [`${root}-program`, `${root}-canary`]
  writeFileSync(program, `#!/bin/sh\ntouch ${canary}\ncat\n`, { mode: 0o755 })
  repository.write('.gitattributes', '* filter=planted diff=planted\n')
  repository.write('a', 'two\n')
  how({ ...repository, program })
  // Git has to look at the content again.
  for (const name of ['a', 'b']) utimesSync(join(root, name), 5, 5)
  const below = join(root, 'work')
  return { workdir: existsSync(below) ? below : root, hasRun: () => existsSync(canary) }
}

const READ_ONLY = { max_sandbox_mode: 'read-only' }
const answered = { status: 200, body: { output: 'hello', exit_code: 0 } }
const refused = (key: string) => ({
  status: 400,
  body: { error: 'git_settings_refused', message: expect.stringContaining(`${key} in `) },
})

/** A repository in a directory without `.git`, as git finds it. */
function makeBare({ root, git }: Place): void {
  git('gc', '--quiet')
  cpSync(join(root, '.git'), root, { recursive: true })
  rmSync(join(root, '.git'), { recursive: true })
}

function plantInside({ git, program, root }: Place): void {
  const inner = createRepositoryAt(join(root, 'inner'))
  inner.write('b', 'one\n')
  inner.write('.gitattributes', '* filter=planted\n')
  inner.commit()
  git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner')
  inner.git('config', 'filter.planted.clean', program)
  inner.git('config', 'core.fsmonitor', program)
  inner.write('b', 'two\n')
}

const TURNED_OFF: readonly (readonly [string, (place: Place) => void])[] = [
  ['a file system monitor', ({ git, program }) => git('config', 'core.fsmonitor', program)],
  [
    'a file system monitor in an embedded repository',
    (place) => {
      makeBare(place)
      const core = `bare = false\nworktree = ${place.root}\nfsmonitor = ${place.program}\n`
      appendFileSync(join(place.root, 'config'), `[core]\n${core}`)
    },
  ],
  [
    'a hook',
    ({ write, program, root }) => {
      write('.git/hooks/post-index-change', `#!/bin/sh\nexec ${program} < /dev/null\n`)
      chmodSync(join(root, '.git/hooks/post-index-change'), 0o755)
    },
  ],
  [
    'another directory with hooks',
    ({ git, program, root }) => {
      mkdirSync(join(root, 'hooks'))
      cpSync(program, join(root, 'hooks/post-index-change'))
      git('config', 'core.hooksPath', 'hooks')
    },
  ],
  ['a filter and a file system monitor in a submodule', plantInside],
]

const filter = ({ git, program }: Place) => git('config', 'filter.planted.clean', program)
const set =
  (key: string) =>
  ({ git, program }: Place) =>
    git('config', key, program)

/** With the key that is named. */
const REFUSED: readonly (readonly [string, (place: Place) => void, string])[] = [
  ['a filter', filter, 'filter.planted.clean'],
  ['a filter that stays up', set('filter.planted.process'), 'filter.planted.process'],
  ['an external diff', set('diff.external'), 'diff.external'],
  ['a text converter', set('diff.planted.textconv'), 'diff.planted.textconv'],
  ['a driver for diffs', set('diff.planted.command'), 'diff.planted.command'],
  [
    'a filter in an included file',
    ({ write, git, program }) => {
      write('more', `[filter "planted"]\nclean = ${program}\n`)
      git('config', 'include.path', '../more')
    },
    'filter.planted.clean',
  ],
  [
    'a filter in a file that is included on a condition',
    ({ write, git, program }) => {
      write('more', `[filter "planted"]\nclean = ${program}\n`)
      git('config', 'includeIf.onbranch:**.path', '../more')
    },
    'filter.planted.clean',
  ],
  [
    'a filter for one worktree',
    ({ git, program }) => {
      git('config', 'extensions.worktreeConfig', 'true')
      git('config', '--worktree', 'filter.planted.clean', program)
    },
    'filter.planted.clean',
  ],
  [
    'a filter of the repository that a linked worktree belongs to',
    (place) => {
      place.git('worktree', 'add', '--quiet', 'work')
      place.write('work/.gitattributes', '* filter=planted\n')
      place.write('work/a', 'two\n')
      filter(place)
    },
    'filter.planted.clean',
  ],
  [
    'a filter of the repository that .git names',
    (place) => {
      filter(place)
      renameSync(join(place.root, '.git'), join(place.root, 'elsewhere'))
      place.write('.git', 'gitdir: ./elsewhere\n')
    },
    'filter.planted.clean',
  ],
  [
    'a filter in an embedded repository',
    (place) => {
      filter(place)
      place.git('config', 'core.worktree', place.root)
      makeBare(place)
    },
    'filter.planted.clean',
  ],
  [
    'a filter above a directory that only looks like a repository',
    (place) => {
      place.write('work/.git/HEAD', 'nothing')
      filter(place)
    },
    'filter.planted.clean',
  ],
  [
    'a program that checks signatures',
    ({ git, program }) => {
      const commit = git('cat-file', 'commit', 'HEAD')
      const signed = commit.replace(
        '\n\n',
        '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n',
      )
      const made = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
        cwd: git('rev-parse', '--show-toplevel').trim(),
        input: signed,
      })
      git('update-ref', 'HEAD', made.toString().trim())
      git('config', 'log.showSignature', 'true')
      git('config', 'gpg.program', program)
    },
    'gpg.program',
  ],
  [
    'a filter in a submodule into which git is told to look',
    (place) => {
      place.write('.gitmodules', '[submodule "x"]\npath = inner\nurl = y\nignore = none\n')
      plantInside(place)
    },
    'filter.planted.clean',
  ],
]

describe('a program that the repository tells git to run', () => {
  it('is run by a git without limits, so the attacks work', () => {
    const home = temporaryDirectory()
    const env = { ...PLAIN_ENV, HOME: home }
    for (const [name, plant] of [...TURNED_OFF, ...REFUSED]) {
      const { workdir, hasRun } = plantAt(join(home, randomUUID()), plant)
      execFileSync('sh', ['-c', AGENT], { cwd: workdir, env, input: '' })
      expect([name, hasRun()]).toEqual([name, true])
    }
  })

  it('is turned off under a ceiling', async () => {
    const { plant, prompt } = await start(READ_ONLY)
    for (const [name, how] of TURNED_OFF) {
      const { workdir, hasRun } = plant(how)
      for (const backend of BACKENDS) expect(await prompt(workdir, { backend }), name).toMatchObject(answered)
      expect([name, hasRun()]).toEqual([name, false])
    }
  })

  it('keeps agents from starting under a ceiling, if nothing turns it off', async () => {
    const { plant, prompt, isStarted } = await start(READ_ONLY)
    for (const [name, how, key] of REFUSED) {
      const { workdir, hasRun } = plant(how)
      expect(await prompt(workdir), name).toMatchObject(refused(key))
      expect(await prompt(workdir, { dry_run: true }), name).toMatchObject(refused(key))
      expect([name, hasRun(), isStarted()]).toEqual([name, false, false])
    }
  })

  it('is refused in an additional directory too', async () => {
    const { plant, prompt } = await start(READ_ONLY)
    const { workdir } = plant(() => {})
    const { workdir: other, hasRun } = plant(filter)
    const over = { additional_directories: [other] }
    expect(await prompt(workdir, over)).toMatchObject(refused('filter.planted.clean'))
    expect([(await prompt(workdir)).status, hasRun()]).toEqual([200, false])
  })

  it('cannot be hidden in settings that cannot be read', async () => {
    const { plant, prompt, isStarted } = await start(READ_ONLY)
    const { workdir } = plant(({ root }) => appendFileSync(join(root, '.git/config'), '[filter "planted\nclean = x\n'))
    expect(await prompt(workdir)).toMatchObject({ status: 400, body: { error: 'git_settings_unreadable' } })
    expect(isStarted()).toBe(false)
  })

  it('keeps a process from starting that is to stay up, even if it came after the prompt', async () => {
    const root = join(temporaryDirectory(), 'work')
    const { workdir } = plantAt(root, filter)
    const request = agentRequest('claude', { workdir, ignoresProject: true, program: [`${root}-program`] })
    const launch = {
      request,
      scratchDirectory: `${root}-scratch`,
      owner: undefined,
      signal: new AbortController().signal,
    }
    await expect(startClaude(launch)).rejects.toMatchObject({ code: 'git_settings_refused' })
  })

  it('does not matter without a ceiling', async () => {
    const { plant, prompt, variables } = await start({})
    const { workdir } = plant(({ git, program }) => git('config', 'filter.planted.clean', program))
    expect(await prompt(workdir)).toMatchObject(answered)
    expect(variables()).toBe('GIT_CONFIG_NOSYSTEM=1\n')
  })
})

describe('an ordinary repository', () => {
  it('can be worked on under a ceiling', async () => {
    const { plant, prompt } = await start(READ_ONLY)
    const { workdir } = plant(({ git }) => {
      for (const setting of ORDINARY) git('config', ...setting)
    })
    expect(await prompt(workdir)).toMatchObject(answered)
  })

  it('is used with the settings of the user', async () => {
    const given = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Ada' }
    const { home, plant, prompt, variables } = await start(READ_ONLY, given)
    writeFileSync(join(home, '.gitconfig'), `[filter "planted"]\nclean = touch ${join(home, 'mine')} && cat\n`)
    const { workdir } = plant(() => {})
    expect(await prompt(workdir)).toMatchObject(answered)
    expect(existsSync(join(home, 'mine'))).toBe(true)
    expect(variables()).toContain('GIT_CONFIG_KEY_0=user.name\n')
    expect(variables()).toContain('GIT_CONFIG_KEY_1=core.fsmonitor\n')
  })
})

const ORDINARY = [
  ['user.name', 'Ada'],
  ['branch.main.merge', 'refs/heads/main'],
  ['remote.origin.url', 'https://example.com/a.git'],
  ['alias.st', 'status'],
  ['core.hooksPath', '.husky/_'],
  ['core.fsmonitor', 'true'],
  ['filter.lfs.clean', 'git-lfs clean -- %f'],
  ['filter.lfs.process', 'git-lfs filter-process'],
  ['lfs.https://example.com/a.git/info/lfs.access', 'basic'],
  ['credential.helper', 'store --file=.git/credentials'],
  ['pager.log', 'false'],
  ['merge.ours.driver', 'true'],
  ['submodule.inner.url', 'https://example.com/inner.git'],
]
