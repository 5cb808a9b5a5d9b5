import { describe, expect, it } from 'vitest'
import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import { executionNotFound } from '../../executions/store/faults.ts'
import { digest } from '../../kit/digest.ts'
import { sessionFieldInvalid, sessionIdMalformed, sessionNotFound } from '../../sessions/faults.ts'
import { argumentMissing, inputTooLarge, outputFailed } from '../faults.ts'
import { FailureWithRemedy } from '../remedies.ts'
import { describeFailure, type FailureContext } from './describe-failure.ts'

const workspace = digest('a worktree')
const context: FailureContext = {
  group: 'Changes',
  command: 'run',
  wantsJson: false,
  wantsStack: false,
  isTty: true,
  findWorkspaceId: async () => workspace,
}
const usage = argumentMissing({ command: 'run', name: 'goal' })
const failure = outputFailed({ reason: 'full' })
const bug = new TypeError('x')

describe('the form of a failure', () => {
  it.each<[string, Partial<FailureContext>, 'text' | 'cliError' | 'error']>([
    ['Changes on a terminal', {}, 'text'],
    ['Changes with --json', { wantsJson: true }, 'cliError'],
    ['Changes without a terminal', { isTty: false }, 'text'],
    ['a protocol command on a terminal', { command: 'protocol submit' }, 'cliError'],
    ['a protocol command without a terminal', { command: 'protocol submit', isTty: false }, 'cliError'],
    ['a source command on a terminal', { command: 'source check' }, 'text'],
    ['a source command without a terminal', { command: 'source check', isTty: false }, 'cliError'],
    ['Hosts without a terminal', { group: 'Hosts', isTty: false }, 'text'],
    ['Hosts with --json', { group: 'Hosts', wantsJson: true }, 'cliError'],
    ['Prompts without a terminal', { group: 'Prompts', isTty: false }, 'text'],
    ['Prompts with --json', { group: 'Prompts', wantsJson: true }, 'error'],
    ['no known command without a terminal', { group: undefined, isTty: false }, 'text'],
  ])('for %s', async (_name, change, form) => {
    const { text } = await describeFailure(failure, { ...context, ...change })
    const found = text.startsWith('drover: ') ? 'text' : 'contract_version' in JSON.parse(text) ? 'cliError' : 'error'
    expect(found).toBe(form)
  })
})

it('the details of an error in JSON are named as in the HTTP API', async () => {
  const { text } = await describeFailure(inputTooLarge({ limitBytes: 9 }), {
    ...context,
    group: 'Prompts',
    wantsJson: true,
  })
  expect(JSON.parse(text)).toMatchObject({ error: 'input_too_large', details: { limit_bytes: 9 } })
})

describe('the exit code of a failure', () => {
  it.each<[string, unknown, Partial<FailureContext>, number]>([
    ['wrong usage, Changes', usage, {}, 2],
    ['wrong usage, Changes, as JSON', usage, { wantsJson: true }, 2],
    ['wrong usage, Prompts', usage, { group: 'Prompts' }, 2],
    ['wrong usage, Server', usage, { group: 'Server' }, 2],
    ['a failure, Server', failure, { group: 'Server' }, 1],
    ['a failure, Changes', failure, {}, 3],
    ['a failure, Changes, as JSON', failure, { wantsJson: true }, 3],
    ['a failure, Hosts', failure, { group: 'Hosts' }, 3],
    ['a failure, Prompts', failure, { group: 'Prompts' }, 1],
    ['a malformed id, Prompts', sessionIdMalformed({ id: 'x', rule: 'y' }), { group: 'Prompts' }, 2],
    ['an invalid tag, Prompts', sessionFieldInvalid({ field: 'x', rule: 'y' }), { group: 'Prompts' }, 2],
    ['a bug, Changes', bug, {}, 3],
    ['a bug, Changes, as JSON', bug, { wantsJson: true }, 3],
    ['a bug, Prompts', bug, { group: 'Prompts' }, 1],
  ])('for %s', async (_name, error, change, exitCode) => {
    const found = await describeFailure(error, { ...context, ...change })
    expect(found.exitCode).toBe(exitCode)
    if (found.text.includes('contract_version')) expect(JSON.parse(found.text).exit_code).toBe(exitCode)
  })
})

describe('a remedy', () => {
  const next: Next = {
    operation: 'start',
    workspace_identity: workspace,
    variants: [makeVariant('start-with-source', { ROOT: '/my repo', BUDGET: '8' })],
  }

  it('is shown to people as commands', async () => {
    const { text } = await describeFailure(new FailureWithRemedy(failure, { next }), context)
    expect(text).toBe(
      "drover: the output could not be written: full\nNext:\n  drover run --budget 8 --root '/my repo' --goal-file GOAL_FILE --source-file SOURCE_FILE",
    )
  })

  it.each([
    ['for every input', { goal_file: 'a', source_file: 'b c' }, "--goal-file a --source-file 'b c'"],
    ['for one input', { source_file: 'a' }, '--goal-file GOAL_FILE --source-file a'],
  ])('repeats what people typed %s', async (_name, typedInputs, words) => {
    const { text } = await describeFailure(new FailureWithRemedy(failure, { next, typedInputs }), context)
    expect(text.split('\n').at(-1)).toBe(`  drover run --budget 8 --root '/my repo' ${words}`)
  })

  it('is the field next for programs', async () => {
    const typedInputs = { goal_file: 'a' }
    const { text } = await describeFailure(new FailureWithRemedy(failure, { next, typedInputs }), {
      ...context,
      wantsJson: true,
    })
    expect(JSON.parse(text).next).toEqual(next)
  })

  it('lists the choices of an input', async () => {
    const kiro: Next = {
      operation: 'command',
      workspace_identity: workspace,
      variants: [makeVariant('install-kiro', { ROOT: '/r' })],
    }
    const { text } = await describeFailure(new FailureWithRemedy(failure, { next: kiro }), context)
    expect(text).toContain('  drover install --root /r --tool kiro --surface ide|cli')
  })
})

describe('the text of a failure', () => {
  it('is the same on a terminal and in a pipe', async () => {
    const shown = await describeFailure(usage, context)
    expect(await describeFailure(usage, { ...context, isTty: false })).toEqual(shown)
    expect(shown.text).toBe('drover: drover run needs <goal>\nRun "drover run --help" for help.')
  })

  it('names the command that lists the ids after a wrong one', async () => {
    const prompts = { ...context, group: 'Prompts' } as const
    const texts = [sessionNotFound({ id: '0a' }), executionNotFound({ id: '0b' })].map((fault) =>
      describeFailure(fault, prompts),
    )
    expect((await Promise.all(texts)).map(({ text }) => text)).toEqual([
      'drover: no session 0a; drover sessions list shows the ids',
      'drover: no execution 0b exists; drover ps --all shows the ids',
    ])
  })

  it('indents further lines, so that they are not separate messages', async () => {
    const named = outputFailed({ reason: 'a\ndrover: b' })
    expect((await describeFailure(named, context)).text).toContain('a\n  drover: b')
  })

  it('has no control characters on a terminal', async () => {
    const turned = outputFailed({ reason: 'a\u202eb\u001b[2J' })
    const prompts = { ...context, group: 'Prompts' } as const
    expect((await describeFailure(turned, prompts)).text).toContain('ab[2J')
    expect((await describeFailure(turned, { ...prompts, isTty: false })).text).toContain('a\u202eb')
  })
})
