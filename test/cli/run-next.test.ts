/** Every command that `next` can offer is run exactly as offered, and the program accepts it. */
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
import { outcomeFor } from '../support/drive-run.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { interruptedAtGit } from '../support/interrupted-git.ts'
import { MESSAGE_CHECKERS, type MessageName } from '../support/message-checkers.ts'
import { variantOf, wordsOf } from '../support/next-variant.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { createRunFixture, errorOf, type RunFixture, readMessage } from '../support/run-fixture.ts'
import { makeBundle } from '../support/source-bundle.ts'
import { adHoc, asking, bound, boundAndStopped, choosing, destroying, type StartedRun } from '../support/started-run.ts'

type Offer = { fixture: RunFixture; variant: NextVariant; values?: Record<string, string>; input?: string }

/** The command that the state of a run offers under this id. */
const offer = ({ fixture, state }: StartedRun, id: string, rest: Partial<Offer> = {}): Offer => ({
  fixture,
  variant: variantOf(state, id),
  ...rest,
})

const offerOf = (fixture: RunFixture, error: CliError, id: string, values = {}): Offer => ({
  fixture,
  variant: variantOf(error, id),
  values,
})

const goalFile = (fixture: RunFixture) => fixture.file('goal.md', 'A goal.\n')
const sourceFile = (fixture: RunFixture) => fixture.file('envelope.json', makeBundle())
const textFile = (fixture: RunFixture) => fixture.file('text.md', 'Knots.\n')
const withoutEnvironment = async (started: StartedRun) =>
  await started.report({ status: 'needs_input', pause: environment })

/** A run, and a second worktree of the same repository. */
async function withSecondWorktree(): Promise<{ started: StartedRun; other: string }> {
  const started = await adHoc()
  started.fixture.write('a', 'a')
  started.fixture.commit()
  const other = join(realpathSync(temporaryDirectory()), 'other')
  started.fixture.git('worktree', 'add', '--quiet', other)
  return { started, other }
}

