/** Merging the work of a delivered run into a branch of the user. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { deliverRun, GOAL } from '../support/delivered-run.ts'
import { dataOf } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

type Delivered = Awaited<ReturnType<typeof deliverRun>>

const WORK = 'wind: 23 knots'

describe('drover merge', () => {
  it('moves the branch that was checked out to the work, removes the branch of the run, and is on record', async () => {
    const run = await deliverRun()
    run.repository.write('notes.txt', 'mine\n')
    const ran = await run.call(['merge', run.id])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^merged into main as [0-9a-f]{12} by \S+ \(terminal\)\n/)
    expect([run.git('rev-parse', 'main'), run.git('branch', '--list', 'drover/*')]).toEqual([run.commit, ''])
    expect(readFileSync(join(run.root, 'wind.txt'), 'utf8').trim()).toBe(WORK)
    expect(run.git('status', '--porcelain')).toBe('?? notes.txt')
    expect(run.git('worktree', 'list').split('\n')).toHaveLength(1)
    const [merged, ...others] = dataOf(run.records(run.id), 'merged')
    expect(merged).toMatchObject({ into: 'main', commit: run.commit, how: 'fast_forward', by: { via: 'terminal' } })
    expect(others).toEqual([])
    expect((await run.call(['status', run.id])).stdout).toMatch(
      /merged into main as [0-9a-f]{12}[\s\S]* by \S+ \(terminal\)/,
    )
    const status = (await run.call(['status', run.id])).stdout
    expect([status, (await run.call(['status'])).stdout].join('')).not.toMatch(
      /on branch|in another worktree|\/worktrees\//,
    )
    const report = (await run.call(['report', run.id])).stdout
    expect([report.includes('## After the delivery'), report.includes('Next: ')]).toEqual([true, false])
    expect((await run.call(['status', '--state', 'merged'])).stdout).toContain(GOAL)
    const state = run.state()
    const again = await run.call(['merge', run.id, '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ run_id: run.id, verdict: { word: 'merged', exit_code: 0 } })
    expect([run.state(), dataOf(run.records(run.id), 'merged').length]).toEqual([state, 1])
    const more = await run.drive(run.id, '--also', 'Show the rain')
    expect([more.code, more.stderr]).toEqual([3, expect.stringContaining('the work was merged')])
    const taken = await run.call(['take', run.id])
    expect([taken.code, taken.stderr]).toEqual([3, expect.stringContaining('it was deleted after its merge into main')])
  })

  it('creates a merge commit in the name of the user if the branch has moved, after the checks passed on it', async () => {
    const run = await deliverRun()
    // As the worktree of a later run does, it has the folder that the worktree of this run had.
    const later = join(temporaryDirectory(), basename(run.place.root))
    run.git('worktree', 'add', '--quiet', '--detach', later)
    run.commitFile('rain.txt', 'rain: 2 mm\n')
    run.git('config', 'user.name', 'Eve')
    run.git('config', 'user.email', 'eve@localhost')
    const tip = run.git('rev-parse', 'main')
    const ran = await run.call(['merge', run.id])
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).toContain('in a clean checkout: check sh check.sh ended with exit code 0')
    expect(run.git('log', '-1', '--format=%P', 'main').split(' ')).toEqual([tip, run.commit])
    expect(run.git('log', '-1', '--format=%an %cn', 'main')).toBe('Eve Eve')
    expect([run.git('show', 'main:wind.txt'), run.git('show', 'main:rain.txt')]).toEqual([WORK, 'rain: 2 mm'])
    expect([run.git('status', '--porcelain'), run.git('branch', '--list', 'drover/*')]).toEqual(['', ''])
    expect(run.git('worktree', 'list').split('\n')).toHaveLength(2)
    expect(dataOf(run.records(run.id), 'merge_checked')).toMatchObject([{ into: 'main', result: 'passed' }])
  })

  type Row = readonly [name: string, prepare: (run: Delivered) => void, code: string, text: string, args: string[]]
  const REFUSED: readonly Row[] = [
    [
      'a check fails on the merge commit',
      (run) => run.commitFile('check.sh', 'test -e sun.txt\n'),
      'merge_check_failed',
      'on the merged commit: the check sh check.sh ended with exit code 1; the branch was not moved',
      [],
    ],
    [
      'a changed file is not committed',
      (run) => run.repository.write('rain.test.js', ''),
      'checkout_dirty',
      'rain.test.js',
      [],
    ],
    [
      'there are conflicts',
      (run) => run.commitFile('wind.txt', 'wind: 1 Bft\n'),
      'merge_conflict',
      `--also 'Merge main and resolve the conflicts'`,
      [],
    ],
    [
      'the branch of the run has another commit',
      (run) => run.git('branch', '--force', run.branch, 'main'),
      'branch_changed',
      'is at ',
      [],
    ],
    [
      'the branch of the run was deleted',
      (run) => run.git('branch', '-D', run.branch),
      'branch_changed',
      'was deleted',
      [],
    ],
    ['there is no such branch', () => {}, 'merge_base_unknown', 'no branch \\"main~0\\"', ['--into', 'main~0']],
  ]
  it.each(firstOf(REFUSED, 4))('changes nothing if %s', async (_name, prepare, code, text, args) => {
    const run = await deliverRun()
    prepare(run)
    const state = run.state()
    const ran = await run.call(['merge', run.id, '--json', ...args])
    expect([ran.code, ran.stdout]).toEqual([3, ''])
    expect(JSON.parse(ran.stderr)).toMatchObject({ code })
    expect(ran.stderr).toContain(text)
    expect(run.state()).toEqual(state)
    expect(dataOf(run.records(run.id), 'merged')).toEqual([])
  })

  it.runIf(IS_FULL)(
    'changes nothing if an untracked file would be overwritten, and merges when it is gone',
    async () => {
      const run = await deliverRun({
        script: { implement: [{ edits: { 'wind.txt': `${WORK}\n`, 'sun.txt': 'sun\n' } }] },
      })
      const path = run.repository.write('sun.txt', 'mine\n')
      const state = run.state()
      const ran = await run.call(['merge', run.id])
      expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('untracked')])
      expect([run.state(), readFileSync(path, 'utf8')]).toEqual([state, 'mine\n'])
      writeFileSync(path, 'sun\n')
      run.git('clean', '--quiet', '--force')
      expect((await run.call(['merge', run.id])).code).toBe(0)
      expect(run.git('rev-parse', 'main')).toBe(run.commit)
    },
  )

  it.runIf(IS_FULL)('refuses a run that has not delivered, and in a bare repository', async () => {
    const run = await deliverRun({ args: ['--deliver', 'none'] })
    const ran = await run.call(['merge', run.id, '--json'])
    expect([ran.code, JSON.parse(ran.stderr).code]).toEqual([3, 'run_not_delivered'])
    const bare = join(run.scratch, 'bare.git')
    run.git('clone', '--quiet', '--bare', '.', bare)
    const inBare = await callMain(['merge', run.id, '--json'], { cwd: bare, env: run.env, homeDirectory: run.home })
    expect([inBare.code, JSON.parse(inBare.stderr)]).toMatchObject([
      2,
      {
        code: 'git_repository_required',
        message: expect.stringMatching(/is a bare repository.*name a worktree with --root$/),
      },
    ])
  })

  it('refuses work whose check fails, as a pull request too, and notes that it was merged by hand', async () => {
    const script = { implement: [{ edits: { 'wind.txt': 'wind: 12\n' } }] }
    // No pull request is opened: that would fail here.
    const run = await deliverRun({ script, args: ['--deliver', 'pr'] })
    expect(dataOf(run.records(run.id), 'delivered')).toMatchObject([{ as: 'branch', branch: run.branch }])
    const state = run.state()
    for (const command of ['merge', 'pr']) {
      const refused = await run.call([command, run.id, '--json'])
      expect([refused.code, JSON.parse(refused.stderr).code], command).toEqual([3, 'run_not_delivered'])
      expect(refused.stderr).toContain('is not delivered: the check sh check.sh ended with exit code 1; let an agent')
      expect(refused.stderr).toContain(`git merge ${run.branch}`)
    }
    expect(run.state()).toEqual(state)
    run.git('merge', '--quiet', run.branch)
    expect((await run.call(['merge', run.id])).stdout).toContain('merged into main before by')
    const line = 'merged into main before, although it was not delivered: the check sh check.sh ended with exit code 1'
    for (const args of [
      ['status', run.id],
      ['report', '--since', '1h'],
    ]) {
      expect((await run.call(args)).stdout.replaceAll(/\s+/g, ' '), args.join(' ')).toContain(line)
    }
    expect((await run.call(['report', run.id])).stdout).toContain(line.replace('merged', '**merged**'))
  })

  it('moves a branch that is not checked out without touching any file, and runs no hook', async () => {
    const run = await deliverRun()
    const hooked = join(run.scratch, 'hooked')
    mkdirSync(join(run.root, '.git', 'hooks'), { recursive: true })
    for (const hook of [
      'reference-transaction',
      'post-merge',
      'pre-merge-commit',
      'post-checkout',
      'post-index-change',
    ]) {
      const path = join(run.root, '.git', 'hooks', hook)
      writeFileSync(path, `#!/bin/sh\necho ${hook} >> '${hooked}'\nexit 1\n`, { mode: 0o755 })
    }
    writeFileSync(join(run.root, '.git', 'HEAD'), 'ref: refs/heads/elsewhere\n')
    writeFileSync(join(run.root, '.git', 'refs', 'heads', 'elsewhere'), `${run.git('rev-parse', 'main')}\n`)
    run.repository.write('rain.test.js', 'changed\n')
    const ran = await run.call(['merge', run.id])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect([run.git('rev-parse', 'main'), existsSync(hooked)]).toEqual([run.commit, false])
    expect(readFileSync(join(run.root, 'rain.test.js'), 'utf8')).toBe('changed\n')
  })

  it.runIf(IS_FULL)('asks for the branch if none was checked out when the run was started', async () => {
    const run = await deliverRun({ before: ({ git }) => void git('checkout', '--quiet', '--detach') })
    const ran = await run.call(['merge', run.id, '--json'])
    expect([ran.code, JSON.parse(ran.stderr).code]).toEqual([3, 'merge_base_unknown'])
    expect((await run.call(['merge', run.id, '--into', 'main'])).code).toBe(0)
    expect(run.git('rev-parse', 'main')).toBe(run.commit)
  })

  it.runIf(IS_FULL)('notes a merge that was made by hand', async () => {
    const run = await deliverRun()
    run.git('merge', '--quiet', '--no-ff', '--message=mine', run.branch)
    const tip = run.git('rev-parse', 'main')
    expect((await run.call(['merge', run.id])).stdout).toContain('merged into main before by')
    expect([run.git('rev-parse', 'main'), run.git('branch', '--list', 'drover/*')]).toEqual([tip, ''])
  })

  it.runIf(IS_FULL)('works through a link to the repository', async () => {
    const run = await deliverRun()
    const link = join(run.scratch, 'link')
    symlinkSync(run.root, link)
    const ran = await callMain(['merge', run.id], { cwd: link, env: run.env, homeDirectory: run.home })
    expect([ran.code, run.git('rev-parse', 'main'), run.git('status', '--porcelain')]).toEqual([0, run.commit, ''])
  })

  it('merges once if two commands merge at the same time', async () => {
    const run = await deliverRun()
    run.commitFile('rain.txt', 'rain: 2 mm\n')
    const both = await Promise.all([run.call(['merge', run.id, '--json']), run.call(['merge', run.id, '--json'])])
    const busy = both.filter(({ code }) => code !== 0)
    expect(busy.map(({ stderr }) => JSON.parse(stderr).code)).toEqual(busy.length === 0 ? [] : ['drive_busy'])
    expect(run.git('rev-list', '--count', '--merges', 'main')).toBe('1')
    expect([dataOf(run.records(run.id), 'merged').length, run.git('status', '--porcelain')]).toEqual([1, ''])
  })
})
