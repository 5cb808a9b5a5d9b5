/** What people, the CI and the machine do while a pull request is followed. Long, so only with full counts. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { hasForge } from '../support/forge/fake-forge.ts'
import { createFollowedHome } from '../support/forge/followed-home.ts'
import type { ForgeRequest } from '../support/forge/forge-state.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { CAN_MOUNT, fill, withSmallDisk } from '../support/small-disk.ts'

const GOAL = ['Show the wind in knots', '--no-review', '--follow']
/** A limit that is waited for, and a delivery that is tried again. */
const REFUSALS = [undefined, { status: 403, headers: { 'retry-after': '1' } }, { status: 401 }]
const SAID = [
  ['grace', 'Add the rain'],
  ['grace', 'And the sun'],
  ['hedy', 'And the moon'],
] as const
const RAIN = {
  edits: { 'rain.txt': 'rain\n' },
  outcome: { observations: ['1: changed rain.txt', '2: not changed: no'] },
}

type Home = Awaited<ReturnType<typeof createFollowedHome>>

const driving =
  ({ repository, env, home }: Home) =>
  (...words: string[]) =>
    callMain(['drive', ...words], { cwd: repository.root, env, homeDirectory: home })

/** Calls it whenever drover looks at the pull request. */
function onLook({ forge }: Home, act: () => void): void {
  forge.refuse = ({ method, path }) => {
    if (method === 'GET' && path.endsWith('/pulls/1')) act()
    return undefined
  }
}

