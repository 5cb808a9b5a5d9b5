/** `drover drive` at a terminal: its live view, and the questions of a run. */

import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { digestScope } from '../../src/contract/destructive.ts'
import { createDriving } from '../support/driven-agents.ts'
import { type DrivenScript, dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, leftOnScreen, screenOf, startOnTerminal } from '../support/on-terminal.ts'
import { until } from '../support/until.ts'

const GOAL = 'Show the wind in knots'

function open(script: DrivenScript, args: readonly string[], { columns = 80, noColor = '1' } = {}) {
  const driving = createDriving(script)
  const start = (...words: string[]) =>
    startOnTerminal(['drive', ...words], {
      cwd: driving.repository.root,
      env: { ...driving.env, NO_COLOR: noColor },
      columns,
    })
  return { driving, start, terminal: start(...args) }
}

const ESCAPE = '\u001b'
const COLOURS = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g')

it.runIf(IS_FULL && hasTerminals)('shows local times, and how far away they are', async () => {
  const limited = { limit: { claude: 'API Error: Request rejected (429) · try again in 9h' } }
  const driving = createDriving({ orient: [limited] })
  const around = { cwd: driving.repository.root, env: { ...driving.env, NO_COLOR: '1' }, columns: 200 }
  const drive = startOnTerminal(['drive', GOAL, '--no-review', '--on-limit', 'wait', '--max-wait', '10h'], around)
  const local = /until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d, in (?:8 h \d+ min|9 h)/
  await until(() => new RegExp(`Waiting ${local.source}: claude is limited`).test(drive.seen()))
  const id = runIdIn(drive.seen())
  for (const args of [['status', id], ['status'], ['report', id], ['report', '--since', '1h']]) {
    expect([args, (await startOnTerminal(args, around).ended).seen]).toEqual([args, expect.stringMatching(local)])
  }
  const piped = await driving.call(['report', '--since', '1h'])
  expect(piped.stdout).toMatch(/limited until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/)
  drive.type('\u0003')
  await drive.ended
})

describe.runIf(hasTerminals)('the live view', () => {
  it.each(
    firstOf([
      [80, 'in colour', ''],
      [40, 'without colours', '1'],
    ]),
  )('shows all of it on %i columns, %s, and leaves lines that stay', async (columns, _name, noColor) => {
    const { terminal } = open(
      {
        orient: [{ tells: ['I look at 風の予報.'], cost: 0.25, runs: ['cat wind.txt'] }],
        implement: [
          {
            ...HONEST,
            cost: 0.25,
            streams: ['\u001b[2JI wr', 'ite\u0007 it', ' down.\n```drover-out', 'come\n{}\n```\n'],
          },
        ],
      },
      [
        GOAL,
        '--no-review',
        '--check',
        'sh check.sh',
        '--baseline',
        'skip',
        '--max-cost',
        '2',
        '--review-with',
        'claude',
      ],
      { columns, noColor },
    )
    const { code, seen: styled } = await terminal.ended
    expect(code).toBe(0)
    const seen = styled.replaceAll(COLOURS, '')
    expect(seen === styled).toBe(noColor === '1')
    for (const shown of [
      `── ${GOAL} ─`,
      'action 1 of 8',
      'orient by claude',
      'action 2 of 8',
      '150 tokens',
      '$0.2500 of $2.00',
    ])
      expect(seen).toContain(shown)
    expect(seen).not.toContain('\u001b[2J')
    expect(seen).not.toContain('\u0007it')
    // The bell: it has ended.
    expect(seen.split('\u0007')).toHaveLength(2)
    const rows = screenOf(seen, columns)
    expect(rows.join('\n')).not.toContain('──')
    expect(rows.join('\n')).not.toContain('drover-outcome')
    expect(rows).toEqual(
      expect.arrayContaining([
        '1. orient by claude',
        '  I look at 風の予報.',
        '  → Bash cat wind.txt',
        '2. implement by claude',
        '  [2JI write it down.',
        '  → Write wind.txt',
      ]),
    )
    expect(rows.join(' ')).toMatch(/check sh check\.sh ended with exit\s+code 0/)
    expect(rows.join('')).toMatch(/Next: +drover merge [0-9a-f]{8}/)
    const drawn = seen.split('\n').filter((line) => line.endsWith('\u001b[K'))
    expect(Math.max(...drawn.flatMap((line) => screenOf(line, 1000)).map((line) => stringWidth(line)))).toBeLessThan(
      columns,
    )
  })

  it.runIf(IS_FULL)('follows a resize, and is taken away by Ctrl-C, which says how to continue', async () => {
    const { driving, terminal } = open({ orient: [{ tells: ['I think about it.'], hangs: true }] }, [GOAL])
    await terminal.shows('I think about it.')
    const before = terminal.seen().length
    terminal.resize(40)
    const rule = `── ${GOAL} ${'─'.repeat(39 - GOAL.length - 4)}\u001b[K\n`
    await until(() => terminal.seen().slice(before).includes(rule))
    terminal.type('\u0003')
    const { code, seen } = await terminal.ended
    expect(code).toBe(130)
    const id = runIdIn(seen.replaceAll('\n', ''))
    expect(seen).toMatch(
      new RegExp(
        `not driven \\(interrupted just now\\):\\ndrover drive.*\\n.*\\n\\nNext:\\n +drover drive ${id.slice(0, 8)}`,
      ),
    )
    expect(screenOf(seen.slice(seen.lastIndexOf('not driven')), 40).join('\n')).not.toContain('──')
    expect(dataOf(driving.records(id), 'attempt_ended')).toMatchObject([{ how: 'cancelled' }])
  })
})

