// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of code
/** What the scripted model of the pictures does for each goal and prompt. Its commands run, its edits are made. */
import type { DrivenScript, DrivenTurn } from '../../test/support/driven-home.ts'
import { NEW_TESTS, PARSE_BEFORE, PARSE_FIRST, TESTS_BEFORE } from './projects.ts'

export const GOAL = [
  'Accept line breaks inside quoted fields',
  '',
  'RFC 4180 allows them, and spreadsheets write them. `parse` splits the text into lines first, so such a field ends up in two rows. An unclosed quote must be an error that names the line.',
].join('\n')

export const GOALS = {
  merged: 'Skip a byte order mark before the header row',
  asks: 'Write dates in ISO 8601 when stringifying',
  costly: 'Read files as a stream instead of as a whole',
  works: 'Add the public holidays of Portugal',
  delivered: 'Return Easter Monday and Pentecost too',
  queued: [
    'Detect the delimiter from the first ten rows',
    'Document how to read files from spreadsheets',
    'Drop support for Node 18',
  ],
} as const

export const PROMPTS = {
  explain: 'Why does parse() return an empty row for a file that ends with two line breaks?',
  next: 'Is that worth a note in the README?',
  compare: 'Make stringify() quote fields that contain a line break, with a test.',
  asks: 'Bump the version to 2.4.0 and check what npm would publish.',
  fails: 'Summarise the open issues of tidy-csv by theme.',
  others: [
    ['codex', 'List the exported functions that have no test.'],
    ['claude', 'Write release notes for 2.4.0 from the commits since the last tag.'],
    ['codex', 'What would break if parse() returned an iterator?'],
  ],
} as const

const SEES = { runs: ['cat src/parse.ts', 'npm test --silent 2>&1 | tail -n 8'] }

const applied = (files: string[], more: object = {}) => ({
  result: 'applied',
  files_changed: files,
  activities: [
    { kind: 'test', command: 'npm test', exit_code: 0, summary: 'All tests pass.' },
    { kind: 'lint', command: 'npm run lint', exit_code: 0, summary: 'No problems.' },
  ],
  uncertainties: [],
  attempts: 1,
  ...more,
})

const ask = (question: string, summary: string) => ({
  status: 'needs_input',
  summary,
  suggested_actions: [],
  pause: { reason: 'decision_required', question, destructive_request: null },
})

const LAST_ROW = [
  '  return rows\n',
  [
    '  if (quoted) throw new SyntaxError(`line ${openedAt}: the quote is never closed`)',
    "  if (field !== '' || row.length > 0) endRow()",
    '  return rows\n',
  ].join('\n'),
] as const

const COUNTS_LINES = [
  '    } else if (char === quote) quoted = !quoted\n    else if (char === delimiter',
  [
    '    } else if (char === quote) {',
    '      quoted = !quoted',
    '      openedAt = line',
    '    } else if (char === delimiter',
  ].join('\n'),
] as const

const FIXED = PARSE_FIRST.replace(...LAST_ROW)
  .replace(...COUNTS_LINES)
  .replace('  let quoted = false\n', '  let quoted = false\n  let [line, openedAt] = [1, 1]\n')
  .replace("    const char = text[at] ?? ''\n", "    const char = text[at] ?? ''\n    if (char === '\\n') line++\n")

const README: readonly [string, string] = [
  '- A quoted field must not contain a line break.\n',
  '- A quote that is never closed is an error.\n',
]
const CHANGES: readonly [string, string] = [
  '# Changelog\n',
  '# Changelog\n\n## Unreleased\n\n- Quoted fields may contain line breaks.\n- An unclosed quote is an error that names the line.\n',
]

