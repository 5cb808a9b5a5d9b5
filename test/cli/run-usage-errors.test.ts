/** Every usage error of the commands on runs. Nothing is attempted, and the exit code is 2. */
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/contract/limits.ts'
import { digestUnavailableWorkspace } from '../../src/kit/digest.ts'
import { decision } from '../support/contract-examples.ts'
import { outcomeFor } from '../support/drive-run.ts'
import { createRunFixture, createSharedRunFixture, offered } from '../support/run-fixture.ts'
import { makeBundle } from '../support/source-bundle.ts'

const fixture = createSharedRunFixture()
const bundle = makeBundle()

/** `run` has no issue; `bound` has one and is stopped. */
const ids = { run: '', action: '', bound: '' }

const file = {
  blank: fixture.file('blank.md', ' \n'),
  notText: fixture.file('not-text.md', Buffer.from([0xff])),
  control: fixture.file('control.md', 'a\u0007b'),
  large: fixture.file('large.md', 'x'.repeat(LIMITS.goalBytes + 1)),
  /** Within the limit as bytes, but each character takes two in JSON. */
  encoded: fixture.file('encoded.md', '"'.repeat(LIMITS.goalBytes / 2)),
  notJson: fixture.file('not.json', '{'),
  strange: fixture.file('strange.json', '{"contract_version":3,"unknown":1}'),
  version: fixture.file('version.json', '{"contract_version":3}'),
  unversioned: fixture.file('unversioned.json', '{}'),
  rejected: fixture.file('rejected.json', { ...bundle, body: 'no change' }),
  envelope: fixture.file('envelope.json', bundle),
  goal: fixture.file('goal.md', 'A goal.\n'),
  missing: join(fixture.scratch, 'missing'),
  directory: join(fixture.scratch, 'directory'),
  link: join(fixture.scratch, 'link'),
  nowhere: join(fixture.scratch, 'nowhere'),
}

beforeAll(async () => {
  mkdirSync(file.directory)
  mkdirSync(file.nowhere)
  symlinkSync(file.goal, file.link)
  const adHoc = await fixture.state(['run', '--json', 'A goal'])
  const bound = await fixture.state(['run', '--json', '--source-file', file.envelope, 'A goal'])
  await fixture.state(['stop', '--json', bound.run_id])
  Object.assign(ids, { run: adHoc.run_id, action: adHoc.action?.action_id, bound: bound.run_id })
})

/** Replaces placeholders by ids that are known only after the runs were started. */
const filled = (args: readonly string[]) =>
  args.map((word) => word.replace('RUN', ids.run).replace('ACTION', ids.action).replace('BOUND', ids.bound))

const submit = (...rest: string[]) => ['protocol', 'submit', ...rest]
const answer = (...rest: string[]) => ['protocol', 'answer', ...rest]
const resume = (...rest: string[]) => ['protocol', 'resume', ...rest]
const ofRun = ['--run', 'RUN']
const ofAction = [...ofRun, '--action', 'ACTION']

type Row = readonly [code: string, args: readonly string[], next: string, input?: string | Buffer]