const asks = (question: string) => ({
  outcome: {
    status: 'needs_input',
    suggested_actions: [],
    pause: { reason: 'decision_required', question, destructive_request: null },
  },
})

const destructiveRequest = (number: number) => {
  const scope = {
    request_id: `6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a0${number}`,
    targets: [
      { kind: 'git_ref', value: 'refs/heads/old' },
      { kind: 'path', value: `data/${'long/'.repeat(30)}wind\u202e.db` },
    ],
    impact: 'The measurements of 2019 are lost.',
  }
  return { ...scope, scope_sha256: digestScope(scope) }
}

const destroys = (number: number) => ({
  outcome: {
    status: 'needs_input',
    implementation: null,
    pause: {
      reason: 'destructive_confirmation_required',
      question: 'May I delete the old data?',
      destructive_request: destructiveRequest(number),
    },
  },
})

describe.runIf(hasTerminals)('a question at the terminal', () => {
  it('is answered or skipped, and keys that were typed before it do not count', async () => {
    const { driving, terminal } = open(
      {
        orient: [
          { tells: ['I look.'], pause: 300, outcome: { suggested_actions: [{ kind: 'clarify', brief: 'Ask.' }] } },
        ],
        clarify: [asks('Knots or km/h?'), asks('Rounded?')],
      },
      [GOAL, '--no-review'],
    )
    await terminal.shows('I look.')
    terminal.type('typed too early\nand more')
    await terminal.shows('Answer (/skip to skip, Enter to decide later): ')
    expect(terminal.seen()).toContain('\n  | Knots or km/h?\n')
    terminal.type('Knots.\n')
    await until(() => terminal.seen().split('Answer (').length === 3)
    terminal.type('/skip\n')
    const { code, seen } = await terminal.ended
    // Nothing was implemented.
    expect(code).toBe(3)
    const status = await driving.call(['report', runIdIn(seen.replaceAll('\n', '')), '--json'])
    expect(JSON.parse(status.stdout).decisions).toMatchObject([{ question: 'Knots or km/h?', answer: 'Knots.' }])
    expect(driving.calls().map(({ kind }) => kind)).toEqual(['orient', 'clarify', 'orient', 'clarify', 'summarize'])
  })

  it.runIf(IS_FULL)(
    'about destroying shows the whole request: only y or the digest allows it, and it can be left open',
    async () => {
      const { driving, start, terminal } = open(
        { implement: [{ tells: ['I clean up.'], pause: 300, ...destroys(1) }, destroys(2), destroys(3)] },
        [GOAL, '--no-review'],
      )
      const [first = '', second = '', third = ''] = [1, 2, 3].map((each) => destructiveRequest(each).scope_sha256)
      const question = 'Any other text refuses it (empty: later): '
      const asked = (count: number) => until(() => terminal.seen().split(question).length === count + 1)
      await terminal.shows('I clean up.')
      terminal.type('y\n')
      await asked(1)
      const shown = screenOf(terminal.seen(), 80).join('').replaceAll(' ', '')
      for (const part of [
        'refs/heads/old',
        'long/'.repeat(30),
        'wind\\u202e.db',
        'Themeasurementsof2019arelost.',
        first,
      ])
        expect(shown).toContain(part)
      terminal.type('yes, go ahead\n')
      await asked(2)
      terminal.type(`${second.slice(7, 19)}\n`)
      await asked(3)
      terminal.type('\u0003')
      const { code, seen } = await terminal.ended
      expect(code).toBe(130)
      const id = runIdIn(seen.replaceAll('\n', ''))
      expect(seen).toMatch(
        new RegExp(
          `Next:\\n +drover answer ${id.slice(0, 8)} --confirm ${third.slice(7, 23)}\\n[^]*drover drive ${id.slice(0, 8)}`,
        ),
      )
      const later = start(id)
      await until(() => later.seen().includes(question))
      later.type('\u0004')
      expect(await later.ended).toMatchObject({
        code: 4,
        seen: expect.stringContaining(`drover drive ${id.slice(0, 8)}`),
      })
      const { decisions, state } = JSON.parse((await driving.call(['report', id, '--json'])).stdout)
      expect(decisions).toMatchObject([
        { answer: 'yes, go ahead', confirmed: false },
        { answer: '', confirmed: true },
      ])
      expect(state).toBe('paused')
    },
  )
})

