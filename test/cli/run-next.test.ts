/** Every command that `next` can offer is run exactly as offered, and the program accepts it. */
import { cpSync, existsSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import type { NextVariant } from '../../src/contract/next.shape.ts'
import { VARIANTS } from '../../src/contract/next-variants.ts'
import type { ProtocolState } from '../../src/contract/protocol-state.shape.ts'
import type { StatusList } from '../../src/contract/run-status.shape.ts'
import { takeLock } from '../../src/kit/files/lock.ts'
import { nextForResume } from '../../src/runs/next-after-input.ts'
import { amendedBundle } from '../support/amended-bundle.ts'
import { environment } from '../support/contract-examples.ts'
import { createRunContext } from '../support/create-run-context.ts'
import { outcomeFor } from '../support/drive-run.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { installFakeGh, toFakeGitHub } from '../support/fake-gh.ts'
import { firstOf } from '../support/full-counts.ts'
import { interruptedAtGit } from '../support/interrupted-git.ts'
import { MESSAGE_CHECKERS, type MessageName } from '../support/message-checkers.ts'
import { variantOf, wordsOf } from '../support/next-variant.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { createRunFixture, offered, type RunFixture, readMessage } from '../support/run-fixture.ts'
import { ISSUE_URL, makeBundle } from '../support/source-bundle.ts'
import {
  adHoc,
  asking,
  bound,
  boundAndStopped,
  choosing,
  destroying,
  ended,
  type StartedRun,
} from '../support/started-run.ts'

const ACTION = 'action submit-outcome-file submit-outcome-stdin skip-action'
const SUBMIT = 'action submit-outcome-file'
const ANSWER = 'answer answer-decision skip-action'
const RESUME = 'resume refresh-source use-pinned-source'
const AD_HOC = 'resume resume-ad-hoc'
const LIST = 'command list-runs'
const HOSTS = 'command list-host-adapters'
const ABSENT = ['--run', 'absent', '--action', 'x']

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
      const { fixture, state, directory } = await boundAndStopped()
      const context = await createRunContext(fixture, { lockWaitMs: 1 })
      using _lock = await takeLock({ path: join(directory, 'run.lock'), mode: 'exclusive' })
      const next = await nextForResume(context, state.run_id, { budget: 3 })
      expect(next.variants[0]?.base_argv.slice(-2)).toEqual(['--budget', '3'])
      return { fixture, variant: variantOf({ next }, 'refresh-source'), values: { source_file: sourceFile(fixture) } }
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
    'start-from-issue',
    'a number instead of the address of an issue',
    'protocolState',
    async () => {
      const fixture = createRunFixture()
      const { bin } = installFakeGh(fixture.scratch, toFakeGitHub(makeBundle()))
      fixture.env.PATH = `${bin}:${fixture.env.PATH}`
      const error = await fixture.error(['run', '--no-review', '--issue', '7'])
      return offerOf(fixture, error, 'start-from-issue', { issue_url: ISSUE_URL })
    },
  ],
  [
    'start-with-issue',
    'an issue that cannot be read, with a goal',
    'protocolState',
    async () => {
      const fixture = createRunFixture()
      const { bin } = installFakeGh(fixture.scratch, { failure: 'logged_out' })
      fixture.env.PATH = `${bin}:${fixture.env.PATH}`
      const error = await fixture.error(['run', '--issue', ISSUE_URL, 'A goal'])
      installFakeGh(fixture.scratch, toFakeGitHub(makeBundle()))
      return offerOf(fixture, error, 'start-with-issue', { goal_file: goalFile(fixture), issue_url: ISSUE_URL })
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
      const error = await started.fixture.error(['status', started.state.run_id], { cwd: other })
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
      await fixture.drover(['install', '--tool', 'claude'])
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
      return offerOf(fixture, await interruptedAtGit(fixture, ['status', '--json']), 'retry-doctor')
    },
  ],
  [
    'retry-list',
    'a worktree that cannot be listed',
    'listReport',
    async () => {
      const fixture = createRunFixture()
      const env = { ...fixture.env, ...failingDisk({ call: 'openSync', on: basename(fixture.root) }) }
      return offerOf(fixture, await fixture.programError(['list'], { env }), 'retry-list')
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

  it.each(firstOf(ROWS, 12))('is accepted: %s after %s gives a %s', async (_id, _where, answer, toOffer) => {
    const { fixture, variant, values, input } = await toOffer()
    // The working directory does not matter: the command names the worktree.
    const options = { cwd: fixture.scratch, ...(input !== undefined && { input }) }
    const { code, stdout, stderr } = await callerFor(fixture, variant)(wordsOf(variant, values), options)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(MESSAGE_CHECKERS).toHaveProperty(answer)
    await readMessage(answer, stdout)
  })
})

const called = new Set<string>()

/** Each command is run once as a process, and the other times in this one. */
function callerFor(
  fixture: RunFixture,
  { base_argv: [, command, operation = ''] }: NextVariant,
): RunFixture['program'] {
  const name = command === 'protocol' ? operation : (command ?? '')
  if (called.has(name)) return fixture.drover
  called.add(name)
  return fixture.program
}

type Refused = { fixture: RunFixture; error: CliError; state?: ProtocolState }

const refused = async (started: StartedRun, ...args: string[]): Promise<Refused> => ({
  fixture: started.fixture,
  error: await started.fixture.error(args),
  state: started.state,
})

const unreadable = (started: StartedRun, ids = started.ids) =>
  refused(started, 'protocol', 'submit', ...ids, '--outcome-file', started.fixture.file('not.json', '{'))

