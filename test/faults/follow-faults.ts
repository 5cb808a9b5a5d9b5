/**
 * A server that watches an issue and follows its pull request, from the label to the merge, killed again and again: after each
 * record of its runs, at every change that it makes on the forge, before it hears of it, and at requests in between. Nothing may be
 * done twice, and nothing may be left out.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { droverPath } from '../support/bundled-program.ts'
import { dataOf } from '../support/driven-home.ts'
import { hasForge } from '../support/forge/fake-forge.ts'
import { createFollowedHome, WALK_SCRIPT, Walk, walkSettings } from '../support/forge/followed-home.ts'
import { processesWith, sessionsIn } from './observation.ts'
import { type Figures, type Scenario, sum } from './scenario.ts'

const KILLER = join(import.meta.dirname, '..', 'programs', 'kill-at.ts')
/** Far longer than the walk takes on a busy machine. */
const LIMIT_MS = 40 * 60_000
/** Of the requests that only read. */
const EVERY_REQUESTS = 23

type Moment = 'record' | 'change' | 'request'

export const FOLLOW_FAULTS: readonly Scenario[] = [
  { name: 'server that follows a pull request killed after each record of its runs', moment: 'record' },
  { name: 'server that follows a pull request killed at each change on the forge', moment: 'change' },
  { name: `server that follows a pull request killed at every ${EVERY_REQUESTS}rd request`, moment: 'request' },
].map(({ name, moment }) => ({
  name: `${name}, from the label to the merge`,
  times: { gate: 0, full: 1 },
  ...(!hasForge && { obstacle: 'gh or openssl is missing' }),
  run: async (times: number) => await countWalks(times, moment as Moment),
}))

async function countWalks(times: number, moment: Moment): Promise<Figures> {
  const since = performance.now()
  const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
  for (let at = 0; at < times; at++) {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-followed-')))
    const home = await createFollowedHome(scratch, WALK_SCRIPT, { stays: true })
    try {
      const { kills, problems } = await walk(home, moment)
      figures.times += kills
      figures.problems.push(...problems)
      figures.processes += processesWith(home.home).length
      figures.sessions = sum(figures.sessions, sessionsIn(home.home))
    } finally {
      await home.forge.close()
      rmSync(scratch, { recursive: true, force: true })
    }
  }
  return { ...figures, seconds: (performance.now() - since) / 1000 }
}

type Home = Awaited<ReturnType<typeof createFollowedHome>>

async function walk(home: Home, moment: Moment): Promise<{ kills: number; problems: string[] }> {
  const { forge, repository, env } = home
  home.configure(JSON.stringify({ warm: { enabled: false }, drive: walkSettings(repository.root) }))
  const people = new Walk(forge)
  people.label()
  let isOver = false
  void people.over.promise.then(() => {
    isOver = true
  })
  let kill = () => {}
  let [kills, requests] = [0, 0]
  const { refuse: act, onChange: note } = forge
  forge.refuse = (request) => {
    requests += 1
    if (moment === 'request' && requests % EVERY_REQUESTS === 0) kill()
    return act(request)
  }
  // What a server repeats after a kill, such as the edit of its comment, may be repeated once.
  const changes = new Set<string>()
  forge.onChange = (request) => {
    note(request)
    const change = JSON.stringify([request.method, request.path, request.body])
    if (moment === 'change' && !changes.has(change)) kill()
    changes.add(change)
  }
  const killAt = JSON.stringify({ victim: 'driver', file: 'drive.jsonl', each: join(home.scratch, 'killed') })
  const killer = moment === 'record' ? ['--import', KILLER] : []
  const output: string[] = []
  for (const deadline = performance.now() + LIMIT_MS; !isOver && performance.now() < deadline; ) {
    const child = spawn(process.execPath, [...killer, droverPath(), 'serve', '--local', '--quiet'], {
      cwd: repository.root,
      env: { ...env, ...(moment === 'record' && { KILL_AT: killAt }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    kill = () => child.kill('SIGKILL')
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => output.push(text))
    const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
    const late = setTimeout(() => people.over.resolve(), deadline - performance.now())
    await Promise.race([ended, people.over.promise])
    clearTimeout(late)
    if (isOver) child.kill('SIGTERM')
    else kills += 1
    await ended
  }
  const problems = findProblems(home, people)
  return { kills, problems: problems.length === 0 ? [] : [...problems, output.join('').slice(-3000)] }
}

function findProblems({ forge, repository, runs, records }: Home, people: Walk): string[] {
  const answers = forge.lineComments.filter(({ author }) => author === 'drover-bot').map(({ thread }) => thread)
  const others = forge.comments.filter(({ author }) => author === 'drover-bot')
  const pulls = [...forge.items.values()].filter(({ pull }) => pull !== undefined)
  const ids = existsSync(runs) ? readdirSync(runs).filter((name) => /^[0-9a-f-]{36}$/.test(name)) : []
  const first = ids.flatMap((id) => dataOf(records(id), 'drive_started')).filter(({ round }) => round === 1)
  const facts: readonly (readonly [string, boolean])[] = [
    ['it was not merged', people.mergeCommit !== ''],
    [`answers in the threads ${answers} instead of ${people.comments}`, String(answers) === String(people.comments)],
    [`comments on the issue: ${others.map(({ body }) => body)}`, others.length === 1],
    [`${pulls.length} pull requests`, pulls.length === 1],
    [`${first.length} runs for one label`, first.length === 1],
    ['a branch is left', repository.git('branch', '--list', 'drover/*') === ''],
    ['main does not have the work', forge.git('show', 'main:wind.txt') === 'wind: 25 knots'],
  ]
  return facts.filter(([, holds]) => !holds).map(([problem]) => problem)
}
