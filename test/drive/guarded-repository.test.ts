/** Agents that change the repository of the user, outside of their branch. */

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'

/** What an agent does to the repository `$r` of its user, which has the branch `old` and the hook `pre-commit`. */
const HARM = [
  'git branch -f old HEAD; git tag evil; git branch -D gone; git stash list',
  'git config user.signingkey x; git config branch.main.remote y',
  'echo "echo evil" > "$r/.git/hooks/pre-commit"; echo x > "$r/.git/hooks/post-merge"',
  'echo "*.txt -diff" > "$r/.git/info/attributes"; echo "*.js" >> "$r/.git/info/exclude"',
  'git config --global alias.co checkout',
  'echo evil > "$r/note.txt"; git -C "$r" symbolic-ref HEAD refs/heads/old',
]

function createGuarded(harm: readonly string[]) {
  const driving = createDriving()
  const { repository, rewrite } = driving
  const { root, git } = repository
  git('branch', 'old')
  git('branch', 'gone')
  git('commit', '--quiet', '--allow-empty', '--message=Next')
  writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 })
  rewrite({ implement: [{ ...HONEST, runs: harm.map((line) => `r='${root}'; ${line}`) }] })
  const state = () => ({
    refs: git(
      'for-each-ref',
      '--format=%(refname) %(objectname)',
      'refs/heads/main',
      'refs/heads/old',
      'refs/heads/gone',
      'refs/tags',
    ),
    head: git('symbolic-ref', 'HEAD'),
    config: readFileSync(join(root, '.git/config'), 'utf8'),
    files: ['hooks/pre-commit', 'hooks/post-merge', 'info/attributes', 'info/exclude'].map((name) => {
      const path = join(root, '.git', name)
      return existsSync(path) && readFileSync(path, 'utf8')
    }),
  })
  return { ...driving, state }
}

