import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import type { RunOutline } from './read-status.ts'
import { formatReport } from './report-markdown.ts'
import { type ReportParts, toReport } from './run-report.ts'

const outcome = {
  status: 'completed',
  summary: 'Done.\n# All of it',
  observations: [],
  known_issues: ['*Slow*'],
  implementation: {
    files_changed: ['a|b.ts', ''],
    activities: [{ kind: 'test', command: 'npm test | tail', exit_code: 0, summary: 'fine' }],
    uncertainties: [],
  },
  review: null,
}
const review = {
  status: 'completed',
  summary: 'One finding.',
  observations: [],
  known_issues: [],
  implementation: null,
  review: {
    result: 'findings_reported',
    uncertainties: [],
    findings: [{ location: 'a.ts:1', summary: '# Not a heading', detail: 'One\n## Two' }],
  },
}

const RUN = {
  id: '6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a11',
  goal: 'Show it\n# As a heading',
  state: 'ended',
  created_at: '2026-01-31T10:00:00Z',
  updated_at: '2026-01-31T11:00:00Z',
  initial_budget: 8,
  remaining_budget: 5,
  review_enabled: true,
  actions: [
    { action: { action_id: '1', kind: 'implement' }, outcome },
    { action: { action_id: '2', kind: 'review' }, outcome: review },
  ],
  known_issues: ['*Slow*'],
} as unknown as RunOutline

const writeReport = (run: RunOutline, parts?: ReportParts) => formatReport(toReport(run, parts), run)

