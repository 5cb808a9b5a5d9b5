/** Every error of a valid command on runs. The exit code is 3. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import { LIMITS } from '../../src/contract/limits.ts'
import { digest } from '../../src/kit/digest.ts'
import { amendedBundle } from '../support/amended-bundle.ts'
import { decision, environment } from '../support/contract-examples.ts'
import { outcomeFor } from '../support/drive-run.ts'
import { firstOf } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { createRunFixture, offered, type RunFixture } from '../support/run-fixture.ts'
import { bodyOf, commentOf, commentText, FIVE_SECTIONS, makeBundle, manifestOf } from '../support/source-bundle.ts'
import {
  adHoc,
  asking,
  bound,
  boundAndStopped,
  boundTo,
  choosing,
  destroying,
  ended,
  type StartedRun,
} from '../support/started-run.ts'
import { createRepository } from '../support/temporary-repository.ts'

const bundle = makeBundle()
const DIGEST = `sha256:${'0'.repeat(64)}`

const candidateOf = ({ state }: StartedRun) => state.source_candidate?.candidate_id ?? ''

const choose = (choice: string, candidate: string) => ['--source-choice', choice, '--candidate', candidate]

const ACTION = 'action submit-outcome-file submit-outcome-stdin skip-action'
const ANSWER = 'answer answer-decision skip-action'
const CONFIRM = 'answer confirm-destructive decline-or-feedback skip-action'
const RESUME = 'resume resume-ad-hoc'
const RESUME_BOUND = 'resume refresh-source use-pinned-source'
const CHOOSE = 'resume keep-pinned adopt'
const START = 'start start-with-source'
const INSPECT = 'command inspect-run'
const LIST = 'command list-runs'

type Details = 'run state' | 'none' | 'issues' | 'worktrees' | 'mutation'
type Row = readonly [code: string, details: Details, next: string, when: string, refused: () => Promise<CliError>]

const ROWS: readonly Row[] = [
  [
    'runstore_unavailable',
    'none',
    'command run-doctor',
    'a file is in the way',
    async () => {
      const fixture = createRunFixture()
      writeFileSync(join(fixture.root, '.git', 'drover'), '')
      return fixture.error(['run', 'A goal'])
    },
  ],
  [
    'git_observation_failed',
    'none',
    'start retry-run',
    'the index is damaged',
    async () => {
      const fixture = createRunFixture()
      writeFileSync(join(fixture.root, '.git', 'index'), 'damaged')
      return fixture.error(['run', 'A goal'])
    },
  ],
  [
    'action_too_large',
    'none',
    'start retry-run',
    'the goal makes the action too large',
    async () => {
      const fixture = createRunFixture()
      return fixture.error(['run', '--goal-file', fixture.file('goal.md', 'x'.repeat(LIMITS.goalBytes - 10))])
    },
  ],
  [
    'invalid_action',
    'none',
    START,
    'the path of the worktree contains a line feed',
    async () => {
      const at = join(realpathSync(temporaryDirectory()), 'line\nend')
      const fixture = createRunFixture({ repository: createRepository({ at }) })
      return fixture.error(['run', '--source-file', fixture.file('envelope.json', bundle), 'A goal'])
    },
  ],
  [
    'contract_version_mismatch',
    'none',
    'action submit-outcome-stdin',
    'an outcome has version 3',
    async () => {
      const { fixture, ids } = await adHoc()
      return fixture.error(['protocol', 'submit', ...ids, '--outcome-stdin'], { input: '{"contract_version":3}' })
    },
  ],
  [
    'invalid_outcome',
    'none',
    ACTION,
    'it has another kind',
    async () => (await adHoc()).submit({ action_kind: 'summarize' }),
  ],
  [
    'invalid_outcome',
    'none',
    ACTION,
    'it has another action id',
    async () => (await adHoc()).submit({ action_id: 'x' }),
  ],
  [
    'outcome_conflict',
    'run state',
    ACTION,
    'another one was recorded',
    async () => {
      const started = await adHoc()
      const { ids } = started
      const { action } = started.state
      await started.report()
      const input = JSON.stringify(outcomeFor(action, { summary: 'Other.' }))
      return started.fixture.error(['protocol', 'submit', ...ids, '--outcome-stdin'], { input })
    },
  ],
  [
    'stale_action',
    'run state',
    ACTION,
    'an outcome names another',
    async () => {
      const started = await adHoc()
      return started.submit({ action_id: 'x' }, ['--run', started.state.run_id, '--action', 'x'])
    },
  ],
  [
    'stale_action',
    'run state',
    ANSWER,
    'an answer names another',
    async () => {
      const { fixture, state } = await asking()
      return fixture.error(['protocol', 'answer', '--run', state.run_id, '--action', 'x', '--text', 'x'])
    },
  ],
  [
    'stale_action',
    'run state',
    ACTION,
    'it was skipped before',
    async () => {
      const started = await adHoc()
      const { ids } = started
      await started.do('protocol', 'skip', ...ids)
      return started.fixture.error(['protocol', 'skip', ...ids])
    },
  ],
  [
    'run_not_active',
    'run state',
    RESUME,
    'the run is stopped',
    async () => {
      const started = await adHoc()
      const { action } = started.state
      const { ids } = started
      const { fixture } = await started.stop()
      const input = JSON.stringify(outcomeFor(action))
      return fixture.error(['protocol', 'submit', ...ids, '--outcome-stdin'], { input })
    },
  ],
  ['run_not_active', 'run state', 'none', 'the run has ended', async () => (await ended()).submit()],
  [
    'run_not_skippable',
    'run state',
    RESUME,
    'the run is stopped',
    async () => await (await (await adHoc()).stop()).skip(),
  ],
  [
    'run_already_ended',
    'run state',
    'none',
    'it is stopped',
    async () => {
      const { fixture, state } = await ended()
      return fixture.error(['stop', state.run_id])
    },
  ],
  ['run_already_ended', 'run state', 'none', 'it is resumed', async () => (await ended()).resume()],
  ['run_not_resumable', 'run state', ACTION, 'it waits for an outcome', async () => (await adHoc()).resume()],
  ['run_not_resumable', 'run state', ANSWER, 'it waits for an answer', async () => (await asking()).resume()],
  [
    'answer_conflict',
    'run state',
    ACTION,
    'another one was recorded',
    async () => {
      const started = await asking()
      const { ids } = started
      await started.do('protocol', 'answer', ...ids, '--text', 'Knots.')
      return started.fixture.error(['protocol', 'answer', ...ids, '--text', 'Miles.'])
    },
  ],
  [
    'answer_not_expected',
    'run state',
    ACTION,
    'there is no question',
    async () => (await adHoc()).answer('--text', 'x'),
  ],
  [
    'answer_not_allowed',
    'run state',
    RESUME,
    'something is missing',
    async () => (await (await adHoc()).report({ status: 'needs_input', pause: environment })).answer('--text', 'x'),
  ],
  ['answer_required', 'run state', ANSWER, 'the decision is blank', async () => (await asking()).answer('--text', ' ')],
  ['answer_required', 'run state', ANSWER, 'there is no text', async () => (await asking()).answer()],
  ['answer_required', 'run state', CONFIRM, 'feedback is blank', async () => (await destroying()).answer()],
  [
    'invalid_decision_supersession',
    'run state',
    ACTION,
    'there is no such answer',
    async () =>
      (await adHoc()).submit({ status: 'needs_input', pause: { ...decision, supersedes_answer_action_id: 'x' } }),
  ],
  [
    'destructive_confirmation_not_expected',
    'run state',
    ANSWER,
    'a decision is asked for',
    async () => (await asking()).answer('--confirm-destructive', '--scope-sha256', DIGEST),
  ],
  [
    'destructive_scope_required',
    'run state',
    CONFIRM,
    'the scope is not a digest',
    async () => (await destroying()).answer('--confirm-destructive', '--scope-sha256', 'all'),
  ],
  [
    'destructive_scope_mismatch',
    'run state',
    CONFIRM,
    'the scope differs',
    async () => (await destroying()).answer('--confirm-destructive', '--scope-sha256', DIGEST),
  ],
  [
    'source_mode_not_allowed',
    'run state',
    RESUME,
    'the run has no issue',
    async () => (await (await adHoc()).stop()).resume('--use-pinned-source'),
  ],
  [
    'source_mode_required',
    'run state',
    RESUME_BOUND,
    'no mode is given',
    async () => (await boundAndStopped()).resume(),
  ],
  [
    'source_candidate_pending',
    'run state',
    CHOOSE,
    'another mode is given',
    async () => (await choosing()).resume('--use-pinned-source'),
  ],
  ['source_choice_required', 'run state', CHOOSE, 'no choice is given', async () => (await choosing()).resume()],
  [
    'source_choice_conflict',
    'run state',
    ACTION,
    'the other choice was made',
    async () => {
      const started = await choosing()
      const candidate = candidateOf(started)
      await started.do('protocol', 'resume', started.state.run_id, ...choose('pinned', candidate))
      return started.resume(...choose('adopt', candidate))
    },
  ],
  [
    'stale_source_candidate',
    'run state',
    CHOOSE,
    'another is named',
    async () => (await choosing()).resume(...choose('adopt', 'x')),
  ],
  [
    'invalid_source_candidate_choice',
    'run state',
    'resume keep-pinned',
    'the issue is no longer a change',
    async () => {
      const started = await choosing({ ...bundle, body: 'no change' })
      return started.resume(...choose('adopt', candidateOf(started)))
    },
  ],
  [
    'source_issue_mismatch',
    'issues',
    START,
    'another issue is given',
    async () => (await boundAndStopped()).refresh({ ...bundle, issue_id: 'I_other' }),
  ],
  [
    'source_alias_limit',
    'run state',
    START,
    'the issue has moved too often',
    async () => {
      const aliases = Array.from({ length: 64 }, (_, at) => `https://github.com/ada/old-${at}/issues/7`)
      const started = await (await boundTo(() => ({ url_aliases: aliases }))).stop()
      const url = 'https://github.com/ada/new/issues/7'
      const comments = bundle.comments.map((each) => ({ ...each, url: `${url}#issuecomment-${each.database_id}` }))
      return started.refresh({ ...bundle, canonical_url: url, comments })
    },
  ],
  [
    'source_history_in_place_edit',
    'run state',
    RESUME_BOUND,
    'a comment was edited',
    async () => {
      const started = await boundAndStopped()
      const sections = FIVE_SECTIONS.map((draft, at) => (at === 1 ? { ...draft, text: 'Edited.\n' } : draft))
      const comments = sections.map((draft, at) => commentOf(at, commentText(draft)))
      const parent_requirements_revision = started.state.pinned_source?.requirements_revision
      const manifest = { ...manifestOf(sections, comments), parent_requirements_revision }
      return started.refresh({ ...bundle, body: bodyOf(JSON.stringify(manifest)), comments })
    },
  ],
  [
    'source_history_fork',
    'run state',
    START,
    'other requirements are amended',
    async () => (await boundAndStopped()).refresh(amendedBundle(DIGEST)),
  ],
  ['material_section_invalid', 'none', INSPECT, 'the key is malformed', async () => (await bound()).material('No Key')],
  ['material_section_not_found', 'none', INSPECT, 'the key is unknown', async () => (await bound()).material('nope')],
  [
    'material_section_not_found',
    'none',
    INSPECT,
    'status asks for an unknown key',
    async () => {
      const { fixture, state } = await bound()
      return fixture.error(['status', state.run_id, '--section', 'nope'])
    },
  ],
  [
    'material_action_not_found',
    'none',
    INSPECT,
    'the action is unknown',
    async () => {
      const started = await bound()
      return started.material('outcome', ['--run', started.state.run_id, '--action', 'x'])
    },
  ],
  [
    'material_action_stale',
    'none',
    ACTION,
    'the action has ended',
    async () => {
      const started = await bound()
      const { ids } = started
      return (await started.report()).material('outcome', ids)
    },
  ],
  ['material_unavailable', 'none', INSPECT, 'the run has no issue', async () => (await adHoc()).material('outcome')],
  [
    'material_unavailable',
    'none',
    INSPECT,
    'the texts are missing',
    async () => {
      const started = await bound()
      rmSync(join(started.directory, 'materials'), { recursive: true })
      return started.material('outcome')
    },
  ],
  [
    'material_unavailable',
    'none',
    INSPECT,
    'the texts are damaged',
    async () => {
      const started = await bound()
      const texts = join(started.directory, 'materials')
      for (const name of readdirSync(texts)) writeFileSync(join(texts, name), 'damaged')
      return started.material('outcome')
    },
  ],
  [
    'material_corrupt',
    'none',
    INSPECT,
    'the pinned length differs',
    async () => {
      const started = await boundTo(({ source }) => ({
        sections: source.sections.map((section) => ({ ...section, bytes: 1 })),
      }))
      return started.material('outcome')
    },
  ],
]

describe('a failed command', () => {
  it.each(firstOf(ROWS, 8))(
    'is %s with %s details and %s next when %s',
    async (code, details, next, _when, refused) => {
      const error = await refused()
      expect({ code: error.code, exit: error.exit_code, next: offered(error), details: formOf(error) }).toEqual({
        code,
        exit: 3,
        next,
        details,
      })
    },
  )

  it('names both issues if they differ', async () => {
    const { details } = await (await boundAndStopped()).refresh({ ...bundle, issue_id: 'I_other' })
    expect(details).toMatchObject({
      state: 'stopped',
      pinned_issue_id: bundle.issue_id,
      refreshed_issue_id: 'I_other',
    })
  })
})

function formOf({ details }: CliError): Details {
  if (details === undefined) return 'none'
  if ('phase' in details) return 'mutation'
  if ('expected_workspace_identity' in details) return 'worktrees'
  return 'pinned_issue_id' in details ? 'issues' : 'run state'
}

const SUGGESTION = { kind: 'implement', brief: 'Go.' }
const IMPLEMENTATION = { result: 'applied', files_changed: [], activities: [], uncertainties: [], attempts: 1 }

/** Each breaks a rule of outcomes, but has all fields. */
const AGAINST_A_RULE: readonly (readonly [string, object])[] = [
  ['a status that its kind does not have', { status: 'needs_input' }],
  ['a kind that does not exist', { action_kind: 'dance' }],
  ['an implementation in an orientation', { implementation: IMPLEMENTATION }],
  ['two suggestions', { suggested_actions: [SUGGESTION, SUGGESTION] }],
  ['an id of white space', { action_id: ' ' }],
  ['a blank summary', { summary: ' ' }],
  ['a control character', { observations: ['a\u0007b'] }],
]

