import { describe, expect, it } from 'vitest'
import type { Next } from '../../contract/next.shape.ts'
import { makeVariant } from '../../contract/next-variants.ts'
import { digest } from '../../kit/digest.ts'
import { sessionFieldInvalid, sessionIdMalformed } from '../../sessions/faults.ts'
import { argumentMissing, outputFailed } from '../faults.ts'
import { AdvisedFailure } from './advised-failure.ts'
import { type Asker, failureOf } from './fault-exit.ts'

const workspace = digest('a worktree')
const asker: Asker = {
  group: 'Changes',
  command: 'run',
  wantsJson: false,
  wantsStack: false,
  isTty: true,
  nameWorkspace: async () => workspace,
}
const usage = argumentMissing({ command: 'run', name: 'goal' })
const failure = outputFailed({ reason: 'full' })
const bug = new TypeError('x')

describe('the form of a failure', () => {
  it.each<[string, Partial<Asker>, 'text' | 'cliError' | 'error']>([
    ['Changes on a terminal', {}, 'text'],
    ['Changes with --json', { wantsJson: true }, 'cliError'],
    ['Changes without a terminal', { isTty: false }, 'cliError'],
    ['a protocol command on a terminal', { command: 'protocol submit' }, 'cliError'],
    ['Hosts without a terminal', { group: 'Hosts', isTty: false }, 'cliError'],
    ['Prompts without a terminal', { group: 'Prompts', isTty: false }, 'text'],
    ['Prompts with --json', { group: 'Prompts', wantsJson: true }, 'error'],
    ['no known command without a terminal', { group: undefined, isTty: false }, 'text'],
  ])('for %s', async (_name, change, form) => {
    const { text } = await failureOf(failure, { ...asker, ...change })
    const found = text.startsWith('drover: ') ? 'text' : 'contract_version' in JSON.parse(text) ? 'cliError' : 'error'
    expect(found).toBe(form)
  })
})

describe('the exit code of a failure', () => {
  it.each<[string, unknown, Partial<Asker>, number]>([
    ['wrong words, Changes', usage, {}, 2],
    ['wrong words, Changes, as JSON', usage, { isTty: false }, 2],
    ['wrong words, Prompts', usage, { group: 'Prompts' }, 2],
    ['trouble, Changes', failure, {}, 3],
    ['trouble, Changes, as JSON', failure, { isTty: false }, 3],
    ['trouble, Hosts', failure, { group: 'Hosts' }, 3],
    ['trouble, Prompts', failure, { group: 'Prompts' }, 1],
    ['what is no id, Prompts', sessionIdMalformed({ id: 'x', rule: 'y' }), { group: 'Prompts' }, 2],
    ['what is no tag, Prompts', sessionFieldInvalid({ field: 'x', rule: 'y' }), { group: 'Prompts' }, 2],
    ['a bug, Changes', bug, {}, 3],
    ['a bug, Changes, as JSON', bug, { isTty: false }, 3],
    ['a bug, Prompts', bug, { group: 'Prompts' }, 1],
  ])('for %s', async (_name, error, change, exitCode) => {
    const found = await failureOf(error, { ...asker, ...change })
    expect(found.exitCode).toBe(exitCode)
    if (found.text.includes('contract_version')) expect(JSON.parse(found.text).exit_code).toBe(exitCode)
  })
})

describe('advice', () => {
  const next: Next = {
    operation: 'start',
    workspace_identity: workspace,
    variants: [makeVariant('start-with-source', { ROOT: '/my repo', BUDGET: '8' })],
  }

  it('is for people what to type next', async () => {
    const { text } = await failureOf(new AdvisedFailure(failure, { next }), asker)
    expect(text).toBe(
      "drover: the output could not be written: full\nNext:\n  drover run --budget 8 --root '/my repo' --goal-file GOAL_FILE --source-file SOURCE_FILE",
    )
  })

  it.each([
    ['in place of all that is open', { goal_file: [], source_file: ['--issue', 'a b'] }, "--issue 'a b'"],
    ['in place of a part', { source_file: ['--issue', 'a'] }, '--goal-file GOAL_FILE --issue a'],
  ])('is for people what they gave %s', async (_name, given, words) => {
    const { text } = await failureOf(new AdvisedFailure(failure, { next, given }), asker)
    expect(text.split('\n').at(-1)).toBe(`  drover run --budget 8 --root '/my repo' ${words}`)
  })

  it('is for programs the field next', async () => {
    const given = { goal_file: [] }
    const { text } = await failureOf(new AdvisedFailure(failure, { next, given }), { ...asker, isTty: false })
    expect(JSON.parse(text).next).toEqual(next)
  })

  it('offers choices as they are', async () => {
    const kiro: Next = {
      operation: 'command',
      workspace_identity: workspace,
      variants: [makeVariant('install-kiro', { ROOT: '/r' })],
    }
    const { text } = await failureOf(new AdvisedFailure(failure, { next: kiro }), asker)
    expect(text).toContain('  drover install --root /r --tool kiro --surface ide|cli')
  })
})

describe('the text of a failure', () => {
  it('turns nothing around on a terminal', async () => {
    const turned = outputFailed({ reason: 'a\u202eb\u001b[2J' })
    const prompts = { ...asker, group: 'Prompts' } as const
    expect((await failureOf(turned, prompts)).text).toContain('ab[2J')
    expect((await failureOf(turned, { ...prompts, isTty: false })).text).toContain('a\u202eb')
  })
})
