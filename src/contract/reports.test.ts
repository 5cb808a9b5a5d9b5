import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../scripts/protocol-examples.ts'
import { DETAILS } from '../../test/support/contract-examples.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { checkActionMaterial, checkPinnedMaterial } from './action.ts'
import { checkChangeReport, checkCliError, checkDoctorReport, checkListReport } from './reports.ts'

const { changeReport, cliError, doctorReport, listReport } = EXAMPLES

describe('a change report', () => {
  it.each([
    ['committed', []],
    ['rolled_back', ['$.written', '$.removed']],
    ['not_committed', ['$.written', '$.removed']],
    ['ambiguous', ['$.written', '$.removed']],
  ])('of a change that is %s may or may not list files', (transaction_outcome, refused) => {
    const base = { ...changeReport, transaction_outcome, written: [], removed: [] }
    const paths = ['written', 'removed', 'preserved', 'recovery_artifacts', 'warnings'].flatMap((list) =>
      problemsOf(checkChangeReport, { ...base, [list]: ['a'] }).map(({ path }) => path),
    )
    expect(problemsOf(checkChangeReport, base)).toEqual([])
    expect(paths).toEqual(refused)
  })

  it.each(['hosts', 'written', 'removed', 'preserved', 'recovery_artifacts', 'warnings'])(
    'has no empty text in %s',
    (list) => {
      for (const text of ['', ' ']) {
        expect(problemsOf(checkChangeReport, { ...changeReport, [list]: [text] }).map(({ path }) => path)).toEqual([
          `$.${list}[0]`,
        ])
      }
    },
  )
})

describe('an error about a change to hosts', () => {
  it.each([
    ['rolled_back', []],
    ['ambiguous', ['$.details.transaction_outcome']],
  ])('with a rolled-back report is rolled back, not %s', (transaction_outcome, paths) => {
    const details = { ...DETAILS['adapter mutation'], transaction_outcome }
    expect(problemsOf(checkCliError, { ...cliError, details }).map(({ path }) => path)).toEqual(paths)
  })
})

describe('a list report', () => {
  const [host] = listReport.hosts

  it.each([
    ['no hosts', [], []],
    ['a warning', [{ ...host, warning: '' }], []],
    ['a capability twice', [{ ...host, capabilities: ['a', 'b', 'a'] }], ['$.hosts[0].capabilities']],
    ['an empty capability', [{ ...host, capabilities: [''] }], ['$.hosts[0].capabilities[0]']],
    ['an empty id', [{ ...host, id: '' }], ['$.hosts[0].id']],
    ['a word for a boolean', [{ ...host, detected: 'yes' }], ['$.hosts[0].detected']],
  ])('with %s', (_name, hosts, paths) => {
    expect(problemsOf(checkListReport, { ...listReport, hosts }).map(({ path }) => path)).toEqual(paths)
  })
})

describe('a doctor report', () => {
  const [check] = doctorReport.checks
  const durability = { level: 'file_and_directory_fsync', file_sync: true, directory_sync: true }

  it.each([
    ['durability without a limitation', { durability }, []],
    ['an unknown level', { durability: { ...durability, level: 'none' } }, ['$.checks[0].durability.level']],
    ['an empty limitation', { durability: { ...durability, limitation: '' } }, ['$.checks[0].durability.limitation']],
    ['an unknown status', { status: 'fine' }, ['$.checks[0].status']],
    ['a code with capitals', { code: 'Repository' }, ['$.checks[0].code']],
    ['a code with hyphens', { code: 'repository-ok' }, ['$.checks[0].code']],
    ['a code that starts with a digit', { code: '1st' }, ['$.checks[0].code']],
    ['a code of one letter', { code: 'a' }, []],
    ['an empty detail', { detail: '' }, ['$.checks[0].detail']],
  ])('with %s', (_name, change, paths) => {
    expect(
      problemsOf(checkDoctorReport, { ...doctorReport, checks: [{ ...check, ...change }] }).map(({ path }) => path),
    ).toEqual(paths)
  })
})