const ROWS: readonly (readonly [id: string, where: string, answer: MessageName, offer: () => Promise<Offer>])[] = [
  [
    'submit-outcome-file',
    'an action',
    'protocolState',
    async () => {
      const started = await adHoc()
      const outcome_file = started.fixture.file('outcome.json', outcomeFor(started.state.action))
      return offer(started, 'submit-outcome-file', { values: { outcome_file } })
    },
  ],
  [
    'submit-outcome-stdin',
    'an action',
    'protocolState',
    async () => {
      const started = await adHoc()
      return offer(started, 'submit-outcome-stdin', { input: JSON.stringify(outcomeFor(started.state.action)) })
    },
  ],
  [
    'submit-outcome-stdin',
    'an invalid outcome',
    'protocolState',
    async () => {
      const started = await adHoc()
      const error = await started.fixture.error(['protocol', 'submit', ...started.ids, '--outcome-stdin'], {
        input: '[]',
      })
      return {
        ...offerOf(started.fixture, error, 'submit-outcome-stdin'),
        input: JSON.stringify(outcomeFor(started.state.action)),
      }
    },
  ],
  ['skip-action', 'an action', 'protocolState', async () => offer(await adHoc(), 'skip-action')],
  ['skip-action', 'a question', 'protocolState', async () => offer(await asking(), 'skip-action')],
  [
    'skip-action',
    'a missing environment',
    'protocolState',
    async () => offer(await withoutEnvironment(await adHoc()), 'skip-action'),
  ],
  [
    'answer-decision',
    'a question',
    'protocolState',
    async () => {
      const started = await asking()
      return offer(started, 'answer-decision', { values: { text_file: textFile(started.fixture) } })
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
      const started = await destroying()
      return offer(started, 'confirm-destructive', { values: { text_file: textFile(started.fixture) } })
    },
  ],
  [
    'decline-or-feedback',
    'a request',
    'protocolState',
    async () => {
      const started = await destroying()
      return offer(started, 'decline-or-feedback', { values: { text_file: textFile(started.fixture) } })
    },
  ],
  ['resume-ad-hoc', 'a stopped run', 'protocolState', async () => offer(await (await adHoc()).stop(), 'resume-ad-hoc')],
  [
    'resume-ad-hoc',
    'a missing environment, with a budget',
    'protocolState',
    async () => offer(await withoutEnvironment(await adHoc()), 'resume-ad-hoc', { values: { budget: '1000' } }),
  ],
  [
    'refresh-source',
    'a stopped run',
    'protocolState',
    async () => {
      const started = await boundAndStopped()
      return offer(started, 'refresh-source', { values: { source_file: sourceFile(started.fixture), budget: '1' } })
    },
  ],
  [
    'refresh-source',
    'an invalid envelope, while the run is busy',
    'protocolState',
    async () => {
      const started = await boundAndStopped()
      using _lock = await takeLock({ path: join(started.directory, 'run.lock'), mode: 'exclusive' })
      const error = await started.resume('--source-file', started.fixture.file('not.json', '{'), '--budget', '3')
      return offerOf(started.fixture, error, 'refresh-source', { source_file: sourceFile(started.fixture) })
    },
  ],
  [
    'use-pinned-source',
    'a missing environment',
    'protocolState',
    async () => offer(await withoutEnvironment(await bound()), 'use-pinned-source', { values: { budget: '2' } }),
  ],
  ['keep-pinned', 'a choice', 'protocolState', async () => offer(await choosing(), 'keep-pinned')],
  ['adopt', 'a choice', 'protocolState', async () => offer(await choosing(), 'adopt', { values: { budget: '2' } })],
  [
    'retry-run',
    'an action that is too large',
    'protocolState',
    async () => {
      const fixture = createRunFixture()
      const large = fixture.file('large.md', 'x'.repeat(262_134))
      const error = await fixture.error(['run', '--no-review', '--goal-file', large])
      return offerOf(fixture, error, 'retry-run', { goal_file: goalFile(fixture) })
    },
  ],
  [
    'start-with-source',
    'an invalid envelope',
    'protocolState',
    async () => {
      const fixture = createRunFixture()
      const error = await fixture.error(['run', '--source-file', fixture.file('not.json', '{'), 'A goal'])
      return offerOf(fixture, error, 'start-with-source', {
        goal_file: goalFile(fixture),
        source_file: sourceFile(fixture),
      })
    },
  ],
  [
    'start-with-source',
    'requirements of another branch',
    'protocolState',
    async () => {
      const started = await boundAndStopped()
      const error = await started.refresh(amendedBundle(`sha256:${'0'.repeat(64)}`))
      const values = { goal_file: goalFile(started.fixture), source_file: sourceFile(started.fixture) }
      return offerOf(started.fixture, error, 'start-with-source', values)
    },
  ],
  [
    'inspect-run',
    'a missing flag',
    'runStatus',
    async () => {
      const { fixture, state } = await adHoc()
      return offerOf(fixture, await fixture.error(['protocol', 'skip', '--run', state.run_id]), 'inspect-run')
    },
  ],
  [
    'inspect-runs',
    'a malformed id',
    'statusList',
    async () => {
      const { fixture } = await adHoc()
      return offerOf(fixture, await fixture.error(['status', 'a b']), 'inspect-runs')
    },
  ],
  [
    'list-runs',
    'a missing run',
    'statusList',
    async () => {
      const { fixture } = await adHoc()
      return offerOf(fixture, await fixture.error(['status', 'absent']), 'list-runs')
    },
  ],
  [
    'list-runs',
    'several runs',
    'statusList',
    async () => {
      const { fixture } = await adHoc()
      await fixture.state(['run', '--json', 'Another goal'])
      return offerOf(fixture, await fixture.error(['stop']), 'list-runs')
    },
  ],
  [
    'inspect-run-in-its-workspace',
    'a run of another worktree',
    'statusList',
    async () => {
      const { started, other } = await withSecondWorktree()
      const error = await errorOf(await started.fixture.drover(['status', started.state.run_id], { cwd: other }))
      return offerOf(started.fixture, error, 'inspect-run-in-its-workspace')
    },
  ],
  [
    'inspect-run-in-its-workspace',
    'a list with a run of another worktree',
    'runStatus',
    async () => {
      const { started, other } = await withSecondWorktree()
      const { stdout } = await started.fixture.drover(['status', '--json'], { cwd: other })
      const { runs } = await readMessage<StatusList>('statusList', stdout)
      expect(runs).toMatchObject([{ workspace_foreign: true, workspace: started.fixture.root }])
      return {
        fixture: started.fixture,
        variant: variantOf(runs[0] ?? { next: { variants: [] } }, 'inspect-run-in-its-workspace'),
      }
    },
  ],
  [
    'refresh-adapters',
    'an outcome of another version',
    'changeReport',
    async () => {
      const { fixture, ids } = await adHoc()
      mkdirSync(join(fixture.root, '.claude'))
      const args = ['protocol', 'submit', ...ids, '--outcome-stdin']
      return offerOf(fixture, await fixture.error(args, { input: '{"contract_version":3}' }), 'refresh-adapters')
    },
  ],
  [
    'run-doctor',
    'an unusable run storage',
    'doctorReport',
    async () => {
      const fixture = createRunFixture()
      writeFileSync(join(fixture.root, '.git', 'drover'), '')
      return offerOf(fixture, await fixture.error(['run', 'A goal']), 'run-doctor')
    },
  ],
  [
    'retry-doctor',
    'a git that does not answer',
    'doctorReport',
    async () => {
      const fixture = createRunFixture()
      return offerOf(fixture, await interruptedAtGit(fixture, ['status']), 'retry-doctor')
    },
  ],
  [
    'retry-list',
    'a worktree that cannot be listed',
    'listReport',
    async () => {
      const fixture = createRunFixture()
      const env = { ...fixture.env, ...failingDisk({ call: 'openSync', on: basename(fixture.root) }) }
      return offerOf(fixture, await fixture.error(['list'], { env }), 'retry-list')
    },
  ],
  [
    'list-host-adapters',
    'an unknown host',
    'listReport',
    async () => {
      const fixture = createRunFixture()
      return offerOf(fixture, await fixture.error(['install', '--tool', 'unknown']), 'list-host-adapters')
    },
  ],
  [
    'inspect-host-adapters',
    'an uninstall without installed hosts',
    'listReport',
    async () => {
      const fixture = createRunFixture()
      return offerOf(fixture, await fixture.error(['uninstall']), 'inspect-host-adapters')
    },
  ],
  [
    'install-kiro',
    'kiro without a surface',
    'changeReport',
    async () => {
      const fixture = createRunFixture()
      const error = await fixture.error(['install', '--tool', 'kiro'])
      return offerOf(fixture, error, 'install-kiro', { surface: 'cli' })
    },
  ],
]

describe('an offered command', () => {
  it('is covered by a row in each form', () => {
    const forms = VARIANTS.map(({ id }) => id)
    const followed = ROWS.map(([id]) => id)
    const count = (ids: readonly string[], wanted: string) => ids.filter((id) => id === wanted).length
    expect(forms.filter((id) => count(followed, id) < count(forms, id))).toEqual([])
  })

  it.each(ROWS)('is accepted: %s after %s gives a %s', async (_id, _where, answer, toOffer) => {
    const { fixture, variant, values, input } = await toOffer()
    // The working directory does not matter: the command names the worktree.
    const options = { cwd: fixture.scratch, ...(input !== undefined && { input }) }
    const { code, stdout, stderr } = await fixture.program(wordsOf(variant, values), options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(MESSAGE_CHECKERS).toHaveProperty(answer)
    await readMessage(answer, stdout)
  })
})