/** What is wrong with the run is reported before what is wrong with the outcome. */
const IN_STATE: readonly (readonly [code: string, next: string, when: string, make: () => Promise<StartedRun>])[] = [
  ['invalid_outcome', ACTION, 'waits for it', () => adHoc()],
  ['outcome_conflict', ACTION, 'has another outcome of the action', async () => (await adHoc()).report()],
  ['outcome_conflict', ANSWER, 'waits for the answer to the action', asking],
  ['stale_action', ACTION, 'has another action', async () => skipped(await adHoc())],
  ['run_not_active', RESUME, 'is paused', async () => skipped(await adHoc('--budget', '1'))],
  ['run_not_active', RESUME, 'is stopped', async () => (await adHoc()).stop()],
  ['run_not_active', 'none', 'has ended', async () => skipped(await skipped(await adHoc()))],
]

async function skipped(started: StartedRun): Promise<StartedRun> {
  return await started.do('protocol', 'skip', ...started.ids)
}

describe('an outcome against a rule', () => {
  it.each(firstOf(IN_STATE, 3))('is %s, exit 3, with %s, if the run %s', async (code, next, _when, make) => {
    const { fixture, state } = await make()
    const { actions } = await fixture.status(state.run_id)
    const action = actions[0]?.action.action_id ?? ''
    const words = ['protocol', 'submit', '--run', state.run_id, '--action', action, '--outcome-stdin']
    const found = await Promise.all(
      AGAINST_A_RULE.map(async ([name, fields]) => {
        const input = JSON.stringify({ ...outcomeFor(undefined), action_id: action, ...fields })
        const error = await fixture.error(words, { input })
        return [name, error.code, error.exit_code, offered(error)]
      }),
    )
    expect(found).toEqual(AGAINST_A_RULE.map(([name]) => [name, code, 3, next]))
  })
})

