/** Discarding, taking and publishing the work of a run. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deliverRun } from '../support/delivered-run.ts'
import { dataOf } from '../support/driven-home.ts'
import { hasForge, startForge } from '../support/forge/fake-forge.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts'

const PAUSE = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }

describe('drover discard', () => {
  it('removes the branch, keeps its commit for a week, and brings it back', async () => {
    const run = await deliverRun()
    const state = run.state()
    const unasked = await run.call(['discard', run.id])
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')])
    expect(run.state()).toEqual(state)

    run.git('update-ref', 'refs/drover/discarded/2026-01-01/old', 'main')
    const ran = await run.call(['discard', run.id, '--yes'])
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stdout).toContain(`drover discard ${run.id} --undo`)
    const [{ ref = '', until = '' } = {}] = dataOf(run.records(run.id), 'discarded')
    const days = (Date.parse(until) - Date.now()) / 86_400_000
    expect([Math.round(days), ref]).toEqual([7, `refs/drover/discarded/${until.slice(0, 10)}/${run.id}`])
    expect(run.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/drover')).toBe(`${ref} ${run.commit}`)
    expect(run.git('branch', '--list', 'drover/*')).toBe('')
    expect((await run.call(['discard', run.id, '--yes'])).code).toBe(0)
    for (const words of [['merge'], ['take'], ['pr'], ['drive']]) {
      const refused = await run.call([...words, run.id])
      expect([refused.code, refused.stderr], words[0]).toEqual([3, expect.stringContaining('was discarded')])
    }

    expect((await run.call(['discard', run.id, '--undo'])).code).toBe(0)
    expect(run.state()).toEqual(state)
    expect(dataOf(run.records(run.id), 'discarded')).toHaveLength(1)
    expect((await run.call(['status', run.id])).stdout).toContain(`brought back to ${run.branch} by`)
    const again = await run.call(['discard', run.id, '--undo'])
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('was not discarded')])
    expect((await run.call(['merge', run.id])).code).toBe(0)
  })

  it.runIf(IS_FULL)('commits what the worktree of an unfinished run has, and brings all of it back', async () => {
    const turn = {
      writes: { 'sun.txt': 'sun\n' },
      outcome: { status: 'needs_input', pause: PAUSE, suggested_actions: [] },
    }
    const run = await deliverRun({ script: { orient: [turn] } })
    expect(existsSync(run.place.root)).toBe(true)
    expect((await run.call(['discard', run.id, '--yes'])).code).toBe(0)
    expect(existsSync(run.place.root)).toBe(false)
    const undone = await run.call(['discard', run.id, '--undo'])
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('its question withdrawn')])
    expect(readFileSync(join(run.place.root, 'sun.txt'), 'utf8')).toBe('sun\n')
    expect((await run.call(['status', run.id])).stdout).toContain('stopped')
  })

  it('takes a run that changed nothing from the lists, and refuses one whose branch a person deleted', async () => {
    const NOT_NEEDED = { result: 'not_needed', files_changed: [], activities: [], uncertainties: [], attempts: 1 }
    const idle = { implement: [{ outcome: { implementation: NOT_NEEDED } }] }
    const run = await deliverRun({
      script: idle,
      before: (repository) => {
        repository.write('wind.txt', 'wind: 23 knots\n')
        repository.commit()
      },
    })
    const verdictNow = async () => JSON.parse((await run.call(['status', run.id, '--json'])).stdout).verdict
    expect(await verdictNow()).toMatchObject({ word: 'nothing to change' })
    expect(run.git('branch', '--list', 'drover/*')).toBe('')
    const state = run.state()
    for (let times = 0; times < 2; times += 1) {
      const ran = await run.call(['discard', run.id, '--yes'])
      expect([ran.code, ran.stdout], ran.stderr).toEqual([0, expect.stringContaining('there was nothing to delete')])
      expect(ran.stdout).not.toContain('--undo')
    }
    expect(await verdictNow()).toMatchObject({ word: 'discarded', reason: 'nothing was changed' })
    expect((await run.call(['discard', run.id, '--undo'])).code).toBe(0)
    expect(await verdictNow()).toMatchObject({ word: 'nothing to change' })
    expect(run.state()).toEqual(state)

    const delivered = await deliverRun()
    delivered.git('branch', '-D', delivered.branch)
    const refused = await delivered.call(['discard', delivered.id, '--yes'])
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('was deleted')])
  })

  it.runIf(IS_FULL && hasTerminals)('asks at a terminal, and changes nothing without a yes', async () => {
    const run = await deliverRun()
    const state = run.state()
    for (const [answer, code, isKept] of [
      ['n', 3, true],
      ['y', 0, false],
    ] as const) {
      const terminal = startOnTerminal(['discard', run.id], { cwd: run.root, env: run.env })
      await terminal.shows('The work is kept for 7 days. [y/N] ')
      expect(run.state()).toEqual(state)
      terminal.type(`${answer}\n`)
      expect((await terminal.ended).code, answer).toBe(code)
      expect(run.git('branch', '--list', run.branch) !== '', answer).toBe(isKept)
    }
  })

  it.runIf(IS_FULL)('changes nothing if the branch is checked out', async () => {
    const run = await deliverRun()
    expect((await run.call(['take', run.id])).code).toBe(0)
    const state = run.state()
    const ran = await run.call(['discard', run.id, '--yes', '--json'])
    expect([ran.code, JSON.parse(ran.stderr).code]).toEqual([3, 'branch_checked_out'])
    expect(run.state()).toEqual(state)
  })
})

describe('drover take', () => {
  it('switches to the branch here, unless a file has uncommitted changes', async () => {
    const run = await deliverRun()
    run.repository.write('rain.test.js', 'changed\n')
    const state = run.state()
    const dirty = await run.call(['take', run.id, '--json'])
    expect([dirty.code, JSON.parse(dirty.stderr).code, run.state()]).toEqual([3, 'checkout_dirty', state])
    run.git('checkout', '--quiet', 'rain.test.js')
    const ran = await run.call(['take', run.id])
    expect([ran.code, run.git('branch', '--show-current')]).toEqual([0, run.branch])
    expect(ran.stdout).toContain(`checked out in ${run.root} by`)
    expect((await run.call(['take', run.id])).code).toBe(0)
    // Where the branch is checked out, it stays after a merge.
    expect((await run.call(['merge', run.id])).code).toBe(0)
    expect([run.git('rev-parse', 'main'), run.git('rev-parse', 'HEAD')]).toEqual([run.commit, run.commit])
  })
})

describe('drover pr', () => {
  it.each(
    firstOf([
      ['without a remote', [], 'the repository has no remote origin'],
      ['with a remote elsewhere', ['/srv/git/weather.git'], 'the remote origin is not a repository on GitHub'],
    ]),
  )('says what is the matter in a repository %s, and leaves the delivered branch', async (_, remotes, problem) => {
    const run = await deliverRun({
      before: ({ git }) => remotes.forEach((each) => void git('remote', 'add', 'origin', each)),
    })
    const state = run.state()
    const { code, stderr } = await run.call(['pr', run.id])
    expect([code, run.state()]).toEqual([3, state])
    expect(stderr).toContain(`no pull request was opened: ${problem}`)
    expect(stderr).toContain(`or merge ${run.branch}, which is delivered, with "drover merge ${run.id}"`)
    expect(stderr).not.toContain('not delivered')
  })

  it.runIf(IS_FULL && hasForge)('opens one pull request, after which the run is merged on its forge', async () => {
    const forge = await startForge()
    const run = await deliverRun({
      before: ({ git }) => {
        git('remote', 'add', 'origin', forge.address)
        git('push', '--quiet', forge.bare, 'main')
      },
    })
    Object.assign(run.env, forge.env, { PATH: `${run.env.PATH}:${forge.env['PATH']}` })
    for (let times = 0; times < 2; times += 1) expect((await run.call(['pr', run.id])).code).toBe(0)
    expect([...forge.items.keys()]).toEqual([1])
    expect(forge.headOf(run.branch)).toBe(run.commit)
    const url = 'https://github.com/ada/weather/pull/1'
    expect(dataOf(run.records(run.id), 'pull_request_opened')).toMatchObject([{ url, by: { via: 'terminal' } }])
    const state = run.state()
    const refused = await run.call(['merge', run.id])
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(url)])
    expect(run.state()).toEqual(state)
    expect((await run.call(['merge', run.id, '--here'])).code).toBe(0)
    expect(run.git('rev-parse', 'main')).toBe(run.commit)
  })
})
