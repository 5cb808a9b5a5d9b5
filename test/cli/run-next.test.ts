/** Whatever a command on runs or on hosts offers to do next is followed word for word, and the program takes it. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import type { NextVariant } from '../../src/contract/next.shape.ts'
import { VARIANTS } from '../../src/contract/next-variants.ts'
import type { StatusList } from '../../src/contract/status-list.shape.ts'
import { takeLock } from '../../src/kit/files/lock.ts'
import { amendedBundle } from '../support/amended-bundle.ts'
import { environment } from '../support/contract-examples.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { variantOf, wordsOf } from '../support/follow-next.ts'
import { interruptedAtGit } from '../support/interrupted-git.ts'
import { MESSAGE_CHECKERS, type MessageName } from '../support/message-checkers.ts'
import { outcomeFor } from '../support/report-outcome.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { createRunRoom, errorOf, type RunRoom, readMessage } from '../support/run-room.ts'
import { adHoc, asking, bound, boundAndStopped, choosing, destroying, type Scene } from '../support/run-scene.ts'
import { makeBundle } from '../support/source-bundle.ts'

type Offer = { room: RunRoom; variant: NextVariant; values?: Record<string, string>; input?: string }

/** What the state of a scene offers under this name. */
const offer = ({ room, state }: Scene, id: string, rest: Partial<Offer> = {}): Offer => ({
  room,
  variant: variantOf(state, id),
  ...rest,
})

const offerOf = (room: RunRoom, error: CliError, id: string, values = {}): Offer => ({
  room,
  variant: variantOf(error, id),
  values,
})

const goalFile = (room: RunRoom) => room.file('goal.md', 'A goal.\n')
const sourceFile = (room: RunRoom) => room.file('envelope.json', makeBundle())
const textFile = (room: RunRoom) => room.file('text.md', 'Knots.\n')
const lacking = async (scene: Scene) => await scene.report({ status: 'needs_input', pause: environment })

/** A worktree that shares its repository with another, in which there is a run. */
async function besideAnother(): Promise<{ scene: Scene; other: string }> {
  const scene = await adHoc()
  scene.room.write('a', 'a')
  scene.room.commit()
  const other = join(realpathSync(temporaryDirectory()), 'other')
  scene.room.git('worktree', 'add', '--quiet', other)
  return { scene, other }
}

