/** `drover report --since`: the page for the morning. */
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { type DrivenScript, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'

const edit = (path: string, text: string) => ({ implement: [{ edits: { [path]: text } }] })
const ASKS = {
  outcome: {
    status: 'needs_input',
    pause: { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null },
    suggested_actions: [],
  },
}

it.runIf(IS_FULL)(
  'shows what became of all runs, their cost, and in which order to merge them',
  { timeout: 60_000 },
  async () => {
    const driving = createDriving()
    const drive = async (goal: string, script: DrivenScript) => {
      driving.rewrite(script)
      return runIdIn((await driving.drive(goal, '--no-review')).stdout)
    }
    const wind = await drive('Show the wind in knots', edit('wind.txt', 'wind: 23 knots\n'))
    const rain = await drive('Show the @rain', edit('rain.txt', 'rain: 3 mm\n'))
    const other = await drive('Show the wind in km/h', edit('wind.txt', 'wind: 43 km/h\n'))
    const asking = await drive('Ask me', { orient: [ASKS] })
    const before = driving.repository.git('count-objects', '-v')

    const { code, stdout, stderr } = await driving.call(['report', '--since', '1h'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^# Runs since .+\n\n4 runs, \d+ tokens, 10 attempts of unknown cost, 0 minutes/)
    expect(stdout).toContain(
      [
        ...['## Waits for you', ''],
        `- \`${asking.slice(0, 8)}\` Ask me (1 attempt of unknown cost): Knots or km/h?`,
        `  - \`drover answer ${asking}`,
      ].join('\n'),
    )
    expect(stdout).not.toContain('@rain')
    const name = other.slice(0, 8)
    expect(stdout).toContain(`- \`${name}\` Show the wind in km/h: branch \`drover/`)
    expect(stdout).toContain(
      `conflicts in wind.txt\n  - after the merges above: \`drover drive ${name} --also 'Merge main and resolve`,
    )
    expect(driving.repository.git('count-objects', '-v')).toBe(before)

    const report = JSON.parse((await driving.call(['report', '--since', '1h', '--json'])).stdout)
    expect(report.runs.map((run: { run_id: string }) => run.run_id)).toEqual([wind, rain, other, asking])
    expect(report.spent.tokens).toBe(driving.calls().length * 150)
    expect(report.overlaps).toEqual([{ path: 'wind.txt', run_ids: [wind, other] }])
    const branches = report.runs.map((run: { verdict: { exists: { branch: string } } }) => run.verdict.exists.branch)
    expect(report.merge).toEqual({
      order: branches.slice(0, 2),
      conflicts: [{ branch: branches[2], paths: ['wind.txt'] }],
      into: 'main',
    })
    // A run of which nothing was written since then is not even read.
    const files = ['journal.jsonl', 'drive.jsonl'].map((name) =>
      join(driving.repository.root, '.git', 'drover', 'runs', wind, name),
    )
    const yesterday = new Date(Date.now() - 86_400_000)
    for (const file of files) utimesSync(file, yesterday, yesterday)
    const newer = JSON.parse((await driving.call(['report', '--since', '1h', '--json'])).stdout)
    expect(newer.runs.map((run: { run_id: string }) => run.run_id)).toEqual([rain, other, asking])
    const commands = [...stdout.matchAll(/^\d\. `drover (merge) ([0-9a-f]{8})` Show/gm)].map(([, ...words]) => words)
    expect(commands.map(([, id]) => id)).toEqual([wind, rain].map((id) => id.slice(0, 8)))
    for (const words of commands) expect((await driving.call(words)).code).toBe(0)
  },
)

it('says so if there was none, and refuses a time that is none', async () => {
  const driving = createDriving()
  expect(await driving.call(['report', '--since', 'yesterday'])).toMatchObject({
    ...{ code: 0, stdout: expect.stringContaining('No run was driven in this time.') },
  })
  expect(await driving.call(['report', '--since', 'soon'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('12h'),
  })
  expect(await driving.call(['report', '6f1c2c6e', '--since', '1h'])).toMatchObject({ code: 2 })
})

it.runIf(IS_FULL)(
  'keeps the branch of an earlier round whose continuation waits, and the report says what was asked',
  async () => {
    const driving = createDriving()
    const id = runIdIn((await driving.drive('Show the wind in knots', '--no-review')).stdout)
    const [{ branch } = { branch: '' }] = JSON.parse(
      (await driving.call(['report', '--since', '1h', '--json'])).stdout,
    ).runs.map((run: { verdict: { exists: { branch: string } } }) => run.verdict.exists)
    driving.rewrite({ orient: [ASKS] })
    expect(await driving.call(['drive', id, '--also', 'Mention it in the README\nand in the docs'])).toMatchObject({
      code: 4,
    })
    const { stdout } = await driving.call(['report', '--since', '1h'])
    expect(stdout).toMatch(
      new RegExp(`## Delivered\\n\\n- .* branch \`${branch}\` at .*: waits for you\\n\\n## Waits for you`),
    )
    const [{ delivered_before: before, run_id: last }] = JSON.parse(
      (await driving.call(['report', '--since', '1h', '--json'])).stdout,
    ).runs
    expect(before).toEqual({ branch, commit: driving.repository.git('rev-parse', branch).trim() })
    const report = (await driving.call(['report', last])).stdout
    expect(report).toContain('Asked in addition:\n\n- > Mention it in the README\n  > and in the docs\n')
  },
)