const notRefreshed = (started: StartedRun, run = started.state.run_id) =>
  refused(started, 'protocol', 'resume', run, '--source-file', started.fixture.file('not.json', '{'))

async function otherVersion(started: StartedRun): Promise<Refused> {
  const file = started.fixture.file('three.json', '{"contract_version":3}')
  return await refused(started, 'protocol', 'submit', ...started.ids, '--outcome-file', file)
}

async function withKiro(...words: string[]): Promise<Refused> {
  const fixture = createRunFixture()
  await fixture.drover(['install', '--tool', 'kiro', '--surface', 'ide'])
  return { fixture, error: await fixture.error(['install', ...words]) }
}

async function chosenOtherwise(): Promise<Refused> {
  const started = await choosing()
  const candidate = started.state.source_candidate?.candidate_id ?? ''
  const words = ['protocol', 'resume', started.state.run_id, '--candidate', candidate, '--source-choice']
  await started.do(...words, 'pinned')
  return await refused(started, ...words, 'adopt')
}

/** A run whose repository is now elsewhere. */
async function movedRepository(): Promise<{ started: StartedRun; to: string }> {
  const started = await adHoc()
  const to = `${started.fixture.root}-moved`
  renameSync(started.fixture.root, to)
  return { started, to }
}

/** What is offered after an error must work, in the state that the run is in. */
const REFUSED: readonly (readonly [code: string, when: string, next: string, refuse: () => Promise<Refused>])[] = [
  ['invalid_source_candidate', 'the run is active', ACTION, async () => notRefreshed(await bound())],
  ['invalid_source_candidate', 'the run waits for an answer', ANSWER, async () => notRefreshed(await asking())],
  ['invalid_source_candidate', 'the run is stopped', RESUME, async () => notRefreshed(await boundAndStopped())],
  ['invalid_source_candidate', 'there is no such run', LIST, async () => notRefreshed(await bound(), 'absent')],
  ['source_choice_conflict', 'the run is active', ACTION, chosenOtherwise],
  ['contract_version_mismatch', 'no host is installed', SUBMIT, async () => otherVersion(await adHoc())],
  ['contract_version_mismatch', 'the run is stopped', AD_HOC, async () => otherVersion(await (await adHoc()).stop())],
  ['invalid_outcome', 'the action is current', SUBMIT, async () => unreadable(await adHoc())],
  ['invalid_outcome', 'the run is stopped', AD_HOC, async () => unreadable(await (await adHoc()).stop())],
  ['invalid_outcome', 'the run has ended', 'none', async () => unreadable(await ended())],
  ['invalid_outcome', 'there is no such run', LIST, async () => unreadable(await adHoc(), ABSENT)],
  ['invalid_adapter_surface', 'kiro has the other one', HOSTS, () => withKiro('--tool', 'kiro', '--surface', 'cli')],
  ['invalid_adapter_surface', 'kiro has one, and none is named', HOSTS, () => withKiro('--surface', 'web')],
  [
    'workspace_identity_mismatch',
    'the repository was moved',
    LIST,
    async () => {
      const { started, to } = await movedRepository()
      return {
        fixture: started.fixture,
        error: await started.fixture.error(['status', started.state.run_id], { cwd: to }),
      }
    },
  ],
]

describe('what an error offers', () => {
  it.each(REFUSED)('can be done: %s, when %s, offers %s', async (code, _when, next, refuse) => {
    const { fixture, error, state } = await refuse()
    expect([error.code, offered(error)]).toEqual([code, next])
    for (const variant of error.next.variants) {
      using _before = remember(fixture)
      const input = variant.id === 'submit-outcome-stdin' ? { input: JSON.stringify(outcomeFor(state?.action)) } : {}
      const words = wordsOf(variant, valuesFor(fixture, variant, state))
      const ran = await fixture.drover(words, { cwd: fixture.scratch, ...input })
      expect([variant.id, ran.code, ran.stderr]).toEqual([variant.id, 0, ''])
    }
  })

  it('does not lead to a worktree that is gone', async () => {
    const { started, to } = await movedRepository()
    const { stdout } = await started.fixture.drover(['status', '--json'], { cwd: to })
    const { runs } = await readMessage<StatusList>('statusList', stdout)
    expect(runs).toMatchObject([{ workspace_foreign: true, next: { operation: 'none', variants: [] } }])
    const { message } = await started.fixture.error(['stop', started.state.run_id], { cwd: to })
    expect(message).toContain('which is no longer there; move it back')
  })
})

/** Brings back all runs of a repository, so that another command finds them as they were. */
function remember({ root, scratch }: RunFixture): Disposable {
  const [runs, copy] = [join(root, '.git', 'drover'), join(scratch, 'runs-before')]
  if (!existsSync(runs)) return { [Symbol.dispose]: () => undefined }
  cpSync(runs, copy, { recursive: true })
  return {
    [Symbol.dispose]: () => {
      rmSync(runs, { recursive: true })
      renameSync(copy, runs)
    },
  }
}

/** A good value for each required input. */
function valuesFor(fixture: RunFixture, { inputs }: NextVariant, state?: ProtocolState): Record<string, string> {
  const values: Record<string, () => string> = {
    outcome_file: () => fixture.file('good.json', outcomeFor(state?.action)),
    source_file: () => sourceFile(fixture),
    goal_file: () => goalFile(fixture),
    text_file: () => textFile(fixture),
  }
  return Object.fromEntries(inputs.filter(({ required }) => required).map(({ name }) => [name, values[name]?.() ?? '']))
}