describe.runIf(hasForge && IS_FULL)('a pull request whose people change their minds', { timeout: 600_000 }, () => {
  it('has a check that is repeated, a comment that is deleted, a reviewer without rights, and a branch put back', async () => {
    const nothing = { files_changed: [], activities: [], uncertainties: [], attempts: 1 }
    const flaky = {
      outcome: {
        implementation: { result: 'not_needed', ...nothing },
        observations: ['1: not changed: it passes if it is repeated'],
      },
    }
    const home = await createFollowedHome(temporaryDirectory(), { isByAction: true, implement: [HONEST, flaky, RAIN] })
    const { forge, repository } = home
    const drive = driving(home)
    const isRepeated = () => home.calls().filter(({ kind }) => kind === 'implement').length > 1
    forge.required = ['test']
    forge.ci = () => [{ name: 'test', conclusion: isRepeated() ? 'success' : 'failure', log: 'connection lost\n' }]
    forge.permissions.set('hedy', 'write')
    let stage = 0
    const ids: number[] = []
    const say = (author: string, body: string) =>
      ids.push(forge.addLineComment(1, author, body, { path: 'wind.txt', line: 1 }).id)
    const branch = () => forge.items.get(1)?.pull?.branch ?? ''
    const first = { commit: '' }
    const acts = [
      () => {
        if (forge.items.get(1)?.pull?.isDraft !== false) return false
        for (const [author, text] of SAID) say(author, text)
        forge.permissions.delete('hedy')
        return true
      },
      // The round is done, and a comment is deleted before it is answered.
      ({ path }: ForgeRequest) => path.includes('/pulls?state=open') && forge.lineComments.splice(1, 1).length > 0,
      () => forge.lineComments.some(({ author }) => author === 'drover-bot'),
    ]
    forge.refuse = (request) => {
      if (branch() !== '') first.commit ||= forge.headOfPull(1)
      if (acts[stage]?.(request) !== true) return undefined
      stage += 1
      if (stage === 3) forge.git('update-ref', `refs/heads/${branch()}`, first.commit)
      return REFUSALS[stage]
    }
    const { code, stdout, stderr } = await drive(...GOAL)
    expect([code, stderr, stdout]).toEqual([4, '', expect.stringContaining('another person pushed')])
    const id = runIdIn(stdout)
    const answers = () => forge.lineComments.filter(({ author }) => author === 'drover-bot')
    expect(answers().map(({ thread }) => thread)).toEqual([ids[0]])
    expect(forge.comments.map(({ body }) => body)).toEqual([expect.stringContaining('--take-over')])
    expect(forge.headOf(branch())).toBe(first.commit)
    expect(home.calls().filter(({ kind }) => kind === 'implement')).toHaveLength(3)

    // The base is renamed. Then the branch is deleted, which closes the pull request.
    forge.renameBranch('main', 'trunk')
    onLook(home, () => {
      if (forge.headOf(branch()) === first.commit) return
      forge.git('update-ref', '-d', `refs/heads/${branch()}`)
      Object.assign(forge.items.get(1) ?? {}, { state: 'closed' })
    })
    const last = await drive(id, '--take-over')
    expect([last.code, last.stderr]).toEqual([0, ''])
    expect(last.stdout).toContain('closed')
    expect([answers().length, forge.items.size, repository.git('branch', '--list', 'drover/*')]).toEqual([1, 1, ''])
  })

  it('has a check that fails for the same reason after a round, and is not touched again', async () => {
    const home = await createFollowedHome(temporaryDirectory(), { implement: [HONEST, RAIN] })
    home.forge.ci = (commit) => [{ name: 'test', conclusion: 'failure', log: `${commit} took 12 s: connection lost\n` }]
    const { code, stdout } = await driving(home)(...GOAL)
    expect([code, stdout]).toEqual([4, expect.stringContaining('fails as it did before the last round')])
    expect(home.calls().filter(({ kind }) => kind === 'implement')).toHaveLength(2)
  })

  it('is closed while a round works: nothing is pushed, and no other one is opened', async () => {
    const home = await createFollowedHome(temporaryDirectory(), { isByAction: true, implement: [HONEST, RAIN] })
    const { forge } = home
    const first = { commit: '' }
    onLook(home, () => {
      const isWorkedOn = home.calls().filter(({ kind }) => kind === 'implement').length > 1
      if (isWorkedOn) Object.assign(forge.items.get(1) ?? {}, { state: 'closed' })
      else if (first.commit === '') forge.addLineComment(1, 'grace', 'Add the rain', { path: 'wind.txt', line: 1 })
      first.commit ||= forge.headOfPull(1)
    })
    const { code, stdout } = await driving(home)(...GOAL)
    expect([code, stdout]).toEqual([3, expect.stringContaining('was closed, so drover did not push')])
    const { branch = '' } = forge.items.get(1)?.pull ?? {}
    expect([forge.items.size, forge.headOf(branch)]).toEqual([1, first.commit])
    expect(forge.lineComments.map(({ body }) => body)).toEqual(['Add the rain', expect.stringContaining('was closed')])
  })

  it.runIf(CAN_MOUNT)('is answered once, although the disk is full when it is worked on', async () => {
    await withSmallDisk(async (disk) => {
      const home = await createFollowedHome(disk, { isByAction: true, implement: [HONEST, RAIN] })
      const { forge } = home
      let isAsked = false
      onLook(home, () => {
        if (forge.lineComments.length > 1 && forge.items.get(1)?.state === 'open') forge.merge(1)
        if (isAsked) return
        isAsked = true
        forge.addLineComment(1, 'grace', 'Add the rain', { path: 'wind.txt', line: 1 })
        fill(join(disk, 'filler'))
      })
      const { stdout, code } = await driving(home)(...GOAL)
      expect(code).toBe(3)
      rmSync(join(disk, 'filler'))
      expect(await driving(home)(runIdIn(stdout))).toMatchObject({ code: 0, stderr: '' })
      expect(forge.lineComments.map(({ author }) => author)).toEqual(['grace', 'drover-bot'])
      const rounds = home.calls().filter(({ kind }) => kind === 'implement')
      expect([rounds.length, dataOf(home.records(runIdIn(stdout)), 'delivered').length]).toEqual([2, 1])
    })
  })
})