const ROWS: readonly Row[] = [
  ['invalid_usage', ['run', '--nope', 'A goal'], 'none'],
  ['invalid_usage', ['run', 'A', 'goal'], 'none'],
  ['invalid_usage', ['run', '--budget', 'many', 'A goal'], 'none'],
  ['invalid_usage', ['run', '--budget', '0x8', 'A goal'], 'none'],
  ['invalid_usage', ['run', '--budget', '1.5', 'A goal'], 'none'],
  ['invalid_usage', ['run', '--budget=', 'A goal'], 'none'],
  ['invalid_usage', ['run', '--goal-stdin=maybe'], 'none'],
  ['invalid_usage', ['run', '--issue', 'https://github.com/o/r/issues/7', '--source-file', 'x', 'A goal'], 'none'],
  ['invalid_usage', ['status', 'RUN', 'RUN'], 'none'],
  ['invalid_usage', ['status', 'RUN', '--section', 'outcome', '--watch'], 'none'],
  ['invalid_usage', ['status', 'RUN', '--state', 'active'], 'none'],
  ['invalid_usage', ['status', '--section', 'outcome', '--state', 'active'], 'none'],
  ['invalid_usage', ['status', '--watch', '--state', 'active'], 'none'],
  ['invalid_usage', ['status', '--state', 'done'], 'none'],
  ['invalid_usage', ['stop', 'RUN', 'RUN'], 'none'],
  ['invalid_usage', resume(), 'none'],
  ['invalid_usage', resume('RUN', '--budget', 'many'), 'none'],
  ['invalid_usage', submit(...ofAction, '--json'), 'none'],
  ['invalid_usage', ['protocol', 'submt'], 'none'],
  ['protocol_operation_required', ['protocol'], 'none'],
  ['protocol_operation_required', ['protocol', '--root', fixture.root], 'none'],
  ['protocol_operation_required', ['--root', fixture.root, 'protocol', '--run', 'RUN'], 'none'],
  ['invalid_usage', ['protocol', '--nope'], 'none'],
  ['git_repository_required', ['status', '--root', file.missing], 'none'],
  ['goal_required', ['run'], 'none'],
  ['goal_required', ['run', '--goal-stdin=false'], 'none'],
  ['goal_required', ['run', ''], 'none'],
  ['goal_required', ['run', '--goal-file', file.blank], 'none'],
  ['goal_required', ['run', '--goal-stdin'], 'none', ' \n'],
  ['goal_mode_conflict', ['run', '--goal-stdin', 'A goal'], 'none'],
  ['goal_mode_conflict', ['run', '--goal-file', file.goal, '--goal-stdin'], 'none'],
  ['goal_file_required', ['run', '--goal-file', ''], 'none'],
  ['goal_unavailable', ['run', '--goal-file', file.missing], 'none'],
  ['goal_unavailable', ['run', '--goal-file', file.link], 'none'],
  ['goal_unavailable', ['run', '--goal-file', '-g.txt'], 'none'],
  ['goal_unavailable', ['run', '--goal-file', file.directory], 'none'],
  ['invalid_goal', ['run', '--goal-file', file.notText], 'none'],
  ['invalid_goal', ['run', '--goal-file', file.control], 'none'],
  ['invalid_goal', ['run', '--goal-stdin'], 'none', Buffer.from([0xc3])],
  ['action_too_large', ['run', '--goal-file', file.large], 'none'],
  ['action_too_large', ['run', '--goal-file', file.encoded], 'none'],
  ['action_too_large', ['run', '--goal-stdin'], 'none', 'x'.repeat(LIMITS.goalBytes + 1)],
  ['invalid_budget', ['run', '--budget', '0', 'A goal'], 'none'],
  ['invalid_budget', ['run', '--budget', '1001', 'A goal'], 'none'],
  ['invalid_budget', ['run', '--budget', '-1', 'A goal'], 'none'],
  ['invalid_budget', ['run', '--budget', '+5', 'A goal'], 'none'],
  ['invalid_budget', ['run', '--budget', '007', 'A goal'], 'none'],
  ['invalid_budget', ['run', '--budget', '08', 'A goal'], 'none'],
  ['invalid_budget', ['run', '--budget', '1'.repeat(400), 'A goal'], 'none'],
  ['invalid_budget', resume('RUN', '--budget', '+5'), 'command inspect-run'],
  ['invalid_budget', resume('RUN', '--budget', '007'), 'command inspect-run'],
  ['invalid_budget', resume('RUN', '--budget', '0'), 'command inspect-run'],
  ['invalid_budget', resume('RUN', '--budget', '1001'), 'command inspect-run'],
  ['invalid_budget', resume('RUN', '--budget', '-1'), 'command inspect-run'],
  ['source_file_required', ['run', '--source-file', '', 'A goal'], 'none'],
  ['source_file_required', resume('RUN', '--source-file='), 'command inspect-run'],
  ['invalid_source', ['run', '--source-file', file.missing, 'A goal'], 'start start-with-source'],
  ['invalid_source', ['run', '--source-file', file.link, 'A goal'], 'start start-with-source'],
  ['invalid_source', ['run', '--source-file', file.notJson, 'A goal'], 'start start-with-source'],
  ['invalid_source', ['run', '--source-file', file.rejected, 'A goal'], 'start start-with-source'],
  [
    'invalid_source_candidate',
    resume('BOUND', '--source-file', file.missing),
    'resume refresh-source use-pinned-source',
  ],
  [
    'invalid_source_candidate',
    resume('BOUND', '--source-file', file.notJson),
    'resume refresh-source use-pinned-source',
  ],
  [
    'invalid_source_candidate',
    resume('RUN', '--source-file', file.notJson),
    'action submit-outcome-file submit-outcome-stdin skip-action',
  ],
  ['invalid_source_candidate', resume('absent', '--source-file', file.notJson), 'command list-runs'],
  ['run_id_required', submit(), 'none'],
  ['run_id_required', answer('--run', ''), 'none'],
  ['run_id_required', ['protocol', 'skip', '--run='], 'none'],
  ['run_id_required', resume(''), 'none'],
  ['run_id_required', ['protocol', 'material'], 'command inspect-runs'],
  ['run_id_required', ['status', '--section', 'outcome'], 'command inspect-runs'],
  ['run_id_required', ['status', '--watch'], 'command inspect-runs'],
  ['run_id_required', ['stop', ''], 'command list-runs'],
  ['invalid_run_id', submit('--run', 'a b'), 'command inspect-runs'],
  ['invalid_run_id', answer('--run', '../x'), 'command inspect-runs'],
  ['invalid_run_id', ['protocol', 'skip', '--run', 'é'], 'command inspect-runs'],
  ['invalid_run_id', resume('a.b'), 'command inspect-runs'],
  ['invalid_run_id', ['protocol', 'material', '--run', 'a/b'], 'command inspect-runs'],
  ['invalid_run_id', ['status', 'x'.repeat(129)], 'command inspect-runs'],
  ['invalid_run_id', ['stop', 'a\nb'], 'command inspect-runs'],
  ['action_id_required', submit(...ofRun), 'command inspect-run'],
  ['action_id_required', answer(...ofRun, '--action', ''), 'command inspect-run'],
  ['action_id_required', ['protocol', 'skip', ...ofRun], 'command inspect-run'],
  ['action_id_required', ['protocol', 'material', ...ofRun], 'command inspect-run'],
  ['outcome_mode_required', submit(...ofAction), 'command inspect-run'],
  ['outcome_mode_required', submit(...ofAction, '--outcome-stdin=false'), 'command inspect-run'],
  ['outcome_mode_required', submit(...ofAction, '--outcome-stdin', '--outcome-file', 'x'), 'command inspect-run'],
  ['outcome_file_required', submit(...ofAction, '--outcome-file', ''), 'command inspect-run'],
  ['outcome_unavailable', submit(...ofAction, '--outcome-file', file.missing), 'action submit-outcome-file'],
  ['outcome_unavailable', submit(...ofAction, '--outcome-file', file.link), 'action submit-outcome-file'],
  ['invalid_outcome', submit(...ofAction, '--outcome-file', file.notJson), 'action submit-outcome-file'],
  ['invalid_outcome', submit(...ofAction, '--outcome-stdin'), 'action submit-outcome-stdin', '[]'],
  [
    'invalid_outcome',
    submit(...ofAction, '--outcome-stdin'),
    'action submit-outcome-stdin',
    '{"contract_version":"2"}',
  ],
  ['invalid_outcome', submit(...ofAction, '--outcome-stdin'), 'action submit-outcome-stdin', '{"contract_version":2}'],
  [
    'invalid_outcome',
    submit(...ofAction, '--outcome-stdin'),
    'action submit-outcome-stdin',
    ' '.repeat(LIMITS.outcomeBytes + 1),
  ],
  ['answer_mode_conflict', answer(...ofAction, '--text', '', '--text-stdin'), 'command inspect-run'],
  ['answer_mode_conflict', answer(...ofAction, '--text', 'x', '--text-file', 'y'), 'command inspect-run'],
  ['answer_file_required', answer(...ofAction, '--text-file', ''), 'command inspect-run'],
  ['answer_unavailable', answer(...ofAction, '--text-file', file.missing), 'command inspect-run'],
  ['answer_unavailable', answer(...ofAction, '--text-file', file.link), 'command inspect-run'],
  ['invalid_answer', answer(...ofAction, '--text-file', file.notText), 'command inspect-run'],
  ['invalid_answer', answer(...ofAction, '--text', 'a\u0007b'), 'command inspect-run'],
  ['answer_too_large', answer(...ofAction, '--text-file', file.large), 'command inspect-run'],
  ['answer_too_large', answer(...ofAction, '--text-file', file.encoded), 'command inspect-run'],
  ['destructive_confirmation_pair_required', answer(...ofAction, '--confirm-destructive'), 'command inspect-run'],
  [
    'destructive_confirmation_pair_required',
    answer(...ofAction, '--confirm-destructive', '--scope-sha256', ' '),
    'command inspect-run',
  ],
  ['destructive_confirmation_pair_required', answer(...ofAction, '--scope-sha256', 'x'), 'command inspect-run'],
  ['source_choice_requires_candidate', resume('RUN', '--source-choice', 'adopt'), 'command inspect-run'],
  ['source_choice_requires_candidate', resume('RUN', '--candidate', 'c'), 'command inspect-run'],
  [
    'source_choice_requires_candidate',
    resume('RUN', '--source-choice', 'adopt', '--candidate', ''),
    'command inspect-run',
  ],
  ['invalid_source_choice', resume('RUN', '--source-choice', 'both', '--candidate', 'c'), 'command inspect-run'],
  ['source_mode_conflict', resume('RUN', '--use-pinned-source', '--source-file', 'x'), 'command inspect-run'],
  [
    'source_mode_conflict',
    resume('RUN', '--use-pinned-source', '--source-choice', 'adopt', '--candidate', 'c'),
    'command inspect-run',
  ],
  ['material_section_required', ['protocol', 'material', ...ofAction], 'command inspect-run'],
  ['material_section_required', ['status', 'RUN', '--section', ''], 'command inspect-run'],
]