describe('a repository that changes while an agent runs', () => {
  it('is flagged with everything that changed, and restored on demand', async () => {
    const driving = createGuarded(HARM)
    const { repository } = driving
    const before = driving.state()
    const { code, stdout } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(5)
    const id = runIdIn(stdout)
    const [{ changes = [] } = {}] = dataOf(driving.records(id), 'repository_changed')
    expect(changes.map(({ what, name, keys }) => [what, name, ...(keys ?? [])].join(' '))).toEqual([
      'ref refs/heads/gone',
      'ref refs/heads/old',
      'ref refs/tags/evil',
      'head HEAD',
      'config config branch.main.remote user.signingkey',
      'hook hooks/post-merge',
      'hook hooks/pre-commit',
      'git_file info/attributes',
      'git_file info/exclude',
      'user_config ~/.gitconfig',
      'file note.txt',
    ])
    expect(stdout).toMatch(
      /look at: repository changed: refs\/heads\/old [0-9a-f]{12} → [0-9a-f]{12}, changed while the agent of attempt 2 ran/,
    )
    const shown = await driving.call(['status', id])
    expect(shown.stdout).toContain('.git/config: branch.main.remote, user.signingkey, changed while')
    const asked = await driving.drive(id, '--restore')
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('add --yes')])
    const restored = await driving.drive(id, '--restore', '--yes')
    expect([restored.code, restored.stderr]).toEqual([0, ''])
    expect(restored.stdout).toContain('restored: .git/config: branch.main.remote, user.signingkey')
    expect(driving.state()).toEqual(before)
    expect(readFileSync(join(repository.root, 'note.txt'), 'utf8')).toBe('evil\n')
    expect(readFileSync(join(driving.home, '.gitconfig'), 'utf8')).toContain('co = checkout')
    expect((await driving.drive(id, '--restore')).stdout).toContain('Nothing was changed.')
    expect((await driving.call(['status', id])).stdout).not.toContain('refs/heads/old')
  })

  it.runIf(IS_FULL)('keeps what changed again since', async () => {
    const driving = createGuarded(['git branch -f old HEAD; git config user.signingkey x'])
    const { repository } = driving
    const { stdout } = await driving.drive(GOAL, '--no-review')
    repository.git('commit', '--quiet', '--allow-empty', '--message=Mine')
    repository.git('branch', '--force', 'old', 'main')
    appendFileSync(join(repository.root, '.git/config'), '# mine\n')
    const before = driving.state()
    const { code, stdout: told } = await driving.drive(runIdIn(stdout), '--restore', '--yes')
    expect(code).toBe(3)
    expect(told.match(/^left: .*: it has changed again since$/gm)).toHaveLength(2)
    expect(driving.state()).toEqual(before)
  })

  it.runIf(IS_FULL && hasTerminals)('is restored at a terminal only if its user says yes', async () => {
    const driving = createGuarded(['git branch -f old HEAD'])
    const before = driving.state()
    const id = runIdIn((await driving.drive(GOAL, '--no-review')).stdout)
    const answer = async (text: string) => {
      const terminal = startOnTerminal(['drive', id, '--restore'], { cwd: driving.repository.root, env: driving.env })
      await terminal.shows('Put all of them back? [y/N] ')
      terminal.type(`${text}\n`)
      return await terminal.ended
    }
    const refused = await answer('')
    expect([refused.code, refused.seen]).toEqual([3, expect.stringContaining('Nothing was changed.')])
    expect(refused.seen).toMatch(/You may have made some of the changes yourself:\n {2}refs\/heads\/old /)
    expect(driving.state()).not.toEqual(before)
    const confirmed = await answer('y')
    expect([confirmed.code, confirmed.seen]).toEqual([0, expect.stringContaining('restored: refs/heads/old')])
    expect(driving.state()).toEqual(before)
  })

  it.runIf(IS_FULL)(
    'has a note if nothing ties the changes to the agent; other runs move their own branches',
    async () => {
      const driving = createDriving()
      const { root, git, write, commit } = driving.repository
      await driving.drive('Show the rain', '--no-review', '--deliver', 'none')
      const other = git('for-each-ref', '--format=%(refname)', 'refs/heads/drover').trim()
      const otherRoot = git('worktree', 'list', '--porcelain').match(/^worktree (.*worktrees.*)$/m)?.[1]
      const as = (name: string) => `git -c user.name=${name} -c user.email=${name}@example.com`
      write('other.sh', `cd '${otherRoot}' && ${as('other')} commit --quiet --allow-empty --message=x\n`)
      write(
        'person.sh',
        `cd '${root}' && echo >> rain.test.js && ${as('me')} commit --quiet --all --message=Mine && git checkout --quiet -b mine\n`,
      )
      write('copy.sh', `echo 'wind: 23 knots' > '${root}/wind.txt'\n`)
      commit()
      const before = [git('rev-parse', 'main'), git('rev-parse', other)]
      driving.rewrite({ implement: [{ ...HONEST, runs: ['sh other.sh', 'sh person.sh'] }] })
      const { code, stdout } = await driving.drive(GOAL, '--no-review')
      expect([code, before.includes(git('rev-parse', 'main')), before.includes(git('rev-parse', other))]).toEqual([
        0,
        false,
        false,
      ])
      const id = runIdIn(stdout)
      const [{ changes = [] } = {}] = dataOf(driving.records(id), 'repository_changed')
      expect(changes.map(({ what, name, note }) => `${what} ${name} ${note}`)).toEqual([
        'ref refs/heads/main own_log',
        'ref refs/heads/mine own_log',
        'head HEAD own_log',
      ])
      expect(stdout).toContain('checkout changed: while the agent of attempt 2 ran; drover cannot tell who did it')
      expect((await driving.drive(id, '--restore')).stdout).toContain('Nothing was changed.')
      driving.rewrite({ implement: [{ ...HONEST, runs: [`git update-ref ${other} HEAD`, 'sh copy.sh'] }] })
      const harmed = await driving.drive(GOAL, '--no-review')
      expect(harmed.code).toBe(5)
      expect(harmed.stdout).toContain(`look at: repository changed: ${other} `)
      expect(harmed.stdout).toContain('look at: repository changed: wind.txt in your worktree')
    },
  )

  it.runIf(IS_FULL)('is not flagged for what drover does with another run meanwhile', async () => {
    const driving = createDriving()
    await driving.drive('Show the rain', '--no-review')
    const { stdout: listed } = await driving.call(['status', '--json'])
    const [{ id: other }] = JSON.parse(listed).runs
    const [working, done] = [join(driving.scratch, 'working'), join(driving.scratch, 'done')]
    const waits = `touch '${working}'; while ! test -e '${done}'; do sleep 0.1; done`
    driving.rewrite({ implement: [{ ...HONEST, runs: [waits] }] })
    const drive = driving.drive(GOAL, '--no-review')
    await until(() => existsSync(working))
    expect(await driving.call(['discard', other, '--yes'])).toMatchObject({ code: 0 })
    writeFileSync(done, '')
    const { code, stdout } = await drive
    expect(code, stdout).toBe(0)
    expect(dataOf(driving.records(runIdIn(stdout)), 'repository_changed')).toEqual([])
  })

  it.runIf(IS_FULL)('is not flagged for the branch of the run', async () => {
    const driving = createGuarded(['git -c user.name=a -c user.email=a@b commit --quiet --allow-empty --message=x'])
    const { code, stdout } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(0)
    expect(dataOf(driving.records(runIdIn(stdout)), 'repository_changed')).toEqual([])
  })
})