/** Every command that names a run. */
const commandsOn = (id: string, fixture: RunFixture): readonly (readonly string[])[] => [
  ['protocol', 'submit', '--run', id, '--action', 'x', '--outcome-file', fixture.file('o.json', outcomeFor(undefined))],
  ['protocol', 'answer', '--run', id, '--action', 'x', '--text', 'x'],
  ['protocol', 'skip', '--run', id, '--action', 'x'],
  ['protocol', 'resume', id],
  ['protocol', 'material', '--run', id, '--action', 'x', '--section', 'outcome'],
  ['stop', id],
  ['status', id],
  ['status', id, '--section', 'outcome'],
  ['status', id, '--watch'],
]

async function eachError(started: StartedRun, id = started.state.run_id): Promise<CliError[]> {
  return await Promise.all(commandsOn(id, started.fixture).map((args) => started.fixture.error(args)))
}

describe('an unavailable run', () => {
  it('is run_not_found in every command', async () => {
    const errors = await eachError(await adHoc(), 'absent')
    expect(errors.map((error) => [error.code, error.exit_code, offered(error)])).toEqual(
      errors.map(() => ['run_not_found', 3, LIST]),
    )
  })

  it.each([
    ['its first record is damaged', (path: string) => writeFileSync(path, '{}\n')],
    ['a later record is damaged', (path: string) => appendFileSync(path, '{"sequence":2}\n')],
    ['it is gone', (path: string) => rmSync(path)],
  ])('is run_journal_invalid in every command when %s', async (_name, damage) => {
    const started = await adHoc()
    damage(join(started.directory, 'journal.jsonl'))
    const errors = await eachError(started)
    expect(errors.map((error) => [error.code, error.exit_code, offered(error)])).toEqual(
      errors.map(() => ['run_journal_invalid', 3, LIST]),
    )
  })

  it('is run_journal_invalid when its source does not match its digests', async () => {
    const started = await boundTo(() => ({ requirements_revision: digest('other') }))
    const errors = await eachError(started)
    expect(errors.map(({ code }) => code)).toEqual(errors.map(() => 'run_journal_invalid'))
  })

  it('is workspace_identity_mismatch in every command from another worktree', async () => {
    const started = await adHoc()
    const { fixture, state } = started
    fixture.write('a', 'a')
    fixture.commit()
    const other = join(realpathSync(temporaryDirectory()), 'other')
    fixture.git('worktree', 'add', '--quiet', other)
    const before = readFileSync(join(started.directory, 'journal.jsonl'))
    const errors = await Promise.all(
      commandsOn(state.run_id, fixture).map((args) => fixture.error(args, { cwd: other })),
    )
    for (const error of errors) {
      expect(error).toMatchObject({
        code: 'workspace_identity_mismatch',
        exit_code: 3,
        next: {
          operation: 'command',
          workspace_identity: state.next.workspace_identity,
          variants: [
            { id: 'inspect-run-in-its-workspace', base_argv: ['drover', 'status', '--root', fixture.root, '--json'] },
          ],
        },
        details: {
          expected_workspace_identity: state.next.workspace_identity,
          observed_workspace_identity: expect.stringMatching(/^sha256:/),
        },
      })
    }
    expect(readFileSync(join(started.directory, 'journal.jsonl'))).toEqual(before)
  })
})