const MAIN: DrivenScript = {
  orient: [
    {
      tells: ['I look at how rows are split, and at what the tests already cover.'],
      ...SEES,
      outcome: ask(
        'A quoted field may contain "\\r\\n". Should parse() keep it as it is, or turn it into "\\n"?',
        'Rows are split before quotes are read. One decision is open.',
      ),
      usage: { input: 18_400, output: 620 },
      cost: 0.07,
    },
    {
      tells: ['Line breaks stay as they are, so a round trip does not change the file.'],
      outcome: {
        summary: 'parse() becomes one pass over the text, which knows whether it is inside quotes.',
        suggested_actions: [
          { kind: 'implement', brief: 'One pass over the text; line breaks in quotes stay as they are.' },
        ],
      },
      usage: { input: 6200, output: 310 },
      cost: 0.03,
    },
  ],
  implement: [
    {
      tells: ['I replace the split by lines with one pass over the text.'],
      runs: ['git grep -n "parseLine"'],
      edits: {
        'src/parse.ts': [PARSE_BEFORE, PARSE_FIRST],
        'test/parse.test.ts': [TESTS_BEFORE, TESTS_BEFORE + NEW_TESTS],
      },
      runsAfter: ['npm run lint --silent'],
      outcome: {
        summary: 'parse() reads the text in one pass and keeps line breaks in quotes.',
        implementation: applied(['src/parse.ts', 'test/parse.test.ts']),
      },
      usage: { input: 41_300, output: 3900 },
      cost: 0.31,
    },
    {
      tells: [
        'Two tests fail: the last row is lost without a final line break, and an unclosed quote is silent. I fix both.',
      ],
      runs: ['npm test --silent 2>&1 | grep -A 4 "not ok" | head -n 20'],
      edits: { 'src/parse.ts': [PARSE_FIRST, FIXED], 'README.md': README, 'CHANGELOG.md': CHANGES },
      runsAfter: ['npm test', 'npm run lint'],
      outcome: {
        summary: 'The last row is kept, and an unclosed quote is an error with its line.',
        implementation: applied(['src/parse.ts', 'test/parse.test.ts', 'README.md', 'CHANGELOG.md'], {
          activities: [
            { kind: 'test', command: 'npm test', exit_code: 0, summary: '6 tests pass, 3 of them new.' },
            { kind: 'lint', command: 'npm run lint', exit_code: 0, summary: 'No problems.' },
            { kind: 'typecheck', command: 'npx tsc --noEmit', exit_code: 0, summary: 'No errors.' },
          ],
          uncertainties: [],
        }),
      },
      usage: { input: 52_800, output: 4700 },
      cost: 0.38,
    },
  ],
  review: [
    {
      runs: ['git diff main --stat', 'npm test'],
      tells: ['The pass is linear, and each new branch has a test.'],
      outcome: { summary: 'Nothing to change.' },
      usage: { input: 24_100, output: 900 },
    },
  ],
  summarize: [
    {
      outcome: {
        summary:
          'Quoted fields may contain line breaks. The last row is kept, an unclosed quote is an error with its line, and three tests cover it.',
      },
      usage: { input: 5100, output: 240 },
      cost: 0.05,
    },
  ],
}

const bom: DrivenTurn = {
  edits: {
    'src/parse.ts': [
      '  const { delimiter, quote } = withDefaults(options)\n',
      "  const { delimiter, quote } = withDefaults(options)\n  if (text.startsWith('\\uFEFF')) text = text.slice(1)\n",
    ],
  },
  runsAfter: ['npm test', 'npm run lint'],
  outcome: { summary: 'A byte order mark is skipped.', implementation: applied(['src/parse.ts']) },
  usage: { input: 21_000, output: 1100 },
  cost: 0.16,
}

const monday: DrivenTurn = {
  edits: {
    'src/index.ts': [
      "export { easterSunday } from './easter.ts'\n",
      "export { easterMonday, easterSunday, pentecost } from './easter.ts'\n",
    ],
    'src/easter.ts': [
      '/** Easter Sunday',
      [
        'const DAY_MS = 86_400_000',
        '',
        'export const easterMonday = (year: number) => new Date(easterSunday(year).getTime() + DAY_MS)',
        'export const pentecost = (year: number) => new Date(easterSunday(year).getTime() + 49 * DAY_MS)',
        '',
        '/** Easter Sunday',
      ].join('\n'),
    ],
  },
  runsAfter: ['npm test'],
  outcome: {
    summary: 'Easter Monday and Pentecost are derived from Easter Sunday.',
    implementation: applied(['src/index.ts', 'src/easter.ts'], {
      activities: [{ kind: 'test', command: 'npm test', exit_code: 0, summary: 'All tests pass.' }],
    }),
  },
  usage: { input: 30_200, output: 2100 },
  cost: 0.22,
}