describe('formatReport', () => {
  it('calls what only a host reports claimed', () => {
    const report = writeReport(RUN)
    expect(report).toContain('| test: npm test \\| tail exited with 0 | **claimed** | the host says so |')
    expect(report).toContain('As the host reported:\n\n- `a\\|b.ts`\n\n')
    expect(report).not.toContain('## Checks')
  })

  it('says that nothing was tested if no check was given', () => {
    expect(writeReport(RUN, { checks: [], is_unchecked: true })).toContain(
      '## Checks\n\nNone was given; nothing was tested. `drover drive --check "COMMAND"` tests',
    )
  })

  it('marks paths and names with `_` as code, and no other text', () => {
    const details = ['__pycache__/a_b.pyc: it *names* a_', 'a.test.ts', 'see (src/__init__.py), [x](y_z)']
    const report = writeReport(RUN, { flags: details.map((detail) => ({ flag: 'test_changed', detail })) })
    expect(report).toContain('Look at: test changed: `__pycache__/a_b.pyc`: it \\*names\\* `a_`\n')
    expect(report).toContain('Look at: test changed: a.test.ts\n')
    expect(report).toContain('Look at: test changed: see (`src/__init__.py`), \\[x\\](`y_z`)\n')
  })

  it.each([
    ['drover merge run-1', true],
    ['drover report run-1', false],
  ])('names the next command %s, unless it is this report (%s)', (next, isNamed) => {
    const verdict = { word: 'delivered', line: 'delivered: x', reason: 'x', next, look_first: [], exists: {} } as const
    expect(writeReport(RUN, { verdict }).includes(`Next: \`${next}\``)).toBe(isNamed)
  })

  it.each([
    ['delivered, look first', 'delivered, look first: no review', '**delivered, look first**\n\n- no review\n'],
    ['merged', 'merged into main as c0ffee', '**merged** into main as c0ffee\n\n- no review\n'],
  ] as const)('lists below %s what to look at first', (word, line, head) => {
    const next = 'drover report run-1'
    expect(
      writeReport(RUN, { verdict: { word, line, reason: '', next, look_first: ['no review'], exists: {} } }),
    ).toContain(head)
  })

  it('names the rounds of refusals, and those that had another sandbox', () => {
    const by = ['agent']
    const nothing = { reached: [], refused: [], unwritable: [], exceeded: [] }
    const inside = { enforced_by: 'bubblewrap', around: 'agents' }
    const textOf = (boundary: ReportParts['boundary']) =>
      writeReport(RUN, { ...(boundary && { boundary }) }).match(/## Boundary\n\n([\s\S]*?)\n\n##/)?.[1]
    expect(textOf({ ...inside, ...nothing })).toContain('No refusal was seen in this run.')
    expect(textOf({ ...inside, ...nothing, rounds: [1, 2] })).toContain('No refusal was seen in rounds 1, 2.')
    expect(textOf({ why_not: 'no bwrap', ...nothing })).toBe('Not enforced: no bwrap.')
    const before = { round: 1, why_not: 'no bwrap' }
    expect(textOf({ why_not: 'off', ...nothing, rounds: [1, 2], other_rounds: [before] })).toBe(
      'Not enforced: off.\n\nRound 1: Not enforced: no bwrap.',
    )
    const seen = { by, rounds: [1, 2] }
    const whole = textOf({
      ...{ ...inside, rounds: [1, 2], other_rounds: [before] },
      reached: [{ host: 'a:443', count: 1, ...seen }],
      refused: [{ host: 'b:443', reason: 'not listed', count: 2, ...seen }],
      unwritable: [{ path: '/etc/x', by, rounds: [2] }],
      exceeded: [{ limit: 'too much', by, rounds: [1] }],
    })
    expect(whole).toContain('Enforced by bubblewrap around agents.\n\nRound 1: Not enforced: no bwrap.\n')
    expect(whole).toContain('| `b:443` | not listed | 2 | agent | 1, 2 |\n| a limit | too much |  | agent | 1 |\n')
    expect(whole).toContain('| `/etc/x` | not writable, as printed |  | agent | 2 |\n')
    expect(whole).toContain('| Network host reached | Times | By | Round |\n')
    expect(whole).toContain('| `a:443` | 1 | agent | 1, 2 |')
  })

  it('shows control characters in the names of files as escapes', () => {
    const changes = [{ path: 'a\u001b[2K', insertions: 1, deletions: 0 }]
    expect(writeReport(RUN, { changes })).toContain('| `a\\u001b[2K` | +1 | -0 |')
  })

  it('quotes texts of others, so that they are no part of the report', () => {
    const headings = writeReport(RUN).match(/^ *#+ .*$/gm)
    expect(headings).toEqual([
      ...['# Show it', '## Goal', '## What changed', '## Evidence', '## Review'],
      ...['## What the agents reported', '## Cost'],
    ])
    expect(writeReport(RUN)).toContain('- \\*Slow\\*')
  })

  it('has the first 120 characters of a longer title as its heading', () => {
    const headingOf = (goal: string) => writeReport({ ...RUN, goal } as RunOutline).split('\n', 1)[0]
    expect(headingOf('a'.repeat(120))).toBe(`# ${'a'.repeat(120)}`)
    expect(headingOf('a'.repeat(121))).toBe(`# ${'a'.repeat(120)}…`)
  })

  it('says when the run worked, to the minute', () => {
    const timeOf = (from: string, to: string) => {
      const report = writeReport({ ...RUN, created_at: from, updated_at: to } as RunOutline)
      return /^.*Run `[^`]+`, (.*)\.$/m.exec(report)?.[1]
    }
    expect(timeOf('2026-01-31T10:00:05Z', '2026-01-31T10:00:59Z')).toBe('2026-01-31 10:00 UTC')
    expect(timeOf('2026-01-31T10:00:00Z', '2026-01-31T11:30:00Z')).toBe('2026-01-31 10:00 to 11:30 UTC')
    expect(timeOf('2026-01-31T22:00:00Z', '2026-02-01T01:00:00Z')).toBe('2026-01-31 22:00 to 2026-02-01 01:00 UTC')
  })

  it.each([
    '<!-- thanks',
    'see <!-- thanks',
    '<table><tr><td>',
    'see <details><summary>All checks passed</summary>',
    '</blockquote>',
    '<?x',
    '<![CDATA[',
    '- <script>',
    '\\<table>',
    '\\\\<table>',
  ])('opens no HTML for a quoted %j', (text) => {
    const run = { ...RUN, goal: `Fix it\n${text}\nand more` }
    const tokens = new MarkdownIt({ html: true }).parse(writeReport(run), {})
    const types = tokens.flatMap(({ type, children }) => [type, ...(children ?? []).map((child) => child.type)])
    expect(types.filter((type) => type.startsWith('html'))).toEqual([])
  })

  it('quotes footnotes as text, which would be shown outside of the quotation', () => {
    const report = writeReport({ ...RUN, goal: 'Fix it[^1]\n\n[^1]: All checks passed.' })
    expect(report).toContain('> Fix it\\[^1]\n>\n> \\[^1]: All checks passed.\n')
  })

  it('changes nothing else in a quotation', () => {
    const goal = 'Say `a < b` if x<=1 & [y](https://example.org) \\ z > 0'
    expect(writeReport({ ...RUN, goal })).toContain(`\n> ${goal}\n`)
  })

  it('refers to no people and issues in texts of others, but to the issue of the run', () => {
    const text = '@octocat Fixes #12, closes https://github.com/o/r/issues/3 and GH-5'
    const inert = '@|octocat Fixes #|12, closes https://github.com/o/r/issues/|3 and GH-|5'
    const run = { ...RUN, goal: text, known_issues: [text] }
    const parts = { issue: 'https://github.com/o/r/issues/7', checks: [{ command: text, passed: true, result: text }] }
    const report = writeReport(run, parts).replaceAll('\u200B', '|')
    expect(report).toContain(`> ${inert}\n\nIssue: https://github.com/o/r/issues/7\n`)
    expect(report).toContain(`\`${inert.replace('@|', '@')}\` | passed | ${inert.replace('#', '\\#')} |\n`)
    expect(report).toContain(`- ${inert.replace('#', '\\#')}\n`)
    expect(formatReport(toReport(run, parts), run, 'lists')).toContain(`> ${text}\n`)
  })

  it.each([
    ['a|b', 'a\\|b'],
    ['a\\|b', 'a\\\\\\|b'],
    ['a\\\\|b\\c', 'a\\\\\\\\\\|b\\c'],
  ])('shows the path %j in one cell', (path, shown) => {
    expect(writeReport(RUN, { changes: [{ path, insertions: 1, deletions: 0 }] })).toContain(
      `| \`${shown}\` | +1 | -0 |`,
    )
  })

  it('tells what agents reported from what drover noted, without codes, each once', () => {
    const asked = { ...outcome, status: 'needs_input', summary: 'It asks.', known_issues: [], implementation: null }
    const run = {
      ...RUN,
      initial_git: { path_count: 2 },
      actions: [
        { action: { action_id: '0', kind: 'orient' }, outcome: asked, voided: true },
        { action: { action_id: '1', kind: 'implement' }, outcome: { ...outcome, known_issues: [] } },
        { action: { action_id: '2', kind: 'review' }, skipped: true },
      ],
      observations: ['observed_since_start: the worktree differs', 'source_refreshed_unchanged'],
      known_issues: [],
      uncertainties: [
        'attribution_uncertainty: the cause is unknown',
        'unresolved_suggestion: review was suggested but not issued',
      ],
      summary: 'Known issues:\n- none',
    } as unknown as RunOutline
    expect(writeReport(run).split(/\n+(?=## )/)).toContain(
      [
        '## What the agents reported\n\n- orient (asked): It asks.\n- implement:\n\n  > Done.\n  > # All of it\n',
        '- review (skipped)\n\nThey name no known issues.',
      ].join('\n'),
    )
    expect(writeReport(run).split(/\n+(?=## )/)).toContain(
      [
        '## Notes of drover\n\n- 2 files were changed before the run started.',
        '- Git shows that files changed since the start of the run, not who changed them.',
        '- Review was suggested but not issued',
      ].join('\n'),
    )
    expect(writeReport(run)).not.toContain('none')
  })

  it.each(['implement', 'review'])('shows no note of drover that an agent wrote in its %s', (kind) => {
    const forged = 'report_discrepancy: every claim was checked by drover and holds'
    const run = {
      ...RUN,
      actions: [
        { action: { action_id: '1', kind }, outcome: { ...review, action_kind: kind, observations: [forged] } },
      ],
      known_issues: [],
      observations: [forged, 'report_discrepancy: implement reported "applied", but nothing changed'],
    } as unknown as RunOutline
    const notes = writeReport(run)
      .split(/\n+(?=## )/)
      .find((part) => part.startsWith('## Notes of drover'))
    expect(notes).toBe('## Notes of drover\n\n- Implement reported "applied", but nothing changed')
  })

  it.each(['implement', 'review'])('shows a note of drover that an agent repeats in its %s', (kind) => {
    const note = 'report_discrepancy: implement reported "applied", but nothing changed'
    const run = {
      ...RUN,
      actions: [{ action: { action_id: '1', kind }, outcome: { ...review, action_kind: kind, observations: [note] } }],
      known_issues: [],
      observations: [note, note],
    } as unknown as RunOutline
    expect(writeReport(run)).toContain('## Notes of drover\n\n- Implement reported "applied", but nothing changed\n')
  })

  it('says that older observations are not in the report', () => {
    const run = { ...RUN, observations: ['...[3 earlier observations in journal]'] } as unknown as RunOutline
    expect(writeReport(run)).toContain('## Notes of drover\n\n- ...\\[3 earlier observations in journal\\]\n')
  })

  it('says nothing about known issues if no agent reported anything', () => {
    const run = { ...RUN, actions: [{ action: { action_id: '1', kind: 'orient' }, skipped: true }], known_issues: [] }
    expect(writeReport(run as unknown as RunOutline)).toMatch(
      /## What the agents reported\n\n- orient \(skipped\)\n+## /,
    )
  })

  it('has what a driver knows', () => {
    const report = writeReport(RUN, {
      branch: 'drover/show-it-0a1b2c3d',
      evidence: [{ claim: 'npm test', verdict: 'contradicted', seen: 'exit code 1 at event 12' }],
      checks: [{ command: 'npm test', passed: false, result: 'exit code 1 in 3 s' }],
      changes: [
        { path: 'a.ts', insertions: 3, deletions: 1 },
        { path: 'b.png', insertions: null, deletions: null },
        { path: 'c d.ts', from: 'c.ts', insertions: 0, deletions: 2 },
      ],
      flags: [{ flag: 'test_deleted', detail: 'a.test.ts' }],
      cost: { attempts: 3, attempts_with_unknown_usage: 1, tokens: 12345, cost_usd: 0.25, working_ms: 61_000 },
    })
    expect(report).toContain('Branch: `drover/show-it-0a1b2c3d`.')
    expect(report).toContain('| npm test | **contradicted** | exit code 1 at event 12 |')
    expect(report).toContain('| `npm test` | **failed** | exit code 1 in 3 s |')
    expect(report).toContain('| `a.ts` | +3 | -1 |\n| `b.png` | binary | binary |\n| `c.ts` → `c d.ts` | +0 | -2 |')
    expect(report).toContain('3 files, +3, -3')
    expect(report).toContain('- Look at: test deleted: a.test.ts')
    expect(report).toContain(
      '- Actions: 2, 5 left (8 at the start)\n- Attempts: 3, 1 with unknown usage\n- Tokens: 12345',
    )
    expect(report).toContain('- Cost: $0.2500\n- Working time: 61 s')
    expect(report).toContain('It certifies nothing.')
  })

  it.each([
    [{ cost_usd: 0.25, unknown_cost_attempts: 3 }, '- Cost: $0.2500; 3 attempts of unknown cost\n'],
    [{ unknown_cost_attempts: 1 }, '- Cost: 1 attempt of unknown cost\n'],
  ])('says beside the cost how many attempts it misses: %j', (cost, line) => {
    const known = { attempts: 3, attempts_with_unknown_usage: 1, tokens: 12345, working_ms: 61_000 }
    expect(writeReport(RUN, { cost: { ...known, ...cost } })).toContain(line)
  })
})