describe('the beginning of a run id', () => {
  const errorsOf = async ({ fixture }: StartedRun, id: string) =>
    await Promise.all(commandsOn(id, fixture).map((args) => fixture.error(args)))

  it('is enough in every command, and the output has the full id', async () => {
    const { fixture, state } = await bound()
    const short = state.run_id.slice(0, 4)
    const ids = ['--run', short, '--action', state.action?.action_id ?? '']
    expect(await fixture.status(short)).toMatchObject({ id: state.run_id })
    const material = await fixture.drover(['protocol', 'material', ...ids, '--section', 'outcome'])
    expect(JSON.parse(material.stdout)).toMatchObject({ run_id: state.run_id })
    const wrong = ['protocol', 'submit', ...ids, '--outcome-file', fixture.file('wrong', '{')]
    const { next } = await fixture.error(wrong)
    expect(next.variants[0]?.base_argv).toContain(state.run_id)
    const changes = [
      ['protocol', 'skip', ...ids],
      ['stop', short, '--json'],
      ['protocol', 'resume', short, '--use-pinned-source'],
    ]
    for (const args of changes) expect(await fixture.state(args)).toMatchObject({ run_id: state.run_id })
  })

  it('is run_not_found in every command if it has fewer than 4 characters', async () => {
    const started = await adHoc()
    const errors = await errorsOf(started, started.state.run_id.slice(0, 3))
    expect(errors.map(({ code }) => code)).toEqual(errors.map(() => 'run_not_found'))
  })

  it('is run_id_ambiguous in every command if several runs have it, and lists them', async () => {
    const started = await adHoc()
    const { state, directory } = started
    const other = `${state.run_id.slice(0, 4)}-other`
    mkdirSync(join(dirname(directory), other))
    const errors = await errorsOf(started, state.run_id.slice(0, 4))
    expect(errors.map((error) => [error.code, error.exit_code, offered(error)])).toEqual(
      errors.map(() => ['run_id_ambiguous', 3, LIST]),
    )
    for (const { message } of errors) for (const id of [state.run_id, other]) expect(message).toContain(id)
  })
})
