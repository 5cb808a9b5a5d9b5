/** Runs the requests that docs/architecture.md follows, and checks that each function it names was called. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { outcomeFor } from './support/drive-run.ts'
import { IS_FULL } from './support/full-counts.ts'
import { ROOT } from './support/npm.ts'
import { run, runAt, runDrover, temporaryDirectory } from './support/run-drover.ts'
import { portOf, type Serving, serveDrover } from './support/serve-drover.ts'
import { createRepository } from './support/temporary-repository.ts'
import { until } from './support/until.ts'

type Step = { name: string; file: string }

/** Not the launcher, which runs a bundle if there is one. */
const SOURCES = join(ROOT, 'src', 'bin.ts')

const page = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8')
const [, chatCompletion = [], submit = [], prompt = [], drive = []] = page.split(/^## Walkthrough /m).map(stepsIn)

describe('the walkthroughs of docs/architecture.md', () => {
  it('names functions that a streamed chat completion calls', async () => {
    const coverage = temporaryDirectory()
    const server = serveDrover(
      ['--demo', '--port', '0', '--quiet'],
      { NODE_V8_COVERAGE: coverage },
      { drover: SOURCES },
    )
    const url = `http://127.0.0.1:${await portOf(server)}/openai/v1/chat/completions`
    const messages = [{ role: 'user', content: 'say hello' }]
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'codex', stream: true, messages }),
    })
    expect(await response.text()).toContain('[DONE]')
    server.child.kill('SIGTERM')
    await server.ended
    expect(notCalled(chatCompletion, coverage)).toEqual([])
  })

  it.runIf(IS_FULL)('names functions that a submitted outcome calls', async () => {
    const [coverage, { root }] = [temporaryDirectory(), createRepository()]
    const started = await runDrover(['run', 'Show the wind in knots', '--root', root, '--json'])
    const { run_id: runId, action } = JSON.parse(started.stdout)
    const file = join(temporaryDirectory(), 'outcome.json')
    writeFileSync(file, JSON.stringify(outcomeFor(action)))
    const ids = ['--run', runId, '--action', action.action_id]
    const env = { NODE_V8_COVERAGE: coverage, HOME: temporaryDirectory() }
    const args = ['protocol', 'submit', ...ids, '--outcome-file', file, '--root', root]
    const submitted = await run([process.execPath, SOURCES, ...args], env)
    expect(submitted).toMatchObject({ code: 0, stderr: '' })
    expect(notCalled(submit, coverage)).toEqual([])
  })
})

/** A reader who follows one of these meets as many files. More is a sign of indirection. */
describe('the files whose functions run', () => {
  it('for a prompt on the command line are at most 149, with those of its walkthrough', async () => {
    const [coverage, home] = [temporaryDirectory(), temporaryDirectory()]
    // Without the agents that a developer has installed.
    const env = { NODE_V8_COVERAGE: coverage, HOME: home, PATH: '/usr/bin:/bin' }
    const ran = await run([process.execPath, SOURCES, 'prompt', '--demo', 'hello'], env)
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('hello') })
    const files = filesIn(coverage)
    expect(files).toContain('prompts/run-prompt.ts')
    expect(prompt).not.toEqual([])
    expect(notCalled(prompt, coverage)).toEqual([])
    expect(files.length).toBeLessThanOrEqual(149)
  })

  it.runIf(IS_FULL)('for a prompt over HTTP are at most 125', async () => {
    const coverage = temporaryDirectory()
    const env = { NODE_V8_COVERAGE: coverage, NODE_OPTIONS: `--import ${COVER_ON_SIGNAL}` }
    const server = serveDrover(['--demo', '--port', '0', '--quiet'], env, { drover: SOURCES })
    const url = `http://127.0.0.1:${await portOf(server)}/api/v1/prompt`
    const sendPrompt = async () => {
      const body = JSON.stringify({ backend: 'codex', prompt: 'hello' })
      const headers = { 'content-type': 'application/json' }
      expect(await (await fetch(url, { method: 'POST', headers, body })).text()).toContain('hello')
    }
    // The first one also does what a server does once, and each may meet what a server does now and then.
    await sendPrompt()
    const reports = [await coverageOf(server, coverage)]
    for (const _ of [1, 2]) {
      await sendPrompt()
      reports.push(await coverageOf(server, coverage))
    }
    const [one = [], other = []] = reports
      .slice(1)
      .map((after, at) => filesIn(coverage, (report) => after.has(report) && !reports[at]?.has(report)))
    const files = one.filter((file) => other.includes(file))
    expect(files).toContain('http/native/prompt.ts')
    expect(files.length).toBeLessThanOrEqual(125)
  })

  it.runIf(IS_FULL)('for a driven run are at most 412, with those of its walkthrough', async () => {
    const [coverage, { root, write, commit }] = [temporaryDirectory(), createRepository()]
    write('wind.ts', 'export const wind = 3\n')
    commit()
    const env = { NODE_V8_COVERAGE: coverage, HOME: temporaryDirectory(), DEMO_AGENT_WORD_MS: '0' }
    const goal = 'Show the wind in knots'
    const ran = await runAt(root, [process.execPath, SOURCES, 'drive', '--demo', goal], env)
    expect(ran).toMatchObject({ code: 0 })
    const files = filesIn(coverage)
    expect(files).toContain('drive/run-attempt.ts')
    expect(drive).not.toEqual([])
    expect(notCalled(drive, coverage)).toEqual([])
    expect(files.length).toBeLessThanOrEqual(412)
  })
})

/** Writes what has run since the last time. */
const COVER_ON_SIGNAL = `data:text/javascript,${encodeURIComponent(
  "import { takeCoverage } from 'node:v8'; process.on('SIGUSR2', () => { takeCoverage(); process.stderr.write('covered;') })",
)}`

/** The reports that are there when the server has written another one. */
async function coverageOf({ child, heard }: Serving, coverage: string): Promise<Set<string>> {
  const written = heard.stderr.split('covered;').length
  child.kill('SIGUSR2')
  await until(() => heard.stderr.split('covered;').length > written)
  return new Set(readdirSync(coverage))
}

/** The files in `src` of which a function was called, not only loaded. The demo agent is another program. */
function filesIn(coverage: string, isMeant: (report: string) => boolean = () => true): string[] {
  const source = `${pathToFileURL(join(ROOT, 'src'))}/`
  const calls = readdirSync(coverage)
    .filter(isMeant)
    .flatMap((name) => callsIn(join(coverage, name)))
  const named = calls.filter((call) => call.startsWith(source) && !call.endsWith(' '))
  const files = new Set(named.map((call) => call.slice(source.length, call.lastIndexOf(' '))))
  return [...files].filter((file) => !file.startsWith('demo/'))
}

/** The rows of a table that end in a function and a file. */
function stepsIn(section: string): Step[] {
  return [...section.matchAll(/^\|.*\| `(\w+)` \| `([\w./-]+)` \|$/gm)].map(([, name = '', file = '']) => ({
    name,
    file,
  }))
}

function notCalled(steps: readonly Step[], coverage: string): Step[] {
  const called = new Set(readdirSync(coverage).flatMap((name) => callsIn(join(coverage, name))))
  return steps.filter(({ name, file }) => !called.has(`${pathToFileURL(join(ROOT, 'src', file))} ${name}`))
}

function callsIn(report: string): string[] {
  const { result } = JSON.parse(readFileSync(report, 'utf8')) as Coverage
  return result.flatMap(({ url, functions }) =>
    functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => `${url} ${functionName}`),
  )
}

type Coverage = { result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[] }