describe('a usage error', () => {
  it.for(ROWS)('is %s for %j, and offers %s', async (row) => {
    const [code, args, next, input] = row
    // The first row of each command runs as a process.
    const isFirst = ROWS.find(([, [command]]) => command === args[0]) === row
    const ask = isFirst ? fixture.programError : fixture.error
    const error = await ask(filled(args), input === undefined ? {} : { input })
    expect({ code: error.code, exit: error.exit_code, next: offered(error), details: error.details }).toEqual({
      code,
      exit: 2,
      next,
      details: undefined,
    })
  })

  it('creates nothing', async () => {
    const other = createRunFixture()
    await Promise.all(
      ROWS.filter(([, [command]]) => command === 'run').map(([, args, , input]) =>
        other.drover(filled(args), input === undefined ? {} : { input }),
      ),
    )
    expect(existsSync(join(other.root, '.git', 'drover'))).toBe(false)
  })

  it('has a digest of the path as workspace_identity outside of a worktree', async () => {
    const { next } = await fixture.error(['status', 'a b', '--root', file.nowhere])
    expect(next.workspace_identity).toBe(digestUnavailableWorkspace(file.nowhere))
    expect(next.variants[0]?.base_argv).toEqual(['drover', 'status', '--root', file.nowhere, '--json'])
  })

  it('does not name the path of an envelope', async () => {
    const { message } = await fixture.error(['run', '--source-file', file.missing, 'A goal'])
    expect(message).toContain('the file does not exist')
    expect(message).not.toContain(fixture.scratch)
  })

  it('offers the same start again, without the goal', async () => {
    const args = ['run', '--source-file', file.notJson, '--budget', '5', '--no-review', 'My secret goal']
    const error = await fixture.error(args)
    expect(error.next.variants[0]?.base_argv).toEqual([
      ...['drover', 'run', '--budget', '5', '--json', '--root', fixture.root, '--no-review'],
    ])
    expect(JSON.stringify(error)).not.toContain('secret')
  })
})