const quoting = (condition: string): DrivenTurn => ({
  edits: { 'src/stringify.ts': ['field.includes(delimiter) || field.includes(quote)', condition] },
  runsAfter: ['npm test --silent 2>&1 | tail -n 8'],
  says: `\`stringify()\` now quotes a field that contains a line break.\n\n- **Changed**: the condition in \`src/stringify.ts\`\n- **Checked**: \`npm test\` passes`,
  usage: { input: 17_300, output: 840 },
  cost: 0.12,
})

const STRINGIFY_TEST = [
  "import assert from 'node:assert/strict'",
  "import { test } from 'node:test'",
  "import { parse, stringify } from '../src/index.ts'",
  '',
  "test('quotes a field with a line break', () => {",
  `  assert.equal(stringify([['two\\nlines', 'b']]), '"two\\nlines",b\\n')`,
  '})\n',
].join('\n')

const ANSWER = `Each line break ends a row, and the text after the last one is a row too. A file that ends with \`\\n\\n\` has an empty line before its end:

\`\`\`ts
'a,b\\n\\n'.split('\\n') // ['a,b', '', '']
\`\`\`

\`filter(Boolean)\` drops both empty strings today, so **the row appears only if you pass \`quote: ''\`**. Two ways out:

1. Skip a row that has one empty field, as \`src/parse.ts\` does for the last one.
2. Add an option \`skipEmptyRows\`, off by default.

I would take the first: it changes no result that a test covers.`

export const STORY: DrivenScript = {
  goals: {
    [GOAL.split('\n')[0] ?? '']: MAIN,
    [GOALS.merged]: { implement: [bom] },
    [GOALS.asks]: {
      orient: [
        {
          ...SEES,
          outcome: ask(
            'stringify() takes strings only. Should it accept Date values, or is a separate formatDate() enough?',
            'The types decide what dates look like.',
          ),
          usage: { input: 12_000, output: 500 },
          cost: 0.06,
        },
      ],
    },
    [GOALS.costly]: {
      orient: [
        {
          ...SEES,
          outcome: { summary: 'parse() needs a state that lives from one chunk to the next.' },
          usage: { input: 96_000, output: 4000 },
          cost: 0.52,
        },
      ],
    },
    [GOALS.works]: {
      orient: [
        {
          runs: ['ls src'],
          outcome: { summary: 'Holidays that move depend on Easter; the fixed ones become a list.' },
          usage: { input: 9000, output: 400 },
          cost: 0.05,
        },
      ],
      implement: [
        {
          tells: ['I compare the fixed days with the official list.'],
          runs: ['cat src/easter.ts', 'npm test'],
          hangs: true,
        },
      ],
    },
    [GOALS.delivered]: { implement: [monday] },
    [PROMPTS.explain]: {
      prompt: [
        {
          tells: ['I try it with the smallest file that shows it.'],
          runs: [
            'git log --oneline -3',
            `node -e "import('./src/index.ts').then(({ parse }) => console.log(parse('a,b\\n\\n')))"`,
            'grep -n "filter(Boolean)" src/parse.ts',
          ],
          says: ANSWER,
          usage: { input: 14_200, output: 760 },
          cost: 0.09,
        },
      ],
    },
    [PROMPTS.next]: {
      prompt: [
        {
          says: 'Yes, one line under *Limits*: “Empty rows are skipped.” Readers who count rows will look there first.',
          usage: { input: 15_100, output: 90 },
          cost: 0.03,
        },
      ],
    },
    [PROMPTS.compare]: {
      prompt: [
        { ...quoting("[delimiter, quote, '\\n', '\\r'].some((each) => field.includes(each))") },
        {
          ...quoting('field.includes(delimiter) || field.includes(quote) || /[\\r\\n]/.test(field)'),
          writes: { 'test/stringify.test.ts': STRINGIFY_TEST },
        },
      ],
    },
    [PROMPTS.asks]: {
      prompt: [
        {
          tells: ['The version is bumped. I look at what would be published.'],
          asks: 'npm publish --dry-run',
          hangs: true,
        },
      ],
    },
    [PROMPTS.fails]: { prompt: [{ limit: { claude: 'Claude usage limit reached. Your limit resets at 3pm.' } }] },
    ...Object.fromEntries(
      PROMPTS.others.map(([, prompt]) => [
        prompt,
        { prompt: [{ runs: ['git ls-files'], says: 'Done.', usage: { input: 11_000, output: 700 }, cost: 0.06 }] },
      ]),
    ),
  },
}