describe('an error', () => {
  it.each(Object.entries(DETAILS))('can have details of the form %s', (_name, details) => {
    expect(problemsOf(checkCliError, { ...cliError, details })).toEqual([])
  })

  const pairs = Object.entries(DETAILS).flatMap(([one, details]) =>
    Object.entries(DETAILS)
      .filter(([other]) => other !== one)
      .map(([other, more]) => ({ one, other, details: { ...details, ...more } })),
  )
  it.each(pairs)('has details in one form, not $one with $other', ({ one, other, details }) => {
    // A mismatch of issues names the run too, so it covers the fields of a run state.
    const isCovered = [one, other].sort().join() === 'run state,source issue mismatch'
    expect(problemsOf(checkCliError, { ...cliError, details }).length === 0).toBe(isCovered)
  })

  it.each([
    [
      'workspace identity without what is not known',
      { expected_workspace_identity: EXAMPLES.runStatus.workspace_identity.id },
      true,
    ],
    ['an unknown state', { run_id: 'r', state: 'asleep' }, false],
    ['an empty phase', { ...DETAILS['mutation'], phase: '' }, false],
    ['no form', {}, false],
    ['a text', 'it failed', false],
    [
      'a report that claims what was not committed',
      { transaction_outcome: 'ambiguous', report: { ...changeReport, transaction_outcome: 'ambiguous' } },
      false,
    ],
  ])('with details of %s', (_name, details, isAccepted) => {
    expect(problemsOf(checkCliError, { ...cliError, details }).length === 0).toBe(isAccepted)
  })

  it.each([
    ['phase', { ...DETAILS['mutation'], committed: 1 }, '$.details.committed'],
    ['expected_workspace_identity', { expected_workspace_identity: 'x' }, '$.details.expected_workspace_identity'],
    [
      'pinned_issue_id',
      { ...DETAILS['source issue mismatch'], refreshed_issue_id: '' },
      '$.details.refreshed_issue_id',
    ],
    ['transaction_outcome', { transaction_outcome: 'committed' }, '$.details.report'],
    ['context', { ...DETAILS['journal record limit'], size: 0 }, '$.details.size'],
    ['none of these', { run_id: '', state: 'active' }, '$.details.run_id'],
  ])('is reported against the form that has %s', (_field, details, path) => {
    expect(problemsOf(checkCliError, { ...cliError, details }).map((problem) => problem.path)).toEqual([path])
  })

  it.each([
    [0, false],
    [1, false],
    [2, true],
    [3, true],
    [4, false],
  ])('has the exit code 2 or 3: %i', (exit_code, isAccepted) => {
    expect(problemsOf(checkCliError, { ...cliError, exit_code }).length === 0).toBe(isAccepted)
  })

  it('is checked with the rules of next', () => {
    const next = { ...cliError.next, operation: 'answer' }
    expect(problemsOf(checkCliError, { ...cliError, next })[0]?.path).toBe('$.next.variants[0].id')
  })
})

describe('material', () => {
  const { actionMaterial, pinnedMaterial } = EXAMPLES

  it.each([
    ['for an action has no state', checkActionMaterial, { ...actionMaterial, run_state: 'active' }, '$.run_state'],
    [
      'for an action has no source revision',
      checkActionMaterial,
      { ...actionMaterial, source_revision: pinnedMaterial.source_revision },
      '$.source_revision',
    ],
    ['for a person names no action', checkPinnedMaterial, { ...pinnedMaterial, action_id: 'a' }, '$.action_id'],
    [
      'for an action says so',
      checkActionMaterial,
      { ...actionMaterial, message_type: 'pinned_material' },
      '$.message_type',
    ],
    [
      'for a person says so',
      checkPinnedMaterial,
      { ...pinnedMaterial, message_type: 'action_material' },
      '$.message_type',
    ],
    [
      'is not blank',
      checkActionMaterial,
      { ...actionMaterial, section: { ...actionMaterial.section, markdown: ' \n' } },
      '$.section.markdown',
    ],
  ])('%s', (_name, check, value, path) => {
    expect(problemsOf(check, value).map((problem) => problem.path)).toEqual([path])
  })
})