/** With several errors the first in this order is reported. Each row fixes one more. */
describe.each<[string, readonly Row[]]>([
  [
    'run',
    [
      [
        'goal_mode_conflict',
        ['run', '--goal-file', '', '--budget', '0', '--source-file', '', '--root', file.nowhere, 'x'],
        '',
      ],
      [
        'goal_file_required',
        ['run', '--goal-file', '', '--budget', '0', '--source-file', '', '--root', file.nowhere],
        '',
      ],
      [
        'goal_unavailable',
        ['run', '--goal-file', file.missing, '--budget', '0', '--source-file', '', '--root', file.nowhere],
        '',
      ],
      [
        'goal_required',
        ['run', '--goal-file', file.blank, '--budget', '0', '--source-file', '', '--root', file.nowhere],
        '',
      ],
      [
        'invalid_goal',
        ['run', '--goal-file', file.control, '--budget', '0', '--source-file', '', '--root', file.nowhere],
        '',
      ],
      [
        'action_too_large',
        ['run', '--goal-file', file.large, '--budget', '0', '--source-file', '', '--root', file.nowhere],
        '',
      ],
      [
        'invalid_budget',
        ['run', '--goal-file', file.goal, '--budget', '0', '--source-file', '', '--root', file.nowhere],
        '',
      ],
      ['source_file_required', ['run', '--goal-file', file.goal, '--source-file', '', '--root', file.nowhere], ''],
      [
        'git_repository_required',
        ['run', '--goal-file', file.goal, '--source-file', file.notJson, '--root', file.nowhere],
        '',
      ],
      ['invalid_source', ['run', '--goal-file', file.goal, '--source-file', file.notJson], ''],
    ],
  ],
  [
    'protocol submit',
    [
      ['run_id_required', submit('--run', '', '--root', file.nowhere), ''],
      ['invalid_run_id', submit('--run', 'a b', '--root', file.nowhere), ''],
      ['action_id_required', submit(...ofRun, '--root', file.nowhere), ''],
      [
        'outcome_mode_required',
        submit(...ofAction, '--outcome-file', '', '--outcome-stdin', '--root', file.nowhere),
        '',
      ],
      ['outcome_file_required', submit(...ofAction, '--outcome-file', '', '--root', file.nowhere), ''],
      ['git_repository_required', submit(...ofAction, '--outcome-file', file.missing, '--root', file.nowhere), ''],
      ['outcome_unavailable', submit(...ofAction, '--outcome-file', file.missing), ''],
      ['invalid_outcome', submit(...ofAction, '--outcome-file', file.notJson), ''],
      ['invalid_outcome', submit(...ofAction, '--outcome-file', file.strange), ''],
      ['contract_version_mismatch', submit('--run', 'absent', '--action', 'x', '--outcome-file', file.version), ''],
      ['contract_version_mismatch', submit('--run', 'absent', '--action', 'x', '--outcome-file', file.unversioned), ''],
    ],
  ],
  [
    'protocol answer',
    [
      [
        'run_id_required',
        answer('--text', '\u0007', '--text-file', '', '--scope-sha256', 'x', '--root', file.nowhere),
        '',
      ],
      ['invalid_run_id', answer('--run', 'a b', '--text', '\u0007', '--text-file', '', '--root', file.nowhere), ''],
      ['action_id_required', answer(...ofRun, '--text', '\u0007', '--text-file', '', '--root', file.nowhere), ''],
      ['answer_mode_conflict', answer(...ofAction, '--text', '\u0007', '--text-file', '', '--scope-sha256', 'x'), ''],
      [
        'answer_file_required',
        answer(...ofAction, '--text-file', '', '--scope-sha256', 'x', '--root', file.nowhere),
        '',
      ],
      ['answer_unavailable', answer(...ofAction, '--text-file', file.missing, '--scope-sha256', 'x'), ''],
      ['invalid_answer', answer(...ofAction, '--text-file', file.notText, '--scope-sha256', 'x'), ''],
      [
        'destructive_confirmation_pair_required',
        answer(...ofAction, '--scope-sha256', 'x', '--root', file.nowhere),
        '',
      ],
      ['git_repository_required', answer(...ofAction, '--text', 'x', '--root', file.nowhere), ''],
    ],
  ],
  [
    'protocol skip',
    [
      ['run_id_required', ['protocol', 'skip', '--run', '', '--action', '', '--root', file.nowhere], ''],
      ['invalid_run_id', ['protocol', 'skip', '--run', 'a b', '--action', '', '--root', file.nowhere], ''],
      ['action_id_required', ['protocol', 'skip', '--run', 'absent', '--action', '', '--root', file.nowhere], ''],
      ['git_repository_required', ['protocol', 'skip', '--run', 'absent', '--action', 'x', '--root', file.nowhere], ''],
      ['run_not_found', ['protocol', 'skip', '--run', 'absent', '--action', 'x'], ''],
      ['stale_action', ['protocol', 'skip', ...ofRun, '--action', 'x'], ''],
    ],
  ],
  [
    'stop',
    [
      ['invalid_usage', ['stop', '', 'absent', '--root', file.nowhere], ''],
      ['run_id_required', ['stop', '', '--root', file.nowhere], ''],
      ['invalid_run_id', ['stop', 'a b', '--root', file.nowhere], ''],
      ['git_repository_required', ['stop', 'absent', '--root', file.nowhere], ''],
      ['git_repository_required', ['stop', '--root', file.nowhere], ''],
      ['run_not_found', ['stop', 'absent'], ''],
    ],
  ],
  [
    'protocol resume',
    [
      [
        'run_id_required',
        resume('', '--budget', '0', '--source-file', '', '--candidate', 'c', '--root', file.nowhere),
        '',
      ],
      [
        'invalid_run_id',
        resume('a b', '--budget', '0', '--source-file', '', '--candidate', 'c', '--root', file.nowhere),
        '',
      ],
      [
        'invalid_budget',
        resume('RUN', '--budget', '0', '--source-file', '', '--candidate', 'c', '--root', file.nowhere),
        '',
      ],
      ['source_file_required', resume('RUN', '--source-file', '', '--candidate', 'c', '--root', file.nowhere), ''],
      [
        'source_choice_requires_candidate',
        resume('RUN', '--source-file', 'x', '--candidate', 'c', '--root', file.nowhere),
        '',
      ],
      ['invalid_source_choice', resume('RUN', '--source-file', 'x', '--candidate', 'c', '--source-choice', 'y'), ''],
      ['source_mode_conflict', resume('RUN', '--source-file', 'x', '--candidate', 'c', '--source-choice', 'adopt'), ''],
      ['git_repository_required', resume('RUN', '--source-file', file.notJson, '--root', file.nowhere), ''],
      ['invalid_source_candidate', resume('absent', '--source-file', file.notJson), ''],
    ],
  ],
  [
    'protocol material',
    [
      ['run_id_required', ['protocol', 'material', '--section', '', '--root', file.nowhere], ''],
      ['invalid_run_id', ['protocol', 'material', '--run', 'a b', '--section', '', '--root', file.nowhere], ''],
      ['action_id_required', ['protocol', 'material', ...ofRun, '--section', '', '--root', file.nowhere], ''],
      ['material_section_required', ['protocol', 'material', ...ofAction, '--section', '', '--root', file.nowhere], ''],
      ['git_repository_required', ['protocol', 'material', ...ofAction, '--section', 'A', '--root', file.nowhere], ''],
      ['material_section_invalid', ['protocol', 'material', '--run', 'absent', '--action', 'x', '--section', 'A'], ''],
    ],
  ],
  [
    'status',
    [
      ['run_id_required', ['status', '--section', '', '--root', file.nowhere], ''],
      ['invalid_run_id', ['status', 'a b', '--section', '', '--root', file.nowhere], ''],
      ['material_section_required', ['status', 'RUN', '--section', '', '--root', file.nowhere], ''],
      ['git_repository_required', ['status', 'RUN', '--section', 'A', '--root', file.nowhere], ''],
      ['material_section_invalid', ['status', 'absent', '--section', 'A'], ''],
    ],
  ],
])('the order of checks of %s', (_command, rows) => {
  it.for(rows)('reports %s for %j', async ([code, args]) => {
    expect((await fixture.error(filled(args))).code).toBe(code)
  })
})

describe('a value that begins with a dash', () => {
  it('is the value of the flag before it: a file, or the text of an answer', async () => {
    const other = createRunFixture()
    other.write('-g.txt', 'A goal in a file.\n')
    const { run_id, action } = await other.state(['run', '--json', '--goal-file', '-g.txt'])
    expect(action?.goal).toBe('A goal in a file.\n')
    const words = ['--run', run_id, '--action', action?.action_id ?? '']
    const input = JSON.stringify(outcomeFor(action, { status: 'needs_input', pause: decision }))
    await other.state(['protocol', 'submit', ...words, '--outcome-stdin'], { input })
    await other.state(['protocol', 'answer', ...words, '--text', '- yes'])
    expect((await other.status(run_id)).answers).toMatchObject([{ text: '- yes' }])
  })
})