describe.runIf(hasTerminals)('settings for agents in the project', () => {
  const QUESTION = 'Use them in driven runs, as long as they stay as they are?'
  /** Whether each agent got the settings of the project. */
  const users = ({ calls }: ReturnType<typeof createDriving>) =>
    calls().map(({ kind, argv }) => `${kind}: ${argv.includes('--setting-sources') ? 'ignores' : 'uses'} them`)

  function openPlanted(script: DrivenScript = {}) {
    const opened = createDriving(script)
    opened.repository.write('.claude/settings.json', '{"hooks":{}}')
    opened.repository.commit()
    const start = () =>
      startOnTerminal(['drive', GOAL, '--no-review'], {
        cwd: opened.repository.root,
        env: { ...opened.env, NO_COLOR: '1' },
      })
    return { ...opened, start }
  }

  it('are used if the person trusts them, until an agent changes them', async () => {
    const planted = { edits: { ...HONEST.edits, '.claude/settings.json': '{"hooks":{"Stop":[]}}' } }
    const driving = openPlanted({ implement: [HONEST, planted] })
    const first = driving.start()
    await first.shows(QUESTION)
    expect(first.seen()).toContain('The project has settings for agents:\n  .claude/settings.json\n')
    first.type('y\n')
    expect((await first.ended).code).toBe(0)
    expect(users(driving)).toEqual(['orient: uses them', 'implement: uses them', 'summarize: uses them'])
    const second = driving.start()
    const { code, seen } = await second.ended
    // An agent has changed the settings of agents.
    expect([code, seen.includes(QUESTION)]).toEqual([5, false])
    expect(users(driving).slice(3)).toEqual(['orient: uses them', 'implement: uses them', 'summarize: ignores them'])
    const started = dataOf(driving.records(runIdIn(seen.replaceAll('\n', ''))), 'attempt_started')
    const [digest] = started.map(({ project_settings }) => project_settings)
    expect(started.map(({ project_settings }) => project_settings)).toEqual([digest, digest, undefined])
    expect(digest).toMatch(/^sha256:/)
  })

  it.runIf(IS_FULL).each([
    ['n\n', false],
    ['\n', true],
  ])('are not used after %j, and the next run asks again: %s', async (answer, asksAgain) => {
    const driving = openPlanted()
    const first = driving.start()
    await first.shows(QUESTION)
    first.type(answer)
    await first.ended
    const second = driving.start()
    if (asksAgain) {
      await second.shows(QUESTION)
      second.type('\n')
    }
    expect((await second.ended).seen.includes(QUESTION)).toBe(asksAgain)
    expect(new Set(users(driving).map((each) => each.split(' ')[1]))).toEqual(new Set(['ignores']))
  })
})

describe.runIf(hasTerminals)('every command on a driven run', () => {
  it.runIf(IS_FULL)('shows one that is delivered, and no worktree that was removed', async () => {
    const driving = createDriving()
    const id = runIdIn((await driving.drive(GOAL, '--no-review')).stdout).slice(0, 8)
    const around = { cwd: driving.repository.root, env: { ...driving.env, NO_COLOR: '1' } }
    for (const more of [[], ['--watch']]) {
      const { code, seen } = await startOnTerminal(['status', id, ...more], around).ended
      expect([code, leftOnScreen(seen)]).toEqual([
        0,
        expect.stringMatching(/^Run \w+ {2}delivered: branch .*\nWorktree {2}removed\n/s),
      ])
    }
  })

  it.runIf(IS_FULL)('prints text that fits a terminal, and JSON only if it is asked for', async () => {
    const driving = createDriving({ orient: [asks('Knots or km/h?')] })
    driving.repository.write('wind.txt', 'wind: 13 m/s\n')
    const { stdout, stderr } = await driving.drive(GOAL, '--no-review')
    expect(stderr).toContain('do not see your uncommitted changes')
    const id = runIdIn(stdout).slice(0, 8)
    const worktree = /^Worktree (.+)$/m.exec(stdout)?.[1]
    const around = { cwd: driving.repository.root, env: { ...driving.env, NO_COLOR: '1' } }
    const shown: readonly (readonly [readonly string[], string])[] = [
      [['status'], `${id}  waits for you`],
      [['status', id], '  1. orient by claude: answered · '],
      [['drive', '--list'], 'its run has not delivered yet'],
      [['worktrees'], 'show-the-wind-in-knots-'],
      [['answer', id, 'Knots.'], 'Answered.'],
      [['stop', id], 'Stopped.'],
      [['continue', id], 'Resumed.'],
      [['skip', id], 'Skipped orient.'],
      [['report', id], '│ Knots or km/h?'],
    ]
    for (const [args, part] of shown) {
      const { code, seen } = await startOnTerminal(args, around).ended
      expect([args, code, seen]).toEqual([args, 0, expect.stringContaining(part)])
      expect(seen).not.toMatch(/[{}]/)
      // A path is whole, so that it can be copied.
      const lines = seen.split('\n').filter((line) => !/^ *\/\S+\s*$/.test(line))
      expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(80)
      if (args[0] !== 'report') expect(seen).toContain(worktree)
    }
  })
})