const ROWS: readonly (readonly [id: string, where: string, answer: MessageName, offer: () => Promise<Offer>])[] = [
  [
    'submit-outcome-file',
    'an action',
    'protocolState',
    async () => {
      const scene = await adHoc()
      const outcome_file = scene.room.file('outcome.json', outcomeFor(scene.state.action))
      return offer(scene, 'submit-outcome-file', { values: { outcome_file } })
    },
  ],
  [
    'submit-outcome-stdin',
    'an action',
    'protocolState',
    async () => {
      const scene = await adHoc()
      return offer(scene, 'submit-outcome-stdin', { input: JSON.stringify(outcomeFor(scene.state.action)) })
    },
  ],
  [
    'submit-outcome-stdin',
    'an outcome that is none',
    'protocolState',
    async () => {
      const scene = await adHoc()
      const error = await scene.room.error(['protocol', 'submit', ...scene.ids, '--outcome-stdin'], { input: '[]' })
      return {
        ...offerOf(scene.room, error, 'submit-outcome-stdin'),
        input: JSON.stringify(outcomeFor(scene.state.action)),
      }
    },
  ],
  ['skip-action', 'an action', 'protocolState', async () => offer(await adHoc(), 'skip-action')],
  ['skip-action', 'a question', 'protocolState', async () => offer(await asking(), 'skip-action')],
  ['skip-action', 'a lack', 'protocolState', async () => offer(await lacking(await adHoc()), 'skip-action')],
  [
    'answer-decision',
    'a question',
    'protocolState',
    async () => {
      const scene = await asking()
      return offer(scene, 'answer-decision', { values: { text_file: textFile(scene.room) } })
    },
  ],
  [
    'confirm-destructive',
    'a request, without a note',
    'protocolState',
    async () => offer(await destroying(), 'confirm-destructive'),
  ],
  [
    'confirm-destructive',
    'a request, with a note',
    'protocolState',
    async () => {
      const scene = await destroying()
      return offer(scene, 'confirm-destructive', { values: { text_file: textFile(scene.room) } })
    },
  ],
  [
    'decline-or-feedback',
    'a request',
    'protocolState',
    async () => {
      const scene = await destroying()
      return offer(scene, 'decline-or-feedback', { values: { text_file: textFile(scene.room) } })
    },
  ],
  ['resume-ad-hoc', 'a stopped run', 'protocolState', async () => offer(await (await adHoc()).stop(), 'resume-ad-hoc')],
  [
    'resume-ad-hoc',
    'a lack, with a budget',
    'protocolState',
    async () => offer(await lacking(await adHoc()), 'resume-ad-hoc', { values: { budget: '1000' } }),
  ],
  [
    'refresh-source',
    'a stopped run',
    'protocolState',
    async () => {
      const scene = await boundAndStopped()
      return offer(scene, 'refresh-source', { values: { source_file: sourceFile(scene.room), budget: '1' } })
    },
  ],
  [
    'refresh-source',
    'an envelope that is none, while the run is busy',
    'protocolState',
    async () => {
      const scene = await boundAndStopped()
      using _lock = await takeLock({ path: join(scene.directory, 'run.lock'), mode: 'exclusive' })
      const error = await scene.resume('--source-file', scene.room.file('not.json', '{'), '--budget', '3')
      return offerOf(scene.room, error, 'refresh-source', { source_file: sourceFile(scene.room) })
    },
  ],
  [
    'use-pinned-source',
    'a lack',
    'protocolState',
    async () => offer(await lacking(await bound()), 'use-pinned-source', { values: { budget: '2' } }),
  ],
  ['keep-pinned', 'a choice', 'protocolState', async () => offer(await choosing(), 'keep-pinned')],
  ['adopt', 'a choice', 'protocolState', async () => offer(await choosing(), 'adopt', { values: { budget: '2' } })],
  [
    'retry-run',
    'an action that is too large',
    'protocolState',
    async () => {
      const room = createRunRoom()
      const large = room.file('large.md', 'x'.repeat(262_134))
      const error = await room.error(['run', '--no-review', '--goal-file', large])
      return offerOf(room, error, 'retry-run', { goal_file: goalFile(room) })
    },
  ],
  [
    'start-with-source',
    'an envelope that is none',
    'protocolState',
    async () => {
      const room = createRunRoom()
      const error = await room.error(['run', '--source-file', room.file('not.json', '{'), 'A goal'])
      return offerOf(room, error, 'start-with-source', { goal_file: goalFile(room), source_file: sourceFile(room) })
    },
  ],
  [
    'start-with-source',
    'requirements that this run cannot take',
    'protocolState',
    async () => {
      const scene = await boundAndStopped()
      const error = await scene.refresh(amendedBundle(`sha256:${'0'.repeat(64)}`))
      const values = { goal_file: goalFile(scene.room), source_file: sourceFile(scene.room) }
      return offerOf(scene.room, error, 'start-with-source', values)
    },
  ],
  [
    'inspect-run',
    'a flag that is missing',
    'runStatus',
    async () => {
      const { room, state } = await adHoc()
      return offerOf(room, await room.error(['protocol', 'skip', '--run', state.run_id]), 'inspect-run')
    },
  ],
  [
    'inspect-runs',
    'an id that is none',
    'statusList',
    async () => {
      const { room } = await adHoc()
      return offerOf(room, await room.error(['status', 'a b']), 'inspect-runs')
    },
  ],
  [
    'list-runs',
    'a run that is not there',
    'statusList',
    async () => {
      const { room } = await adHoc()
      return offerOf(room, await room.error(['status', 'absent']), 'list-runs')
    },
  ],
  [
    'list-runs',
    'several runs that could be stopped',
    'statusList',
    async () => {
      const { room } = await adHoc()
      await room.state(['run', '--json', 'Another goal'])
      return offerOf(room, await room.error(['stop']), 'list-runs')
    },
  ],
  [
    'inspect-run-in-its-workspace',
    'a run of another worktree',
    'statusList',
    async () => {
      const { scene, other } = await besideAnother()
      const error = await errorOf(await scene.room.drover(['status', scene.state.run_id], { cwd: other }))
      return offerOf(scene.room, error, 'inspect-run-in-its-workspace')
    },
  ],
  [
    'inspect-run-in-its-workspace',
    'a list with a run of another worktree',
    'runStatus',
    async () => {
      const { scene, other } = await besideAnother()
      const { stdout } = await scene.room.drover(['status', '--json'], { cwd: other })
      const { runs } = await readMessage<StatusList>('statusList', stdout)
      expect(runs).toMatchObject([{ workspace_foreign: true, workspace: scene.room.root }])
      return {
        room: scene.room,
        variant: variantOf(runs[0] ?? { next: { variants: [] } }, 'inspect-run-in-its-workspace'),
      }
    },
  ],
  [
    'refresh-adapters',
    'an outcome of another version',
    'changeReport',
    async () => {
      const { room, ids } = await adHoc()
      mkdirSync(join(room.root, '.claude'))
      const args = ['protocol', 'submit', ...ids, '--outcome-stdin']
      return offerOf(room, await room.error(args, { input: '{"contract_version":3}' }), 'refresh-adapters')
    },
  ],
  [
    'run-doctor',
    'runs that cannot be reached',
    'doctorReport',
    async () => {
      const room = createRunRoom()
      writeFileSync(join(room.root, '.git', 'drover'), '')
      return offerOf(room, await room.error(['run', 'A goal']), 'run-doctor')
    },
  ],
  [
    'retry-doctor',
    'a git that does not answer',
    'doctorReport',
    async () => {
      const room = createRunRoom()
      return offerOf(room, await interruptedAtGit(room, ['status']), 'retry-doctor')
    },
  ],
  [
    'retry-list',
    'a worktree that cannot be listed',
    'listReport',
    async () => {
      const room = createRunRoom()
      const env = { ...room.env, ...failingDisk({ call: 'openSync', on: basename(room.root) }) }
      return offerOf(room, await room.error(['list'], { env }), 'retry-list')
    },
  ],
  [
    'list-host-adapters',
    'a host that nobody knows',
    'listReport',
    async () => {
      const room = createRunRoom()
      return offerOf(room, await room.error(['install', '--tool', 'nobody']), 'list-host-adapters')
    },
  ],
  [
    'inspect-host-adapters',
    'nothing that could be uninstalled',
    'listReport',
    async () => {
      const room = createRunRoom()
      return offerOf(room, await room.error(['uninstall']), 'inspect-host-adapters')
    },
  ],
  [
    'install-kiro',
    'a host of which it was not said where it is used',
    'changeReport',
    async () => {
      const room = createRunRoom()
      const error = await room.error(['install', '--tool', 'kiro'])
      return offerOf(room, error, 'install-kiro', { surface: 'cli' })
    },
  ],
]

describe('what is offered', () => {
  it('is followed here in every form', () => {
    const forms = VARIANTS.map(({ id }) => id)
    const followed = ROWS.map(([id]) => id)
    const count = (ids: readonly string[], wanted: string) => ids.filter((id) => id === wanted).length
    expect(forms.filter((id) => count(followed, id) < count(forms, id))).toEqual([])
  })

  it.each(ROWS)('is taken: %s after %s gives a %s', async (_id, _where, answer, toOffer) => {
    const { room, variant, values, input } = await toOffer()
    // From nowhere: the command says itself where it is to be done.
    const options = { cwd: room.desk, ...(input !== undefined && { input }) }
    const { code, stdout, stderr } = await room.program(wordsOf(variant, values), options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(MESSAGE_CHECKERS).toHaveProperty(answer)
    await readMessage(answer, stdout)
  })
})
